//go:build real

package conformance

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/stream"
)

// liveScript is the model of the live sessions.
const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "sleep", "turns": [{"parts": [{"shell": "(setsid sleep 301 &) ; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "command", "turns": [{"parts": [{"shell": "sleep 1; echo done"}]}, {"parts": [{"text": "Done."}]}]},
	{"match": "first", "turns": [{"parts": [{"write": {"path": "first.txt", "content": "1"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "other", "turns": [{"parts": [{"write": {"path": "other.txt", "content": "2"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]}
]}`

// liveRules ask about one file, deny the other, and allow the rest.
const liveRules = `default = 'allow'
[[rules]]
action = 'ask'
kind = 'write'
path = '**/first.txt'
[[rules]]
name = 'no-other'
action = 'deny'
kind = 'write'
path = '**/other.txt'
`

// TestRealLive plays the same sessions with every real CLI through the product.
// What a CLI cannot do is refused by its name.
func TestRealLive(t *testing.T) {
	vendors := liveVendors(t)
	for name, test := range map[string]func(*testing.T, conversing){
		"turns": liveTurns, "steer": liveSteer, "permission": livePermission, "abort": liveAbort, "image": liveImage,
		"inputs end in a turn": liveInputsEnd, "killed": liveKilled, "ended": liveEnded,
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range vendors {
				t.Run(v.name, func(t *testing.T) {
					t.Parallel()
					test(t, v)
				})
			}
		})
	}
}

// conversing is a real CLI with a two-way mode.
type conversing struct {
	vendor

	can   providers.LiveCapabilities
	flags []string // that make it the vendor's session
	model string   // another one than that of the beginning
	keeps bool     // answers for the session, and asks about the rest all the same
}

// liveVendors are all of them, and an agent of which only its protocol is known.
func liveVendors(t *testing.T) []conversing {
	t.Helper()
	models := map[string]string{
		"claude": "claude-opus-5-1", "codex": "gpt-6-sol", "gemini": "gemini-2.5-pro", "pi": "anthropic/claude-sonnet-4-5",
	}
	var list []conversing
	for _, v := range realVendors(t) {
		c := conversing{vendor: v, can: liveOf(v.provider), flags: []string{"--bin", v.bin}, model: models[v.provider]}
		c.keeps = v.provider == "claude"
		list = append(list, c)
		if v.provider == "gemini" {
			c.name, c.provider, c.can, c.shell = "acp", "acp", liveOf("acp"), []string{"--set", "mode=yolo"}
			c.flags = []string{"--set", `command=["` + v.bin + `", "--acp"]`, "--env", "GEMINI_CLI_TRUST_WORKSPACE=true"}
			list = append(list, c)
		}
	}
	return list
}

func liveOf(provider string) providers.LiveCapabilities {
	for _, p := range all.Providers() {
		if c, ok := p.(providers.Converser); ok && p.About().Name == provider {
			return c.Live()
		}
	}
	return providers.LiveCapabilities{}
}

func liveTurns(t *testing.T, v conversing) {
	t.Helper()
	s := v.session(t)
	s.turn("hello")
	s.turn("again")
	s.say(`{"type":"update","id":"u","model":"` + v.model + `"}`)
	if v.name == "pi-old" { // it would make it the user's default
		same(t, "answer", "refused "+providers.ReasonTooOld, s.answer("u"))
	} else {
		same(t, "answer", "ack", s.answer("u"))
		end := s.turn("third")
		same(t, "model", v.model, end.Metadata.Model)
	}
	s.close()
	if got := s.said(); !strings.HasPrefix(got, "You said: helloYou said: again") {
		t.Errorf("said: %q", got)
	}
}

func liveSteer(t *testing.T, v conversing) {
	t.Helper()
	s := v.session(t, v.shell...)
	s.say(`{"type":"message","text":"run a command"}`)
	s.use()
	s.say(`{"type":"steer","id":"s","text":"steered in"}`)
	want := "ack"
	if !v.can.Steer {
		want = "refused steer"
	}
	same(t, "answer", want, s.answer("s"))
	same(t, "status", stream.TurnCompleted, s.line(stream.LiveTurnEnd).Status)
	s.close()
}

// livePermission: each answer to a request, and a policy that stays in force
// whatever was answered for the session.
func livePermission(t *testing.T, v conversing) {
	t.Helper()
	rules := filepath.Join(t.TempDir(), "rules.toml")
	if err := os.WriteFile(rules, []byte(liveRules), 0o600); err != nil {
		t.Fatal(err)
	}
	s := v.session(t, "--policy", rules)
	written := func(file string, want bool) {
		t.Helper()
		_, err := os.Stat(filepath.Join(s.w.cwd, file))
		same(t, file+" is written", want, err == nil)
		_ = os.Remove(filepath.Join(s.w.cwd, file))
	}
	ask := func(answer string, status stream.TurnStatus) {
		t.Helper()
		s.say(`{"type":"message","text":"the first"}`)
		request := s.line(stream.LiveRequest)
		same(t, "kind", stream.AskToolPermission, request.Kind)
		s.say(`{"type":"answer","id":"a","request_id":"` + request.ID + `",` + answer + `}`)
		if strings.Contains(answer, "session") && !v.keeps {
			same(t, "answer", "refused session", s.answer("a"))
			s.say(`{"type":"answer","request_id":"` + request.ID + `","action":"accept"}`)
		}
		same(t, "status", status, s.line(stream.LiveTurnEnd).Status)
	}
	deny := func() {
		t.Helper()
		s.say(`{"type":"message","text":"the other"}`)
		end := s.line(stream.LiveRequestEnd)
		same(t, "decision", "decline by policy", string(end.Action)+" by "+end.By)
		s.line(stream.LiveTurnEnd)
		written("other.txt", false)
	}
	ask(`"action":"decline"`, stream.TurnCompleted)
	ask(`"action":"cancel"`, stream.TurnCancelled)
	written("first.txt", false)
	s.turn("hello") // the model may still be told of the call
	ask(`"action":"accept"`, stream.TurnCompleted)
	written("first.txt", true)
	deny()
	ask(`"action":"accept","for":"session"`, stream.TurnCompleted)
	written("first.txt", true)
	deny()
	if slices.Contains(v.can.Update, "access") && v.provider != "acp" { // of that it is a mode by the agent's own name
		s.say(`{"type":"update","id":"u","access":"edit"}`)
		same(t, "answer", "ack", s.answer("u"))
		deny()
	}
	s.close()
}

func liveAbort(t *testing.T, v conversing) {
	t.Helper()
	s := v.session(t, v.shell...)
	s.say(`{"type":"message","text":"sleep"}`)
	s.await(t, "sleep 300", "sleep 301")
	s.say(`{"type":"abort"}`)
	same(t, "status", stream.TurnCancelled, s.line(stream.LiveTurnEnd).Status)
	s.turn("after")
	s.close()
}

func liveImage(t *testing.T, v conversing) {
	t.Helper()
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	s := v.session(t)
	s.say(`{"type":"message","text":"look","parts":[{"type":"image","data":"` + png + `"},{"type":"file","path":"a.go"}]}`)
	if !v.can.Images {
		same(t, "reason", "images", s.line(stream.LiveRefused).Reason)
	} else {
		same(t, "status", stream.TurnCompleted, s.line(stream.LiveTurnEnd).Status)
	}
	s.close()
}

// liveInputsEnd: the turn that runs and the message that waits are carried out.
func liveInputsEnd(t *testing.T, v conversing) {
	t.Helper()
	s := v.session(t, v.shell...)
	s.say(`{"type":"message","text":"run a command"}`)
	s.use()
	s.say(`{"type":"message","text":"last"}`)
	if err := s.in.Close(); err != nil {
		t.Fatal(err)
	}
	s.finish()
	if got := s.said(); !strings.HasSuffix(got, "Done.You said: last") {
		t.Errorf("said: %q", got)
	}
}

// liveKilled: of a session whose host is killed, nothing is left.
func liveKilled(t *testing.T, v conversing) {
	t.Helper()
	s := v.session(t, v.shell...)
	s.say(`{"type":"message","text":"sleep"}`)
	s.await(t, "sleep 300", "sleep 301")
	s.signal(syscall.SIGKILL)
	same(t, "exit status", 137, s.wait())
	gone(t, s.id())
	// The supervisor cleans up behind the dead.
	Eventually(t, "the end of the private folder", func() bool {
		_, err := os.Stat(filepath.Join(built.cache, "agentrun/runs", s.id()))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// liveEnded: a session that is told to end in the middle of a turn.
func liveEnded(t *testing.T, v conversing) {
	t.Helper()
	s := v.session(t, v.shell...)
	s.say(`{"type":"message","text":"sleep"}`)
	s.await(t, "sleep 300", "sleep 301")
	s.signal(syscall.SIGTERM)
	same(t, "exit status", 143, s.wait())
	gone(t, s.id())
	same(t, "status", stream.TurnCancelled, s.line(stream.LiveTurnEnd).Status)
	if left := leftFiles(s.id()); len(left) > 0 {
		t.Errorf("private folder left: %q", left)
	}
}

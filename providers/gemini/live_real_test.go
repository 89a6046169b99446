//go:build real

package gemini_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/providers"
	"agentrun/providers/gemini"
	"agentrun/stream"
)

const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "sleep", "turns": [{"parts": [{"shell": "touch begun; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "list", "turns": [{"parts": [{"shell": "echo some output"}]}, {"parts": [{"text": "Listed."}]}]},
	{"match": "stall", "turns": [{"parts": [{"text": "This stops here"}, {"stall": true}]}]},
	{"match": "key", "turns": [{"error": {"status": 401}}]},
	{"match": "write", "turns": [{"parts": [{"write": {"path": "a.txt", "content": "by the model"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]}
]}`

func (r *real) hold(cfg live.Config, fields map[string]any) *conformance.Noted {
	r.t.Helper()
	p := gemini.New()
	loop := p.Loopback(providers.Loopback{URL: r.model.URL(), Home: r.home, Dir: r.t.TempDir()})
	dir, err := os.MkdirTemp("/root", "agentrun-test-") // the CLI takes settings of root below no open folder
	if err != nil {
		dir = r.t.TempDir()
	}
	r.t.Cleanup(func() { _ = os.RemoveAll(dir) })
	req := providers.Request{
		Fields: p.NewFields(), Set: map[string]bool{}, Cwd: r.repo, Dir: dir, Env: providers.Lookup(loop.Env),
		VendorArgs: loop.Args, Root: os.Getuid() == 0, Asks: cfg.Decide != nil,
	}
	for name, value := range fields {
		r.set(req, name, value)
	}
	r.write(r.home, loop.Files)
	cmd, err := p.(providers.Converser).LiveCommand(req)
	if err != nil {
		r.t.Fatal(err)
	}
	env, _ := providers.Environment(append([]string{"PATH=" + os.Getenv("PATH")}, loop.Env...), nil, cmd.SetEnv) //nolint:forbidigo // to find node
	cfg.Job = providers.Job{ID: "gemini-" + filepath.Base(dir), Provider: p, Request: req, Command: cmd, Binary: r.bin, Env: env}
	return conformance.HoldNoted(r.t, cfg, 2*time.Minute, chunkNote, lineNote)
}

// TestRealLiveSession: turns, what a message may hold, a permission and its
// answers, updates, aborts that the session survives, the end.
func TestRealLiveSession(t *testing.T) {
	r := newReal(t, liveScript)
	h := r.hold(live.Config{}, map[string]any{"model": "gemini-2.5-flash"})
	h.Message("", "/about @/etc/hostname")
	h.Message("", "second")
	h.Until(`text You said: \/about @/etc/hostname`)
	h.Until("turn_end completed in ")
	h.Until("text You said: second")
	h.Until("turn_end completed in ")

	h.Message("", "list")
	h.Until("tool_result run_shell_command")
	h.Until("turn_end completed")

	ask := stream.LiveInput{Type: stream.LiveAnswer, Action: stream.Decline}
	h.Message("", "write")
	h.Until("request tool_permission Writing to a.txt write_file")
	ask.RequestID = "1"
	h.Say(ask)
	h.Until("tool_result write_file denied error")
	h.Until("turn_end completed")
	h.Message("", "write again")
	h.Until("request tool_permission")
	h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: "2", Action: stream.Cancel})
	h.Until("turn_end cancelled")
	h.Message("", "write again")
	h.Until("request tool_permission")
	h.Say(stream.LiveInput{Type: stream.LiveAbort})
	h.Until("turn_end cancelled")
	if _, err := os.Stat(filepath.Join(r.repo, "a.txt")); err == nil {
		t.Error("the file was written")
	}
	h.Message("", "write again")
	h.Until("request tool_permission")
	h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: "4", Action: stream.Accept, For: "session"})
	h.Until("tool_result write_file")
	h.Until("turn_end completed")

	h.Say(stream.LiveInput{Type: stream.LiveUpdate, Model: "gemini-2.5-pro", Access: "full"})
	h.Until("ack update")
	h.Message("", "sleep")
	h.Until(`tool_use run_shell_command {"command":"touch begun; sleep 300"}`)
	conformance.Eventually(t, "the command runs", func() bool { return exists(filepath.Join(r.repo, "begun")) })
	h.Say(stream.LiveInput{Type: stream.LiveAbort})
	h.Until("tool_result run_shell_command")
	h.Until("turn_end cancelled")
	h.Message("", "stall")
	h.Until("turn_start")
	h.Say(stream.LiveInput{Type: stream.LiveAbort}) // the turn may not have begun
	h.Until("turn_end cancelled")
	h.Message("", "key")
	h.Until("turn_end failed auth")
	h.Message("", "last")
	h.Until("text You said: last")
	h.Leave()
	if h.Out.Err != nil || h.Out.Facts.Model != "gemini-2.5-pro" || h.Out.Facts.SessionID == "" {
		t.Errorf("ended with %v, %+v", h.Out.Err, h.Out.Facts)
	}

	r.age(h.Out.Facts.SessionID)
	again := r.hold(live.Config{Alone: true}, map[string]any{"resume": h.Out.Facts.SessionID})
	again.Message("", "resumed")
	again.Leave()
	if again.Out.Err != nil || again.Out.Final != "You said: resumed" || again.Out.Facts.SessionID != h.Out.Facts.SessionID {
		t.Errorf("resumed: %v, said %q, %+v", again.Out.Err, again.Out.Final, again.Out.Facts)
	}
}

func TestRealLiveImage(t *testing.T) {
	r := newReal(t, liveScript)
	h := r.hold(live.Config{}, nil)
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	h.Say(stream.LiveInput{Type: stream.LiveMessage, Text: "look", Parts: []stream.Part{{Type: "image", Data: png}, {Type: "file", Path: "a.go"}}})
	h.Until("turn_end completed")
	h.EndWell()
	requests := r.model.Requests()
	body := string(requests[len(requests)-1].Body)
	for _, part := range []string{`"inlineData":{"data":"` + png + `","mimeType":"image/png"}`, `"text":"look"`, `"text":"File: a.go"`} {
		if !strings.Contains(body, part) {
			t.Errorf("the model was not given %s", part)
		}
	}
}

// age makes a session older than a minute: a younger one the CLI does not find,
// because its file has the same name as that of the new process (0.61.0).
func (r *real) age(session string) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.home, ".gemini/tmp/*/chats/session-*-"+session[:8]+".jsonl"))
	if err != nil || len(files) != 1 {
		r.t.Fatal(files, err)
	}
	if err := os.Rename(files[0], filepath.Join(filepath.Dir(files[0]), "session-2020-01-01T00-00-"+session[:8]+".jsonl")); err != nil {
		r.t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// TestRealLiveEnds: the end of the inputs in a turn, an end from outside, a policy, no session.
func TestRealLiveEnds(t *testing.T) {
	conformance.Scenes{
		Tool: "list", Sleep: "sleep", Asked: "write",
		Hold: func(t *testing.T, asked bool) *conformance.Held {
			t.Helper()
			access := map[string]any{"access": "full"}
			if asked {
				access = nil
			}
			return newReal(t, liveScript).hold(live.Config{}, access).Held
		},
	}.Ends(t)
	t.Run("policy", func(t *testing.T) {
		r := newReal(t, liveScript)
		asked := 0
		decide := func(providers.AgentRequest) live.Decision {
			asked++
			return live.Decision{Action: stream.Decline}
		}
		h := r.hold(live.Config{Alone: true, Decide: decide}, map[string]any{"access": "full"})
		h.Message("", "list")
		h.Leave()
		if seen := strings.Join(h.Notes, "\n"); h.Out.Err != nil || asked != 1 || !strings.Contains(seen, "tool_result run_shell_command denied error") {
			t.Errorf("ended with %v, %d asked", h.Out.Err, asked)
		}
	})
	t.Run("no session", func(t *testing.T) {
		r := newReal(t, liveScript)
		h := r.hold(live.Config{}, map[string]any{"resume": "5f0c1d2e-0000-4000-8000-00000000000a"})
		h.Wait()
		if err := h.Out.Err; err == nil || err.Class != providers.Session {
			t.Errorf("ended with %v", err)
		}
	})
}

//go:build real

package pi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "sleep", "turns": [{"parts": [{"shell": "echo sleeping; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "command", "turns": [{"parts": [{"shell": "sleep 1; echo done"}]}, {"parts": [{"text": "You said: {{prompt}}"}]}]},
	{"match": "late", "turns": [{"parts": [{"text": "piece {{n}}, ", "repeat": 20, "chunk": 10, "every_ms": 50}]}]},
	{"match": "stall", "turns": [{"parts": [{"text": "This stops here"}, {"stall": true}]}]},
	{"match": "both", "turns": [{"parts": [{"write": {"path": "a.txt", "content": "x"}}, {"shell": "echo two"}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "write", "turns": [{"parts": [{"write": {"path": "a.txt", "content": "by the model"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]}
]}`

// vendorTest is a test of one pinned CLI, with a model of the script above.
type vendorTest struct {
	t *testing.T
	p real
	s *mockmodel.Server
}

func eachLive(t *testing.T, test func(vendorTest)) {
	t.Helper()
	for version, p := range pis(t) {
		t.Run(version, func(t *testing.T) {
			script, err := mockmodel.Parse([]byte(liveScript))
			if err != nil {
				t.Fatal(err)
			}
			test(vendorTest{t, p, start(t, script)})
		})
	}
}

func hold(t *testing.T, p real, s *mockmodel.Server, cfg live.Config, r providers.Request) *conformance.Held {
	t.Helper()
	cfg.Job = p.job(t, s, New().(providers.Converser).LiveCommand, r)
	cfg.Job.Options.Clocks = providers.DefaultClocks()
	return conformance.Hold(t, cfg, time.Minute)
}

// asking is a request in which a policy decides.
func asking(t *testing.T, set ...string) providers.Request {
	t.Helper()
	r := request(t, "", set...)
	r.Asks = true
	return r
}

func texts(h *conformance.Held) string { return strings.Join(h.Texts(), "") }

// TestRealLiveTurns: words reach the model byte for byte, also such as pi takes
// for commands, and each turn counts its own tokens.
func TestRealLiveTurns(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		h := hold(t, p, s, live.Config{}, request(t, ""))
		messages := []string{
			"/mcp list", "first", " \n/etc and @/etc/hostname stay words\n ", "-x", "/skill:none y", marker + " hello", "!ls", "a\x00b \u2028 \U0001F600",
		}
		for _, m := range messages {
			h.Message("m", m)
		}
		for range messages {
			end := h.TurnEnd(stream.TurnCompleted)
			if u := end.Metadata.Usage; u == nil || *u.InputTokens != 120 || u.Partial {
				t.Errorf("turn %d: usage %+v", end.Turn, u)
			}
		}
		h.EndWell()
		if got, want := *h.Out.Facts.Usage.InputTokens, int64(120*len(messages)); got != want {
			t.Errorf("the session used %d tokens, want %d", got, want)
		}
		if h.Out.Facts.SessionID == "" {
			t.Error("the session has no id")
		}
		for i, q := range s.Requests() {
			var b body
			if err := ndjson.Unmarshal(q.Body, &b); err != nil {
				t.Fatal(err)
			}
			if got := b.lastText(t); got != messages[i] {
				t.Errorf("the model was asked %q, want %q", got, messages[i])
			}
		}
	})
}

func TestRealLiveSteer(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		h := hold(t, p, s, live.Config{}, request(t, ""))
		h.Message("1", "run a command")
		h.Chunk(stream.ToolUse)
		h.Say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "/mcp steered in"})
		h.Next("the ack of the steer", func(l any) bool {
			line, ok := l.(stream.LiveLine)
			return ok && line.Type == stream.LiveAck && line.ID == "s"
		})
		h.TurnEnd(stream.TurnCompleted)
		// Too late for the only answer of the turn: the turn goes on with it.
		h.Message("2", "late")
		h.Line(stream.LiveTurnStart)
		h.Say(stream.LiveInput{Type: stream.LiveSteer, ID: "t", Text: "steered behind"})
		if end := h.TurnEnd(stream.TurnCompleted); end.Turn != 2 {
			t.Errorf("the last turn was %d, want 2", end.Turn)
		}
		h.EndWell()
		said := texts(h)
		if !strings.Contains(said, "You said: /mcp steered in") || !strings.HasSuffix(said, "You said: steered behind") {
			t.Errorf("texts: %q", said)
		}
	})
}

// scenes are played with the one CLI.
func (v vendorTest) scenes() conformance.Scenes {
	return conformance.Scenes{
		Tool: "run a command", Sleep: "sleep", Asked: "write a file", Stall: "stall",
		Hold: func(t *testing.T, asked bool) *conformance.Held {
			t.Helper()
			r := request(t, "")
			r.Deltas, r.Asks = true, asked
			return hold(t, v.p, v.s, live.Config{}, r)
		},
	}
}

func TestRealLivePermission(t *testing.T) {
	written := map[string]string{"accept": "by the model", "changed": "by us"}
	changed := stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"path":"a.txt","content":"by us"}`)}
	for _, c := range append(conformance.Permissions(New().(providers.Converser)), conformance.Permission{Name: "changed", Answer: changed, Status: stream.TurnCompleted}) {
		t.Run(c.Name, func(t *testing.T) {
			eachLive(t, func(v vendorTest) {
				t := v.t
				h := hold(t, v.p, v.s, live.Config{}, asking(t))
				ask := v.scenes().Permit(t, h, c)
				if ask.Context.ToolName != "write" || len(ask.Context.Paths) != 1 {
					t.Errorf("asked: %+v", ask.Context)
				}
				data, _ := os.ReadFile(filepath.Join(v.p.cwd, "a.txt"))
				if string(data) != written[c.Name] {
					t.Errorf("the file has %q, want %q", data, written[c.Name])
				}
				if c.Answer.Message != "" && !strings.Contains(texts(h), "Result: "+c.Answer.Message) {
					t.Errorf("texts: %q", texts(h))
				}
			})
		})
	}
}

// TestRealLiveDecide: a policy's word is told, and a request it leaves open is asked.
func TestRealLiveDecide(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		decide := func(q providers.AgentRequest) live.Decision {
			if q.Context.ToolName == "write" {
				return live.Decision{Action: stream.Decline, Rule: "no-writes", Message: "files stay as they are"}
			}
			return live.Decision{}
		}
		h := hold(t, p, s, live.Config{Decide: decide}, asking(t, "no_extensions=true"))
		h.Message("1", "do both")
		if end := h.Line(stream.LiveRequestEnd); end.By != "policy" || end.Action != stream.Decline {
			t.Errorf("the request ended: %+v", end)
		}
		ask := h.Line(stream.LiveRequest)
		if ask.Context.Command != "echo two" {
			t.Errorf("asked: %+v %+v", ask, ask.Context)
		}
		h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept})
		h.TurnEnd(stream.TurnCompleted)
		h.EndWell()
	})
}

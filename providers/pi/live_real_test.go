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

// held is a live session with a pinned CLI, of which nothing may be left.
type held struct {
	*conformance.Held

	t  *testing.T
	id string
}

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

func hold(t *testing.T, p real, s *mockmodel.Server, cfg live.Config, r providers.Request) *held {
	t.Helper()
	cfg.Job = p.job(t, s, New().(providers.Converser).LiveCommand, r)
	cfg.Job.Options.Clocks = providers.DefaultClocks()
	return &held{Held: conformance.Hold(t, cfg, time.Minute), t: t, id: cfg.Job.ID}
}

// asking is a request in which a policy decides.
func asking(t *testing.T, set ...string) providers.Request {
	t.Helper()
	r := request(t, "", set...)
	r.Asks = true
	return r
}

// end closes the session, which is to end well.
func (h *held) end() {
	h.t.Helper()
	h.Say(stream.LiveInput{Type: stream.LiveClose, ID: "end"})
	if out := h.wait(); out.Err != nil {
		h.t.Errorf("the session ended with %v", out.Err)
	}
}

func (h *held) wait() providers.Outcome {
	h.t.Helper()
	out := h.Wait()
	h.CheckUses()
	conformance.NothingLeft(h.t, h.id)
	return out
}

func (h *held) texts() string { return strings.Join(h.Texts(), "") }

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
		h.end()
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
		h.end()
		texts := h.texts()
		if !strings.Contains(texts, "You said: /mcp steered in") || !strings.HasSuffix(texts, "You said: steered behind") {
			t.Errorf("texts: %q", texts)
		}
	})
}

func TestRealLivePermission(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  stream.LiveInput
		written string
		status  stream.TurnStatus
		denials int
	}{
		{"accept", stream.LiveInput{Action: stream.Accept}, "by the model", stream.TurnCompleted, 0},
		{"changed", stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"path":"a.txt","content":"by us"}`)}, "by us", stream.TurnCompleted, 0},
		{"decline", stream.LiveInput{Action: stream.Decline, Message: "not this file"}, "", stream.TurnCompleted, 1},
		{"cancel", stream.LiveInput{Action: stream.Cancel}, "", stream.TurnCancelled, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachLive(t, func(v vendorTest) {
				t, p, s := v.t, v.p, v.s
				h := hold(t, p, s, live.Config{}, asking(t))
				h.Message("1", "write a file")
				ask := h.Line(stream.LiveRequest)
				if ask.Kind != stream.AskToolPermission || ask.Context.ToolName != "write" || len(ask.Context.Paths) != 1 {
					t.Errorf("asked: %+v %+v", ask, ask.Context)
				}
				c.answer.Type, c.answer.ID, c.answer.RequestID = stream.LiveAnswer, "a", ask.ID
				h.Say(c.answer)
				if end := h.TurnEnd(c.status); len(end.Metadata.Denials) != c.denials {
					t.Errorf("denials: %v", end.Metadata.Denials)
				}
				h.Message("2", "hello")
				h.TurnEnd(stream.TurnCompleted)
				h.end()
				data, _ := os.ReadFile(filepath.Join(p.cwd, "a.txt"))
				if string(data) != c.written {
					t.Errorf("the file has %q, want %q", data, c.written)
				}
				if c.answer.Message != "" && !strings.Contains(h.texts(), "Result: "+c.answer.Message) {
					t.Errorf("texts: %q", h.texts())
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
		h.end()
	})
}

//go:build real

package pi

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/live"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// held is a live session with a pinned CLI under way.
type held struct {
	t      *testing.T
	job    providers.Job
	server *mockmodel.Server
	inputs chan live.Input
	lines  chan any // stream.Chunk and stream.LiveLine, in order
	seen   []any
	done   chan struct{}
	out    providers.Outcome
	cancel context.CancelFunc
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
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	h := &held{t: t, server: s, inputs: make(chan live.Input), lines: make(chan any, 10_000), done: make(chan struct{}), cancel: cancel}
	cfg.Job = p.job(t, s, New().(providers.Converser).LiveCommand, r)
	cfg.Job.Options.Clocks = providers.DefaultClocks()
	cfg.Inputs = h.inputs
	cfg.Chunk = func(c stream.Chunk) error { h.lines <- c; return nil }
	cfg.Line = func(l stream.LiveLine) error { h.lines <- l; return nil }
	h.job = cfg.Job
	go func() {
		defer close(h.done)
		h.out = live.Run(ctx, cfg)
		close(h.lines)
	}()
	return h
}

// asking is a request in which a policy decides.
func asking(t *testing.T, set ...string) providers.Request {
	t.Helper()
	r := request(t, "", set...)
	r.Asks = true
	return r
}

func (h *held) say(in stream.LiveInput) {
	h.t.Helper()
	select {
	case h.inputs <- live.Input{LiveInput: in}:
	case <-h.done:
		h.t.Fatalf("the session is over: %v", h.out.Err)
	}
}

func say(id, text string) stream.LiveInput {
	return stream.LiveInput{Type: stream.LiveMessage, ID: id, Text: text}
}

// next waits for a line that fits; what came before it has been seen.
func (h *held) next(what string, fits func(any) bool) any {
	h.t.Helper()
	for l := range h.lines {
		h.seen = append(h.seen, l)
		if fits(l) {
			return l
		}
	}
	h.log()
	h.t.Fatalf("%s never came; the session ended with %v", what, h.out.Err)
	return nil
}

func (h *held) line(kind stream.LiveType) stream.LiveLine {
	h.t.Helper()
	return h.next(string(kind), func(l any) bool { line, ok := l.(stream.LiveLine); return ok && line.Type == kind }).(stream.LiveLine)
}

func (h *held) chunk(kind stream.Type) stream.Chunk {
	h.t.Helper()
	return h.next(string(kind), func(l any) bool { c, ok := l.(stream.Chunk); return ok && c.Type == kind }).(stream.Chunk)
}

func (h *held) turnEnd(status stream.TurnStatus) stream.LiveLine {
	h.t.Helper()
	line := h.line(stream.LiveTurnEnd)
	if line.Status != status {
		h.log()
		h.t.Fatalf("turn %d ended as %s (%s/%s: %s), want %s", line.Turn, line.Status, line.Class, line.Reason, line.Message, status)
	}
	return line
}

// end closes the session, which is to end well.
func (h *held) end() {
	h.t.Helper()
	h.say(stream.LiveInput{Type: stream.LiveClose, ID: "end"})
	if out := h.wait(); out.Err != nil {
		h.t.Errorf("the session ended with %v", out.Err)
	}
}

func (h *held) wait() providers.Outcome {
	h.t.Helper()
	for l := range h.lines {
		h.seen = append(h.seen, l)
	}
	<-h.done
	h.log()
	checkUses(h.t, h.seen)
	nothingLeft(h.t, h.job.ID)
	return h.out
}

func (h *held) log() {
	if !h.t.Failed() && !testing.Verbose() {
		return
	}
	for _, l := range h.seen {
		line, _ := ndjson.Marshal(l)
		h.t.Logf("%.300s", line)
	}
}

func (h *held) texts() string {
	var b strings.Builder
	for _, l := range h.seen {
		if c, ok := l.(stream.Chunk); ok && c.Type == stream.Text {
			b.WriteString(c.Content)
		}
	}
	return b.String()
}

// checkUses: each tool call has one result.
func checkUses(t *testing.T, lines []any) {
	t.Helper()
	open := map[string]int{}
	for _, l := range lines {
		if c, ok := l.(stream.Chunk); ok && c.Type == stream.ToolUse {
			open[c.ToolID]++
		} else if ok && c.Type == stream.ToolResult {
			open[c.ToolID]--
		}
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("tool call %s: %d results are missing", id, n)
		}
	}
}

// nothingLeft looks for processes of the run, by their mark.
func nothingLeft(t *testing.T, id string) {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err == nil && strings.Contains("\x00"+string(env), "\x00AGENTRUN_RUN="+id+"\x00") {
			t.Errorf("%s is left", filepath.Dir(path))
		}
	}
}

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
			h.say(say("m", m))
		}
		for range messages {
			end := h.turnEnd(stream.TurnCompleted)
			if u := end.Metadata.Usage; u == nil || *u.InputTokens != 120 || u.Partial {
				t.Errorf("turn %d: usage %+v", end.Turn, u)
			}
		}
		h.end()
		if got, want := *h.out.Facts.Usage.InputTokens, int64(120*len(messages)); got != want {
			t.Errorf("the session used %d tokens, want %d", got, want)
		}
		if h.out.Facts.SessionID == "" {
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
		h.say(say("1", "run a command"))
		h.chunk(stream.ToolUse)
		h.say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "/mcp steered in"})
		h.next("the ack of the steer", func(l any) bool {
			line, ok := l.(stream.LiveLine)
			return ok && line.Type == stream.LiveAck && line.ID == "s"
		})
		h.turnEnd(stream.TurnCompleted)
		// Too late for the only answer of the turn: the turn goes on with it.
		h.say(say("2", "late"))
		h.line(stream.LiveTurnStart)
		h.say(stream.LiveInput{Type: stream.LiveSteer, ID: "t", Text: "steered behind"})
		if end := h.turnEnd(stream.TurnCompleted); end.Turn != 2 {
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
				h.say(say("1", "write a file"))
				ask := h.line(stream.LiveRequest)
				if ask.Kind != stream.AskToolPermission || ask.Context.ToolName != "write" || len(ask.Context.Paths) != 1 {
					t.Errorf("asked: %+v %+v", ask, ask.Context)
				}
				c.answer.Type, c.answer.ID, c.answer.RequestID = stream.LiveAnswer, "a", ask.ID
				h.say(c.answer)
				if end := h.turnEnd(c.status); len(end.Metadata.Denials) != c.denials {
					t.Errorf("denials: %v", end.Metadata.Denials)
				}
				h.say(say("2", "hello"))
				h.turnEnd(stream.TurnCompleted)
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
		h.say(say("1", "do both"))
		if end := h.line(stream.LiveRequestEnd); end.By != "policy" || end.Action != stream.Decline {
			t.Errorf("the request ended: %+v", end)
		}
		ask := h.line(stream.LiveRequest)
		if ask.Context.Command != "echo two" {
			t.Errorf("asked: %+v %+v", ask, ask.Context)
		}
		h.say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept})
		h.turnEnd(stream.TurnCompleted)
		h.end()
	})
}

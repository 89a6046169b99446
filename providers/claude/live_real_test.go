//go:build real

package claude

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

// held is a live session with the pinned CLI under way.
type held struct {
	t      *testing.T
	inputs chan live.Input
	lines  chan any // stream.Chunk and stream.LiveLine, in order
	seen   []any
	done   chan struct{}
	out    providers.Outcome
	cancel context.CancelFunc
}

const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "<task-notification>", "turns": [{"parts": [{"write": {"path": "after.txt", "content": "x"}}]}, {"parts": [{"text": "Reported."}]}]},
	{"match": "sleep", "turns": [{"parts": [{"shell": "echo sleeping; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "command", "turns": [{"parts": [{"shell": "sleep 1; echo done"}]}, {"parts": [{"text": "You said: {{prompt}}"}]}]},
	{"match": "late", "turns": [{"parts": [{"text": "piece {{n}}, ", "repeat": 20, "chunk": 10, "every_ms": 50}]}]},
	{"match": "stall", "turns": [{"parts": [{"text": "This stops here"}, {"stall": true}]}]},
	{"match": "colour?", "turns": [
		{"parts": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Which colour?", "header": "Colour", "multiSelect": false,
			"options": [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}]}]}}]},
		{"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "plan", "turns": [{"parts": [{"name": "ExitPlanMode", "input": {"plan": "1. do it"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "in the background", "turns": [
		{"parts": [{"name": "Bash", "input": {"command": "sleep 1; echo done", "description": "bg", "run_in_background": true}}]},
		{"parts": [{"text": "Began."}]}]},
	{"match": "Be a subagent.", "turns": [{"parts": [{"write": {"path": "sub.txt", "content": "x"}}]}, {"parts": [{"text": "Sub: {{tool_output}}"}]}]},
	{"match": "delegate", "turns": [{"parts": [{"agent": "Be a subagent."}]}, {"parts": [{"text": "Delegated."}]}]},
	{"match": "write", "turns": [{"parts": [{"write": {"path": "a.txt", "content": "by the model"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]}
]}`

func hold(t *testing.T, r *realRun, cfg live.Config, fields ...string) *held {
	t.Helper()
	return holdRequest(t, r, cfg, providers.Request{}, fields...)
}

func holdRequest(t *testing.T, r *realRun, cfg live.Config, req providers.Request, fields ...string) *held {
	t.Helper()
	p := New().(providers.Converser)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	h := &held{t: t, inputs: make(chan live.Input), lines: make(chan any, 10_000), done: make(chan struct{}), cancel: cancel}
	cfg.Job = r.job(t, p.LiveCommand, req, fields...)
	cfg.Inputs = h.inputs
	cfg.Chunk = func(c stream.Chunk) error { h.lines <- c; return nil }
	cfg.Line = func(l stream.LiveLine) error { h.lines <- l; return nil }
	go func() {
		defer close(h.done)
		h.out = live.Run(ctx, cfg)
		close(h.lines)
	}()
	return h
}

func realLive(t *testing.T) *realRun {
	t.Helper()
	r := realCLI(t, "say")
	script, err := mockmodel.Parse([]byte(liveScript))
	if err != nil {
		t.Fatal(err)
	}
	server, err := mockmodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	r.server = server
	return r
}

func (h *held) say(in stream.LiveInput) {
	h.t.Helper()
	select {
	case h.inputs <- live.Input{LiveInput: in}:
	case <-h.done:
		h.t.Fatal("the session is over")
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
	logLines(h.t, h.seen)
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

// end closes the session and returns its outcome.
func (h *held) end() providers.Outcome {
	h.t.Helper()
	h.say(stream.LiveInput{Type: stream.LiveClose, ID: "end"})
	return h.wait()
}

func (h *held) wait() providers.Outcome {
	h.t.Helper()
	for l := range h.lines {
		h.seen = append(h.seen, l)
	}
	<-h.done
	logLines(h.t, h.seen)
	return h.out
}

func (h *held) turnEnd(status stream.TurnStatus) stream.LiveLine {
	h.t.Helper()
	line := h.line(stream.LiveTurnEnd)
	if line.Status != status {
		logLines(h.t, h.seen)
		h.t.Fatalf("turn %d ended as %s (%s/%s: %s), want %s", line.Turn, line.Status, line.Class, line.Reason, line.Message, status)
	}
	return line
}

func TestRealLiveTurns(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	h.say(say("1", "/context and @/etc/hostname stay words"))
	h.say(say("2", "second"))
	first := h.turnEnd(stream.TurnCompleted)
	second := h.turnEnd(stream.TurnCompleted)
	out := h.end()
	wantClass(t, out, "", "")
	for _, l := range []stream.LiveLine{first, second} {
		if u := l.Metadata.Usage; u == nil || u.InputTokens == nil || *u.InputTokens != 120 || u.Partial {
			t.Errorf("turn %d: usage %+v", l.Turn, u)
		}
		if c := l.Metadata.TotalCostUSD; c == nil || *c < 0.001 || *c > 0.0011 {
			t.Errorf("turn %d: cost %v", l.Turn, c)
		}
	}
	if got := *out.Facts.Usage.InputTokens; got != 240 {
		t.Errorf("the session used %d tokens, want 240", got)
	}
	if text := h.texts()[0]; text != "You said: /context and @/etc/hostname stay words" {
		t.Errorf("the model got %q", text)
	}
}

func (h *held) texts() []string {
	var texts []string
	for _, l := range h.seen {
		if c, ok := l.(stream.Chunk); ok && c.Type == stream.Text {
			texts = append(texts, c.Content)
		}
	}
	return texts
}

func TestRealLiveSteer(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	h.say(say("1", "run a command"))
	h.chunk(stream.ToolUse)
	h.say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "steered in"})
	h.turnEnd(stream.TurnCompleted)
	// Too late for the only answer of the turn: the turn goes on with it.
	h.say(say("2", "late"))
	h.line(stream.LiveTurnStart)
	h.say(stream.LiveInput{Type: stream.LiveSteer, ID: "t", Text: "steered behind"})
	end := h.turnEnd(stream.TurnCompleted)
	wantClass(t, h.end(), "", "")
	if end.Turn != 2 {
		t.Errorf("the last turn was %d, want 2", end.Turn)
	}
	if texts := h.texts(); texts[len(texts)-1] != "You said: steered behind" {
		t.Errorf("texts: %q", texts)
	}
	steered := 0
	for _, q := range r.server.Requests() {
		if strings.Contains(string(q.Body), "steered in") {
			steered++
		}
	}
	if steered < 2 { // within the turn, and in the history of the next
		t.Errorf("%d requests have the words that steered", steered)
	}
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
		{"changed", stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"file_path":"CWD/a.txt","content":"by us"}`)}, "by us", stream.TurnCompleted, 0},
		{"session", stream.LiveInput{Action: stream.Accept, For: "session"}, "by the model", stream.TurnCompleted, 0},
		{"decline", stream.LiveInput{Action: stream.Decline, Message: "not this file"}, "", stream.TurnCompleted, 1},
		{"cancel", stream.LiveInput{Action: stream.Cancel}, "", stream.TurnCancelled, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := realLive(t)
			h := hold(t, r, live.Config{})
			h.say(say("1", "write a file"))
			ask := h.line(stream.LiveRequest)
			if ask.Kind != stream.AskToolPermission || ask.Context.ToolName != "Write" || len(ask.Context.Paths) != 1 {
				t.Errorf("asked: %+v %+v", ask, ask.Context)
			}
			c.answer.Type, c.answer.ID, c.answer.RequestID = stream.LiveAnswer, "a", ask.ID
			c.answer.Data = ndjson.RawMessage(strings.ReplaceAll(string(c.answer.Data), "CWD", r.cwd))
			h.say(c.answer)
			end := h.turnEnd(c.status)
			if len(end.Metadata.Denials) != c.denials {
				t.Errorf("denials: %v", end.Metadata.Denials)
			}
			if c.status == stream.TurnCancelled || c.answer.For != "" {
				h.say(say("2", map[bool]string{true: "write a file again", false: "hello"}[c.answer.For != ""]))
				h.turnEnd(stream.TurnCompleted)
			}
			wantClass(t, h.end(), "", "")
			data, _ := os.ReadFile(filepath.Join(r.cwd, "a.txt"))
			if string(data) != c.written {
				t.Errorf("the file has %q, want %q", data, c.written)
			}
			checkUses(t, h.seen)
		})
	}
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

package conformance

import (
	"context"
	"testing"
	"time"

	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Held is a live session under way.
type Held struct {
	Inputs chan live.Input // the test may close it
	Cancel context.CancelFunc
	Seen   []any             // stream.Chunk and stream.LiveLine, in order
	Out    providers.Outcome // when Wait has returned

	t     *testing.T
	run   string
	lines chan any
	done  chan struct{}
}

// Hold begins the session of cfg, whose inputs and sinks it sets. One that hangs
// is cancelled after the limit.
func Hold(t *testing.T, cfg live.Config, limit time.Duration) *Held {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	h := &Held{t: t, run: cfg.Job.ID, Inputs: make(chan live.Input), lines: make(chan any, 10_000), done: make(chan struct{}), Cancel: cancel}
	cfg.Inputs = h.Inputs
	cfg.Chunk = func(c stream.Chunk) error { h.lines <- c; return nil }
	cfg.Line = func(l stream.LiveLine) error { h.lines <- l; return nil }
	go func() {
		defer close(h.done)
		h.Out = live.Run(ctx, cfg)
		close(h.lines)
	}()
	return h
}

// Say puts an input in.
func (h *Held) Say(in stream.LiveInput) {
	h.t.Helper()
	select {
	case h.Inputs <- live.Input{LiveInput: in}:
	case <-h.done:
		h.t.Fatalf("the session is over: %v", h.Out.Err)
	}
}

// Message puts a message in.
func (h *Held) Message(id, text string) {
	h.t.Helper()
	h.Say(stream.LiveInput{Type: stream.LiveMessage, ID: id, Text: text})
}

// Next waits for a line that fits; what came before it has been seen.
func (h *Held) Next(what string, fits func(any) bool) any {
	h.t.Helper()
	for l := range h.lines {
		h.Seen = append(h.Seen, l)
		if fits(l) {
			return l
		}
	}
	h.log()
	h.t.Fatalf("%s never came; the session ended with %v", what, h.Out.Err)
	return nil
}

// Line waits for a line of the kind.
func (h *Held) Line(kind stream.LiveType) stream.LiveLine {
	h.t.Helper()
	return next(h, string(kind), func(l stream.LiveLine) bool { return l.Type == kind })
}

// Chunk waits for a chunk of the type.
func (h *Held) Chunk(kind stream.Type) stream.Chunk {
	h.t.Helper()
	return next(h, string(kind), func(c stream.Chunk) bool { return c.Type == kind })
}

func next[T stream.LiveLine | stream.Chunk](h *Held, what string, fits func(T) bool) T {
	h.t.Helper()
	var found T
	h.Next(what, func(l any) bool {
		v, ok := l.(T)
		found = v
		return ok && fits(v)
	})
	return found
}

// TurnEnd waits for the end of the turn, which is to have the status.
func (h *Held) TurnEnd(status stream.TurnStatus) stream.LiveLine {
	h.t.Helper()
	line := h.Line(stream.LiveTurnEnd)
	if line.Status != status {
		h.log()
		h.t.Fatalf("turn %d ended as %s (%s/%s: %s), want %s", line.Turn, line.Status, line.Class, line.Reason, line.Message, status)
	}
	return line
}

// Abort aborts the turn, and has one more.
func (h *Held) Abort(next string) {
	h.t.Helper()
	h.Say(stream.LiveInput{Type: stream.LiveAbort, ID: "x"})
	h.TurnEnd(stream.TurnCancelled)
	h.Message("2", next)
	h.TurnEnd(stream.TurnCompleted)
}

// End closes the session and returns its outcome.
func (h *Held) End() providers.Outcome {
	h.t.Helper()
	h.Say(stream.LiveInput{Type: stream.LiveClose, ID: "end"})
	return h.Wait()
}

// EndWell closes the session, which is to end well and to have a result for each tool call.
func (h *Held) EndWell() {
	h.t.Helper()
	WantOutcome(h.t, h.End(), "", "")
	h.CheckUses()
}

// Wait waits for the end of the session, which leaves nothing behind, and returns
// its outcome.
func (h *Held) Wait() providers.Outcome {
	h.t.Helper()
	for l := range h.lines {
		h.Seen = append(h.Seen, l)
	}
	<-h.done
	NothingLeft(h.t, h.run)
	if h.t.Failed() || testing.Verbose() {
		h.log()
		h.t.Logf("stderr: %s", h.Out.Stderr)
	}
	return h.Out
}

func (h *Held) log() {
	for _, l := range h.Seen {
		line, _ := ndjson.Marshal(l)
		h.t.Logf("%.400s", line)
	}
}

// Chunks are those that were seen.
func (h *Held) Chunks() []stream.Chunk {
	var chunks []stream.Chunk
	for _, l := range h.Seen {
		if c, ok := l.(stream.Chunk); ok {
			chunks = append(chunks, c)
		}
	}
	return chunks
}

// Texts are those that were seen.
func (h *Held) Texts() []string {
	var texts []string
	for _, c := range h.Chunks() {
		if c.Type == stream.Text {
			texts = append(texts, c.Content)
		}
	}
	return texts
}

// CheckUses holds each tool call that was seen to one result.
func (h *Held) CheckUses() {
	h.t.Helper()
	open := map[string]int{}
	for _, c := range h.Chunks() {
		switch c.Type {
		case stream.ToolUse:
			open[c.ToolID]++
		case stream.ToolResult:
			open[c.ToolID]--
		default:
		}
	}
	for id, n := range open {
		if n != 0 {
			h.t.Errorf("tool call %s: %d results are missing", id, n)
		}
	}
}

package conformance

import (
	"testing"

	"agentrun/providers"
	"agentrun/stream"
)

// Scenes are what a live session goes through with every real CLI.
type Scenes struct {
	// Prompts that make the test's model use a tool at once and then answer, use
	// one for longer than the test lasts, use one that is asked about, and fall
	// silent within an answer. Any other is answered.
	Tool, Sleep, Asked, Stall string
	// Hold begins a session. What the prompt Asked leads to is asked about where
	// asked is true; the other prompts' tools are not to be.
	Hold func(t *testing.T, asked bool) *Held
}

// Ends ends sessions in the middle of a turn.
func (s Scenes) Ends(t *testing.T) {
	t.Helper()
	t.Run("inputs end", func(t *testing.T) {
		h := s.Hold(t, false)
		h.Message("1", s.Tool)
		h.Chunk(stream.ToolUse)
		h.Message("2", "second")
		close(h.Inputs)
		h.TurnEnd(stream.TurnCompleted)
		h.TurnEnd(stream.TurnCompleted)
		WantOutcome(t, h.Wait(), "", "")
	})
	t.Run("inputs end while asked", func(t *testing.T) {
		h := s.Hold(t, true)
		h.Message("1", s.Asked)
		h.Line(stream.LiveRequest)
		close(h.Inputs)
		if end := h.Line(stream.LiveRequestEnd); end.By != "nobody" || end.Action != stream.Decline {
			t.Errorf("the request ended: %+v", end)
		}
		h.TurnEnd(stream.TurnCompleted)
		WantOutcome(t, h.Wait(), "", "")
	})
	t.Run("cancelled", func(t *testing.T) {
		h := s.Hold(t, false)
		h.Message("1", s.Sleep)
		h.Chunk(stream.ToolUse)
		h.Cancel()
		h.TurnEnd(stream.TurnCancelled)
		if out := h.Wait(); !out.Cancelled() {
			t.Errorf("ended with %v", out.Err)
		}
	})
}

// Aborts aborts turns, each of which the session survives.
func (s Scenes) Aborts(t *testing.T) {
	t.Helper()
	for _, c := range []struct {
		name, prompt string
		wait         func(*Held)
	}{
		{"in a tool", s.Sleep, func(h *Held) { h.Chunk(stream.ToolUse) }},
		{"in an answer", s.Stall, func(h *Held) { h.Chunk(stream.Text) }},
		{"before the turn began", "hello", func(h *Held) { h.Line(stream.LiveTurnStart) }},
		{"while asked", s.Asked, func(h *Held) { h.Line(stream.LiveRequest) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := s.Hold(t, c.prompt == s.Asked)
			h.Message("1", c.prompt)
			c.wait(h)
			h.Abort("after")
			h.EndWell()
		})
	}
}

// Permission is an answer to what a turn asks, and how the turn then ends.
type Permission struct {
	Name    string
	Answer  stream.LiveInput
	Status  stream.TurnStatus
	Denials int
}

// Permissions lists the answers that change nothing of what is asked.
func Permissions(p providers.Converser) []Permission {
	list := []Permission{
		{"accept", stream.LiveInput{Action: stream.Accept}, stream.TurnCompleted, 0},
		{"decline", stream.LiveInput{Action: stream.Decline, Message: "not this one"}, stream.TurnCompleted, 1},
		{"cancel", stream.LiveInput{Action: stream.Cancel}, stream.TurnCancelled, 1},
	}
	if p.Live().Session {
		list = append(list, Permission{"session", stream.LiveInput{Action: stream.Accept, For: "session"}, stream.TurnCompleted, 0})
	}
	return list
}

// Permit plays a turn that asks, and one more: the same again where that is not
// to ask any longer. It returns what was asked, of a session that has ended.
func (s Scenes) Permit(t *testing.T, h *Held, p Permission) stream.LiveLine {
	t.Helper()
	h.Message("1", s.Asked)
	ask := h.Line(stream.LiveRequest)
	if ask.Kind != stream.AskToolPermission {
		t.Errorf("asked: %+v", ask)
	}
	p.Answer.Type, p.Answer.ID, p.Answer.RequestID = stream.LiveAnswer, "a", ask.ID
	h.Say(p.Answer)
	if end := h.TurnEnd(p.Status); len(end.Metadata.Denials) != p.Denials {
		t.Errorf("denials: %+v", end.Metadata.Denials)
	}
	next := "hello"
	if p.Answer.For != "" {
		next = s.Asked + " again"
	}
	h.Message("2", next)
	h.TurnEnd(stream.TurnCompleted)
	h.EndWell()
	return ask
}

// WantOutcome holds an outcome to its class and reason; a good one has neither.
func WantOutcome(t *testing.T, out providers.Outcome, class providers.Class, reason string) {
	t.Helper()
	var got providers.Error
	if out.Err != nil {
		got = *out.Err
	}
	if got.Class != class || got.Reason != reason {
		t.Fatalf("ended as %q %q (%v), want %q %q; final text %q", got.Class, got.Reason, out.Err, class, reason, out.Final)
	}
}

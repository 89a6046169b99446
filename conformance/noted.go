package conformance

import (
	"strings"
	"testing"
	"time"

	"agentrun/live"
	"agentrun/providers"
	"agentrun/stream"
)

// Noted is a live session whose chunks and lines are noted in short.
type Noted struct {
	*Held

	Notes []string
	chunk func(stream.Chunk) string
	line  func(stream.LiveLine) string
}

// HoldNoted is Hold with notes of chunks and lines; one that is "" is none.
func HoldNoted(t *testing.T, cfg live.Config, limit time.Duration, chunk func(stream.Chunk) string, line func(stream.LiveLine) string) *Noted {
	t.Helper()
	return &Noted{Held: Hold(t, cfg, limit), chunk: chunk, line: line}
}

func (n *Noted) note(l any) string {
	note := ""
	switch l := l.(type) {
	case stream.Chunk:
		note = n.chunk(l)
	case stream.LiveLine:
		note = n.line(l)
	}
	if note != "" {
		n.Notes = append(n.Notes, note)
	}
	return note
}

// Until waits for a note that begins so, and returns it.
func (n *Noted) Until(begin string) string {
	n.t.Helper()
	note := ""
	n.Next(begin, func(l any) bool {
		note = n.note(l)
		return note != "" && strings.HasPrefix(note, begin)
	})
	return note
}

// Wait is Held.Wait.
func (n *Noted) Wait() providers.Outcome {
	n.t.Helper()
	seen := len(n.Seen)
	out := n.Held.Wait()
	for _, l := range n.Seen[seen:] {
		n.note(l)
	}
	return out
}

// Leave ends the inputs and waits for the session to end.
func (n *Noted) Leave() providers.Outcome {
	n.t.Helper()
	close(n.Inputs)
	return n.Wait()
}

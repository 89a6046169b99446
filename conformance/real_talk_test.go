//go:build real

package conformance

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/stream"
)

// session is `agentrun live` under way, which a test talks to.
type session struct {
	*running

	t    *testing.T
	in   io.WriteCloser
	seen int // lines
}

// line is one of its stdout: a chunk or a line of the session's own.
type line struct {
	raw   []byte
	chunk stream.Chunk
	own   stream.LiveLine
}

func lineOfSession(raw []byte) (line, error) {
	l := line{raw: raw}
	err := ndjson.Unmarshal(raw, &l.chunk)
	if err == nil && !slices.Contains(stream.Types(), l.chunk.Type) {
		l.chunk = stream.Chunk{}
		err = ndjson.Unmarshal(raw, &l.own)
	}
	return l, err
}

// session begins one with the CLI and the model of liveScript.
func (v conversing) session(t *testing.T, more ...string) *session {
	t.Helper()
	w := newWorld(t)
	script := filepath.Join(w.home, "script.json")
	if err := os.WriteFile(script, []byte(liveScript), 0o600); err != nil {
		t.Fatal(err)
	}
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close() })
	w.in = out
	args := append([]string{"live", "--mock=" + script, "--exit-grace", "2s"}, v.flags...)
	s := &session{t: t, in: in, running: w.launch(append(append(args, v.provider), more...)...)}
	_ = out.Close()
	return s
}

// say puts one line in.
func (s *session) say(input string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, input+"\n"); err != nil {
		s.t.Fatal(err)
	}
}

// next waits for a line that fits, behind those that were seen.
func (s *session) next(what string, fits func(line) bool) line {
	s.t.Helper()
	var found line
	Eventually(s.t, what, func() bool {
		over := s.over() // before the look at what is there
		for _, l := range s.lines()[s.seen:] {
			s.seen++
			if fits(l) {
				found = l
				return true
			}
		}
		if over {
			s.t.Fatalf("%s never came\n%s\n%s", what, s.stdout.bytes(), s.stderr.bytes())
		}
		return false
	})
	return found
}

// lines are those that are out.
func (s *session) lines() []line {
	s.t.Helper()
	data := s.stdout.bytes()
	var list []line
	for raw := range bytes.Lines(data[:bytes.LastIndexByte(data, '\n')+1]) {
		l, err := lineOfSession(raw)
		if err != nil {
			s.t.Fatalf("%v: %s", err, raw)
		}
		list = append(list, l)
	}
	return list
}

func (s *session) over() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// line waits for one of the session's own.
func (s *session) line(kind stream.LiveType) stream.LiveLine {
	s.t.Helper()
	return s.next(string(kind), func(l line) bool { return l.own.Type == kind }).own
}

// use waits for a tool call.
func (s *session) use() {
	s.t.Helper()
	s.next("a tool call", func(l line) bool { return l.chunk.Type == stream.ToolUse })
}

// answer waits for the acknowledgement or refusal of an input, and says which
// and why.
func (s *session) answer(id string) string {
	s.t.Helper()
	l := s.next("the answer to "+id, func(l line) bool { return l.own.ID == id && l.own.Input != "" }).own
	return strings.TrimSpace(string(l.Type) + " " + l.Reason)
}

// turn sends a message and waits for the end of its turn, which is to go well.
func (s *session) turn(text string) stream.LiveLine {
	s.t.Helper()
	s.say(`{"type":"message","text":"` + text + `"}`)
	end := s.line(stream.LiveTurnEnd)
	same(s.t, "status", stream.TurnCompleted, end.Status)
	return end
}

// said is all text so far.
func (s *session) said() string {
	var b strings.Builder
	for _, l := range s.lines() {
		if l.chunk.Type == stream.Text {
			b.WriteString(l.chunk.Content)
		}
	}
	return b.String()
}

// close ends the session by an input.
func (s *session) close() {
	s.t.Helper()
	s.say(`{"type":"close"}`)
	s.finish()
}

// finish waits for the end of a session that ends in good order, and holds it to
// every rule that needs no knowledge of the case.
func (s *session) finish() {
	s.t.Helper()
	same(s.t, "exit status", 0, s.wait())
	var chunks, own []byte
	for _, l := range s.lines() {
		if l.own.Type == "" {
			chunks = append(chunks, l.raw...)
		} else {
			own = append(own, l.raw...)
		}
	}
	s.w.check(outcome{stdout: chunks, stderr: string(s.stderr.bytes())}, false)
	if err := Valid("live-line", own); err != nil {
		s.t.Errorf("schema: %v", err)
	}
	if s.t.Failed() {
		s.t.Logf("stdout:\n%s\nstderr:\n%s", s.stdout.bytes(), s.stderr.bytes())
	}
}

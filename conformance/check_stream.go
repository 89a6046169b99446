package conformance

import (
	"bytes"
	"io"
	"strings"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// play is one replay of a recording.
type play struct {
	rec    Recording
	lines  []byte
	chunks []stream.Chunk
	out    providers.Outcome
	err    error
}

func (s *subject) replay() {
	for _, rec := range s.fixtures {
		s.plays = append(s.plays, s.playOf(rec))
	}
}

// playOf replays a recording, its stdout read in one piece.
func (s *subject) playOf(rec Recording) play { return s.playFrom(rec, bytes.NewReader(rec.Stdout)) }

func (s *subject) playFrom(rec Recording, in io.Reader) play {
	p := play{rec: rec}
	p.lines, p.out, p.err = ReplayFrom(s.p, rec, in)
	if p.err == nil {
		p.chunks, p.err = Chunks(p.lines)
	}
	return p
}

// text is everything said, joined.
func (p play) text(t stream.Type) string {
	var b strings.Builder
	for _, c := range p.chunks {
		if c.Type == t {
			b.WriteString(c.Content)
		}
	}
	return b.String()
}

// content is the stream without its notices, and with the text between two of
// them joined: what must not depend on anything but the vendor's words.
func (p play) content() []string {
	var lines []string
	var unit stream.Chunk
	flush := func() {
		if unit.Type != "" {
			lines = append(lines, lineOf(unit))
		}
		unit = stream.Chunk{}
	}
	for _, c := range p.chunks {
		words := c.Type == stream.Text || c.Type == stream.Thinking
		switch {
		case c.Type == stream.System:
		case words && c.Type == unit.Type && cmp.Equal(c.Metadata, unit.Metadata):
			unit.Content += c.Content
		default:
			flush()
			if unit = c; !words {
				flush()
			}
		}
	}
	flush()
	return lines
}

func lineOf(c stream.Chunk) string {
	line, err := ndjson.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(line)
}

// streamOrder: every recording becomes a stream that fits the schema and the rules.
func streamOrder(s *subject) error {
	var c complaint
	if len(s.plays) == 0 {
		c.add("no recordings")
	}
	for _, p := range s.plays {
		if p.err != nil {
			c.add("%w", p.err)
			continue
		}
		if err := Valid("chunk", p.lines); err != nil {
			c.add("%s: %w", p.rec.Dir, err)
		}
		if err := Order(s.withStart(p), status(p.out), p.rec.Args.Deltas); err != nil {
			c.add("%s: %w", p.rec.Dir, err)
		}
	}
	return c.err()
}

// withStart puts the host's first line before a replay, which has none.
func (s *subject) withStart(p play) []stream.Chunk {
	return append([]stream.Chunk{providers.First(s.p, providers.Request{}, "", "")}, p.chunks...)
}

// sameAgain: a replay depends on the recording alone.
func sameAgain(s *subject) error {
	var c complaint
	for _, p := range s.plays {
		if again := s.playOf(p.rec); !bytes.Equal(p.lines, again.lines) {
			c.add("%s: not the same again:\n%s", p.rec.Dir, cmp.Diff(p.content(), again.content()))
		}
	}
	return c.err()
}

// piecesAndWhole: with and without --deltas the same is said, and the verdict is the same.
func piecesAndWhole(s *subject) error {
	var c complaint
	for _, p := range s.plays {
		rec := p.rec
		rec.Args.Deltas = !rec.Args.Deltas
		q := s.playOf(rec)
		if hasNotice(p, stream.NoticeRetracted) || hasNotice(q, stream.NoticeRetracted) {
			continue // pieces that were taken back are said only where pieces were asked for
		}
		for _, kind := range []stream.Type{stream.Text, stream.Thinking} {
			if p.text(kind) != q.text(kind) {
				c.add("%s: %s differs with deltas:\n%s", rec.Dir, kind, cmp.Diff(p.text(kind), q.text(kind)))
			}
		}
		if p.out.Final != q.out.Final || status(p.out) != status(q.out) {
			c.add("%s: status %d, final text %q; with deltas the other way %d, %q", rec.Dir, status(p.out), p.out.Final, status(q.out), q.out.Final)
		}
		if err := Order(s.withStart(q), status(q.out), rec.Args.Deltas); err != nil {
			c.add("%s with deltas %v: %w", rec.Dir, rec.Args.Deltas, err)
		}
	}
	return c.err()
}

func hasNotice(p play, word string) bool {
	for _, c := range p.chunks {
		if metadata(c).Notice == word {
			return true
		}
	}
	return false
}

// oneByteReads: how the bytes come makes no difference.
func oneByteReads(s *subject) error {
	const most = 64 << 10 // of a recording
	var c complaint
	for _, p := range s.plays {
		if len(p.rec.Stdout) > most {
			continue
		}
		q := s.playFrom(p.rec, iotest.OneByteReader(bytes.NewReader(p.rec.Stdout)))
		if !bytes.Equal(p.lines, q.lines) {
			c.add("%s: other chunks from one-byte reads:\n%s", p.rec.Dir, cmp.Diff(string(p.lines), string(q.lines)))
		}
	}
	return c.err()
}

package conformance

import (
	"bytes"
	"errors"

	"agentrun/ndjson"
)

// everyPrefix: a stream that was cut is in order all the same, and a success
// only where the vendor's terminal record was seen.
func everyPrefix(s *subject) error {
	var c complaint
	for _, p := range s.plays {
		for _, n := range cuts(p.rec.Stdout) {
			rec := p.rec
			rec.Stdout = rec.Stdout[:n]
			q := s.playOf(rec)
			if q.err != nil {
				c.add("%s: %w", rec.Dir, q.err)
				break
			}
			if err := Order(s.withStart(q), status(q.out), rec.Args.Deltas); err != nil {
				c.add("%s cut at byte %d: %w", rec.Dir, n, err)
			}
			if err := s.cutShort(p, q); err != nil {
				c.add("%s cut at byte %d: %w", rec.Dir, n, err)
			}
		}
	}
	return c.err()
}

// cutShort holds the success of a cut recording against the whole one: where
// that one settles, so must this. Some vendor versions never say that they are
// done, and the end of the process is all there is.
func (s *subject) cutShort(whole, cut play) error {
	if status(cut.out) != 0 {
		return nil
	}
	data := cut.rec.Stdout
	line := data[bytes.LastIndexByte(data, '\n')+1:]
	switch facts := cut.out.Facts; {
	case len(line) > 0 && line[0] == '{' && !ndjson.Valid(line):
		return errors.New("a success although the stream ends inside a record")
	case s.about.Capabilities.EndsWithTerminalRecord && whole.out.Facts.Settled && !facts.Settled && !facts.Pending:
		return errors.New("a success without the terminal record")
	}
	return nil
}

// cuts lists where to cut: behind lines and inside of them, evenly over the recording.
func cuts(data []byte) []int {
	const most = 24
	var ends []int
	at := 0
	for line := range bytes.Lines(data) {
		ends = append(ends, at+len(line)/2, at+len(line))
		at += len(line)
	}
	if len(ends) <= most {
		return append([]int{0}, ends...)
	}
	list := []int{0}
	for i := range most {
		list = append(list, ends[i*(len(ends)-1)/(most-1)])
	}
	return list
}

package conformance

import (
	"bytes"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// ownBytes: a mapper keeps nothing of a record's bytes, which are overwritten
// after each call; and its chunks are the caller's.
func ownBytes(s *subject) error {
	var c complaint
	for _, p := range s.plays {
		want, err := s.mapped(p.rec, false)
		if err != nil {
			c.add("%w", err)
			continue
		}
		got, err := s.mapped(p.rec, true)
		if err != nil {
			c.add("%w", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			c.add("%s: overwriting the records changed what was made of them:\n%s", p.rec.Dir, diff)
		}
	}
	return c.err()
}

// mapped feeds the records of a recording to a fresh mapper and writes down, at
// the end, all that it emitted and decided.
func (s *subject) mapped(rec Recording, overwrite bool) (string, error) {
	step, err := s.stepper(rec)
	if err != nil {
		return "", err
	}
	for step.next(overwrite) {
	}
	return step.told()
}

// stepper is one mapper on its way through a recording.
type stepper struct {
	mapper  providers.Mapper
	records *ndjson.Reader
	end     providers.Exit
	chunks  []stream.Chunk
	faults  []string
	count   int
}

func (s *subject) stepper(rec Recording) (*stepper, error) {
	r, _, err := rec.request(s.p)
	if err != nil {
		return nil, err
	}
	return &stepper{mapper: s.p.NewMapper(r), records: ndjson.NewReader(bytes.NewReader(rec.Stdout), 0), end: rec.End.Exit}, nil
}

// next maps one record; it reports whether there was one.
func (m *stepper) next(overwrite bool) bool {
	rec, err := m.records.Next()
	if err != nil {
		return false
	}
	if rec.Kind != ndjson.Object {
		return true
	}
	raw := bytes.Clone(rec.Raw)
	rec.Raw = raw
	m.count++
	if err := m.mapper.Map(rec, func(c stream.Chunk) { m.chunks = append(m.chunks, c) }); err != nil {
		m.faults = append(m.faults, err.Error())
	}
	if overwrite {
		for i := range raw {
			raw[i] = '#'
		}
	}
	return true
}

// told writes down everything.
func (m *stepper) told() (string, error) {
	m.end.Records = m.count
	facts, verdict := m.mapper.Facts(), m.mapper.Verdict(m.end)
	failure := ""
	if verdict.Err != nil {
		failure = string(verdict.Err.Class) + "/" + verdict.Err.Reason + ": " + verdict.Err.Error()
	}
	verdict.Err = nil
	data, err := ndjson.Marshal([]any{m.chunks, m.faults, facts, verdict, failure})
	return string(data), err
}

// ownState: mappers that run side by side do not see each other.
func ownState(s *subject) error {
	var c complaint
	steps := make([]*stepper, 0, len(s.plays))
	for _, p := range s.plays {
		step, err := s.stepper(p.rec)
		if err != nil {
			c.add("%w", err)
			return c.err()
		}
		steps = append(steps, step)
	}
	for more := true; more; {
		more = false
		for _, step := range steps {
			more = step.next(false) || more
		}
	}
	told := make([]string, len(steps))
	for i, step := range steps {
		var err error
		if told[i], err = step.told(); err != nil {
			c.add("%w", err)
		}
	}
	for i, p := range s.plays {
		want, err := s.mapped(p.rec, false)
		if err != nil {
			c.add("%w", err)
			continue
		}
		if diff := cmp.Diff(want, told[i]); diff != "" {
			c.add("%s: other chunks when other runs go on beside it:\n%s", p.rec.Dir, diff)
		}
	}
	return c.err()
}

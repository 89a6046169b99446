package providers

import "agentrun/stream"

// Joiner joins the pieces of a text or thinking unit into one chunk, for readers
// that did not ask for pieces. It holds one unit at most.
type Joiner struct {
	emit func(stream.Chunk) error
	unit stream.Chunk
	text []byte
	open bool
}

// NewJoiner hands whole units on to emit.
func NewJoiner(emit func(stream.Chunk) error) *Joiner { return &Joiner{emit: emit} }

// Put takes the next chunk.
func (j *Joiner) Put(c stream.Chunk) error {
	if c.IsDelta && j.open && sameUnit(&j.unit, &c) {
		j.text = append(j.text, c.Content...)
		return nil
	}
	if err := j.Flush(); err != nil {
		return err
	}
	if !c.IsDelta {
		return j.emit(c)
	}
	j.open, j.unit, j.text = true, c, append(j.text[:0], c.Content...)
	return nil
}

// Flush gives away the unit that is open.
func (j *Joiner) Flush() error {
	if !j.open {
		return nil
	}
	j.open = false
	j.unit.Content, j.unit.IsDelta = string(j.text), false
	return j.emit(j.unit)
}

func sameUnit(a, b *stream.Chunk) bool {
	if a.Type != b.Type {
		return false
	}
	am, bm := orEmpty(a.Metadata), orEmpty(b.Metadata)
	return am.MessageID == bm.MessageID && am.ParentToolID == bm.ParentToolID
}

func orEmpty(m *stream.Metadata) *stream.Metadata {
	if m == nil {
		return &stream.Metadata{}
	}
	return m
}

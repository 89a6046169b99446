package ndjson

import (
	"bytes"
	"io"
	"unicode/utf8"
)

const (
	defaultLimit = 64 << 20
	headSize     = 256 // of the record that a TooLargeError shows
	mark         = "\uFEFF"
)

// Reader cuts a byte stream into records. Only LF ends a line; blanks, CR
// before LF, empty lines and byte order marks between records are skipped.
// How the bytes are spread over reads makes no difference to what comes out.
type Reader struct {
	in    input
	limit int
	edge  boundary // of the object at the input's front
	lead  bool     // an object of this line was returned already
	skip  bool     // the rest of this line belongs to a record that was too large
}

// NewReader returns a reader of r. Records longer than limit bytes are refused;
// 0 stands for 64 MiB. Memory follows the
// longest record and stays bounded by the limit.
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = defaultLimit
	}
	return &Reader{in: input{src: r, most: limit + chunkSize}, limit: limit}
}

// Next returns the next record. An object is returned as soon as its last byte
// is there, also without a newline; every other record ends with its line.
//
// At the end of the stream the error is io.EOF, or a *CutError first if the
// stream ended inside an object. A *TooLargeError stands for one skipped record.
// An error of the underlying reader is returned as it is, once, and loses
// nothing: the next call goes on where this one stopped.
func (r *Reader) Next() (Record, error) {
	for {
		rec, ok, err := r.take()
		if ok || err != nil {
			return rec, err
		}
		if r.in.ended {
			return Record{}, io.EOF
		}
		if err := r.in.fill(); err != nil {
			return Record{}, err
		}
	}
}

// take takes a record from what was read, if a whole one is there.
func (r *Reader) take() (rec Record, ok bool, err error) {
	if r.skip {
		r.in.advance(len(r.in.line()))
		r.skip = !r.in.atLineEnd()
	}
	r.skipBlanks()
	line := r.in.line()
	switch {
	case len(line) == 0:
		return Record{}, false, nil
	case r.in.atLineEnd() || r.in.ended:
		return r.takeLine(line)
	case bytes.HasPrefix([]byte(mark), line): // may become one
		return Record{}, false, nil
	case line[0] == '{':
		if end, found := r.edge.find(line); found && skipObject(line[:end], 0, 0) == end {
			return r.takeObject(line[:end])
		}
	}
	if len(line) > r.limit {
		return r.refuse(line)
	}
	return Record{}, false, nil
}

// skipBlanks skips what may stand between records.
func (r *Reader) skipBlanks() {
	for b := r.in.rest(); len(b) > 0; b = r.in.rest() {
		switch b[0] {
		case ' ', '\t', '\r':
			r.in.advance(1)
		case '\n':
			r.in.advance(1)
			r.lead = false
		default:
			if !bytes.HasPrefix(b, []byte(mark)) {
				return
			}
			r.in.advance(len(mark))
		}
	}
}

// takeLine takes a record from a line that will not grow.
func (r *Reader) takeLine(line []byte) (Record, bool, error) {
	kind := Noise
	if line[0] == '{' {
		end := skipObject(line, 0, 0)
		if end > 0 {
			return r.takeObject(line[:end])
		}
		if end == short && !r.in.atLineEnd() {
			r.in.advance(len(line))
			return Record{}, false, &CutError{Bytes: len(line), Tail: line}
		}
		kind = Malformed
	}
	if len(line) > r.limit {
		return r.refuse(line)
	}
	raw := bytes.TrimRight(line, " \t\r")
	if kind == Noise && !r.lead && Valid(raw) {
		kind = Value
	}
	r.pass(len(line))
	return newRecord(kind, raw), true, nil
}

func (r *Reader) takeObject(raw []byte) (Record, bool, error) {
	if len(raw) > r.limit {
		return r.refuse(raw)
	}
	r.pass(len(raw))
	r.lead = true
	return newRecord(Object, raw), true, nil
}

// refuse reports a record that is too large and skips the rest of its line.
func (r *Reader) refuse(b []byte) (Record, bool, error) {
	err := &TooLargeError{Limit: r.limit, Head: bytes.Clone(b[:min(len(b), headSize)])}
	r.pass(len(b))
	r.skip = true
	return Record{}, false, err
}

// pass goes behind a record.
func (r *Reader) pass(n int) {
	r.in.advance(n)
	r.edge = boundary{}
}

func newRecord(kind Kind, raw []byte) Record {
	rec := Record{Kind: kind, Raw: raw}
	if !utf8.Valid(raw) {
		const substitute = "\uFFFD"
		rec.Raw = bytes.ToValidUTF8(raw, []byte(substitute))
		rec.Replaced = bytes.Count(rec.Raw, []byte(substitute)) - bytes.Count(raw, []byte(substitute))
	}
	return rec
}

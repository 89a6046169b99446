package ndjson

import (
	"bytes"
	"errors"
	"io"
)

const (
	chunkSize = 64 << 10 // of a read: what a pipe holds
	keepSize  = 4 << 20  // the largest buffer that is kept when it is nearly empty
)

// input is the part of a stream that was read and not yet taken.
type input struct {
	src   io.Reader
	most  int // the buffer never grows beyond this
	buf   []byte
	pos   int   // buf[pos:] is not yet taken
	seen  int   // no LF in buf[pos:seen]
	err   error // came with the last bytes; to be returned when more are wanted
	ended bool  // src has no more
}

// rest returns everything that is there.
func (in *input) rest() []byte { return in.buf[in.pos:] }

// line returns what is there of the current line, without its LF. No byte is
// searched twice for the LF.
func (in *input) line() []byte {
	in.seen = max(in.seen, in.pos)
	if i := bytes.IndexByte(in.buf[in.seen:], '\n'); i >= 0 {
		in.seen += i
	} else {
		in.seen = len(in.buf)
	}
	return in.buf[in.pos:in.seen]
}

// atLineEnd reports whether the LF behind what line returned is there.
func (in *input) atLineEnd() bool { return in.seen < len(in.buf) }

// advance takes n bytes.
func (in *input) advance(n int) { in.pos += n }

// fill reads once. It returns the source's error as it is, but for io.EOF,
// which sets ended; a later call reads again.
func (in *input) fill() error {
	if in.err == nil {
		in.makeRoom()
		if in.read() > 0 {
			return nil
		}
	}
	err := in.err
	in.err = nil
	if errors.Is(err, io.EOF) {
		in.ended = true
		return nil
	}
	return err
}

// read appends what one read gives, and returns how much that is.
func (in *input) read() int {
	const patience = 100 // as in bufio
	for range patience {
		n, err := in.src.Read(in.buf[len(in.buf):cap(in.buf)])
		in.buf = in.buf[:len(in.buf)+n]
		in.err = err
		if n > 0 || err != nil {
			return n
		}
	}
	in.err = io.ErrNoProgress
	return 0
}

// makeRoom moves what is there to the front of a buffer with room behind it.
func (in *input) makeRoom() {
	rest := in.rest()
	size := cap(in.buf)
	if len(rest) == size {
		size = min(max(chunkSize, 2*size), in.most)
	} else if size > keepSize && len(rest) < size/4 {
		size = max(chunkSize, 2*len(rest))
	}
	if size != cap(in.buf) {
		in.buf = append(make([]byte, 0, size), rest...)
	} else if in.pos > 0 {
		in.buf = in.buf[:copy(in.buf, rest)]
	}
	in.seen = max(in.seen-in.pos, 0)
	in.pos = 0
}

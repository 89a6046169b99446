// Package render holds the sinks: what becomes of a run's chunks on stdout and,
// for people, on stderr.
package render

import (
	"bufio"
	"io"
	"time"

	"agentrun/stream"
)

// Lines writes chunks as JSON, one object per line.
type Lines struct {
	w     *bufio.Writer
	line  []byte // kept for its room
	stamp *stamper
	live  bool
}

// NewLines returns a sink that writes to w. Live passes every line on at once;
// otherwise lines wait in a buffer until Flush.
func NewLines(w io.Writer, live bool) *Lines {
	return &Lines{w: bufio.NewWriterSize(w, 64<<10), live: live}
}

// Stamp adds seq, time and run to each line from now on.
func (l *Lines) Stamp(run string, now func() time.Time) {
	l.stamp = &stamper{run: run, now: now}
}

// Emit writes one chunk.
func (l *Lines) Emit(c stream.Chunk) error {
	const most = 4 << 20 // of the room that is kept
	if l.stamp != nil {
		stamped := l.stamp.stamp(c)
		l.line = stamped.AppendJSON(l.line[:0])
	} else {
		l.line = c.AppendJSON(l.line[:0])
	}
	l.line = append(l.line, '\n')
	_, err := l.w.Write(l.line)
	if cap(l.line) > most {
		l.line = nil
	}
	if err == nil && l.live {
		err = l.w.Flush()
	}
	return err
}

// Flush writes what waits.
func (l *Lines) Flush() error { return l.w.Flush() }

// stamper numbers and dates chunks.
type stamper struct {
	run string
	now func() time.Time
	seq int
}

func (s *stamper) stamp(c stream.Chunk) stream.Stamped {
	return stream.Stamped{Stamp: s.next(), Chunk: c}
}

func (s *stamper) next() stream.Stamp {
	s.seq++
	return stream.Stamp{Seq: s.seq, Time: stream.StampTime(s.now()), Run: s.run}
}

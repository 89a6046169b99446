// Package render holds the sinks: what becomes of a run's chunks on stdout and,
// for people, on stderr.
package render

import (
	"bufio"
	"io"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// Lines writes chunks as JSON, one object per line.
type Lines struct {
	w     *bufio.Writer
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
	var v any = c
	if l.stamp != nil {
		v = l.stamp.stamp(c)
	}
	line, err := ndjson.Marshal(v)
	if err != nil {
		return err
	}
	if _, err := l.w.Write(line); err != nil {
		return err
	}
	if err := l.w.WriteByte('\n'); err != nil {
		return err
	}
	if l.live {
		return l.w.Flush()
	}
	return nil
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
	s.seq++
	at := s.now().UTC().Format("2006-01-02T15:04:05.000Z")
	return stream.Stamped{Stamp: stream.Stamp{Seq: s.seq, Time: at, Run: s.run}, Chunk: c}
}

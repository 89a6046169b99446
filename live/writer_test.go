package live

import (
	"bytes"
	"io"
	"testing"
)

// TestWriter: what is sent is written in order, while nobody reads it nothing
// waits, and stdin ends behind it.
func TestWriter(t *testing.T) {
	r, to := io.Pipe()
	w := newWriter(to)
	line := make([]byte, 100_000)
	for i := range line {
		line[i] = 'a'
	}
	for range 3 {
		w.send(line)
	}
	w.close()
	got, err := io.ReadAll(r)
	if err != nil || len(got) != 3*(len(line)+1) || bytes.Count(got, []byte("\n")) != 3 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	w.stop()
}

// TestWriterStops: the end does not wait for a reader that never comes.
func TestWriterStops(*testing.T) {
	_, to := io.Pipe()
	w := newWriter(to)
	w.send([]byte("x"))
	w.stop()
}

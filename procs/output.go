package procs

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// How long somebody other than the child may keep us at its stdout when
// everything that we end is gone: quiet, and in all.
const (
	drainIdle  = 250 * time.Millisecond
	drainTotal = 2 * time.Second
)

// Output is the child's stdout. It ends with io.EOF when the child and all who
// share its stdout have closed it, and nothing that the child wrote is lost.
// When only background that is left alone still holds it open, it ends as soon
// as it is quiet.
type Output struct {
	// Stdin writes to the child's stdin, with Spec.KeepStdin; else it is nil. A
	// write fails when the child has closed its end, or when Run is about to
	// return. It may be used by another goroutine than Read.
	Stdin io.WriteCloser

	source source
	file   bool // it has no end of its own

	mu       sync.Mutex
	deadline time.Time // the caller's
	released time.Time // zero while there is anything that may write and that we will end
	owed     int64     // bytes the child wrote before its end and that were not yet read
	measured bool
	eof      bool
	gaveUp   bool
}

// source is a pipe's read end, or a followed file.
type source interface {
	io.ReadCloser
	SetReadDeadline(time.Time) error
	// tryRead reads what is there, whatever the deadline; when there is
	// nothing, the error is os.ErrDeadlineExceeded.
	tryRead(p []byte) (int, error)
	pending() int64 // bytes that can be read at once
}

// Read reads what the child wrote, waiting for it until the read deadline; then
// the error is os.ErrDeadlineExceeded. What is there is read even when the
// deadline has passed.
func (o *Output) Read(p []byte) (int, error) {
	for {
		released, finished := o.arm()
		if finished {
			return 0, o.end(!o.file)
		}
		n, err := o.source.Read(p)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			// A machine under load may have kept us from trying in time.
			n, err = o.source.tryRead(p)
		}
		o.mu.Lock()
		o.owed -= int64(n)
		news := o.released != released
		own := !o.deadline.IsZero() && !time.Now().Before(o.deadline)
		o.mu.Unlock()
		switch {
		case n > 0 || err == nil:
			return n, nil
		case errors.Is(err, io.EOF):
			return 0, o.end(false)
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, err
		case own:
			return 0, err
		case news || released.IsZero(): // woken, to look again
		default:
			return 0, o.end(true)
		}
	}
}

// arm sets the source's deadline for one read. Once released, the bytes that
// were there at that moment are read in any case; then a quiet spell is the
// end, and so is too long a noise.
func (o *Output) arm() (released time.Time, finished bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	deadline := o.deadline
	if !o.released.IsZero() {
		if !o.measured {
			o.measured, o.owed = true, o.source.pending()
		}
		if o.owed <= 0 && (o.file || time.Since(o.released) > drainTotal) {
			return o.released, true
		}
		idle := time.Now().Add(drainIdle)
		if deadline.IsZero() || idle.Before(deadline) {
			deadline = idle
		}
	}
	_ = o.source.SetReadDeadline(deadline)
	return o.released, o.eof
}

func (o *Output) end(gaveUp bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.gaveUp = o.gaveUp || gaveUp && !o.eof
	o.eof = true
	return io.EOF
}

// SetReadDeadline bounds the wait of reads from now on; the zero time lifts the
// bound.
func (o *Output) SetReadDeadline(t time.Time) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.deadline = t
	return o.source.SetReadDeadline(t)
}

// release says that everything that we end is gone.
func (o *Output) release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.released = time.Now()
	_ = o.source.SetReadDeadline(o.released)
}

// atEnd reports whether everything was read.
func (o *Output) atEnd() (end, gaveUp bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.eof, o.gaveUp
}

// discard reads to the end, so that a child that is ending is not kept from
// it by a full pipe.
func (o *Output) discard() {
	_ = o.SetReadDeadline(time.Time{})
	_, _ = io.Copy(io.Discard, o)
}

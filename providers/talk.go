package providers

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"agentrun/stream"
)

// Talk is the other direction of a two-way run: what the host says to the vendor
// while it runs. All its methods but the interrupt are called in the goroutine
// that reads the vendor's stdout, so that nothing needs a lock.
type Talk interface {
	// Start is called once, when the process runs. Interrupt may be called from
	// any goroutine, at any time; Poll is called soon after.
	Start(stdin io.WriteCloser, interrupt func(), out Outlet)
	// Poll takes what came in since the last call. It does not wait.
	Poll(out Outlet)
}

// Outlet is where a talk's own doings go, in order with the vendor's chunks.
type Outlet struct {
	Put   func(stream.Chunk) // as a mapper's emit
	Flush func()             // gives away a unit that is being joined
}

// interruptible is a stdout whose reads can be ended from another goroutine.
type interruptible struct {
	in    deadlineReader
	asked atomic.Bool
}

// interrupt makes the read that waits, or else the next one, return os.ErrDeadlineExceeded.
func (i *interruptible) interrupt() {
	i.asked.Store(true)
	_ = i.in.SetReadDeadline(time.Unix(1, 0))
}

// SetReadDeadline sets the deadline of the next read.
func (i *interruptible) SetReadDeadline(t time.Time) error { return i.in.SetReadDeadline(t) }

// Read looks for an interrupt after the deadline was set: one that comes later ends the read itself.
func (i *interruptible) Read(p []byte) (int, error) {
	if i.asked.Swap(false) {
		return 0, os.ErrDeadlineExceeded
	}
	n, err := i.in.Read(p)
	if err != nil {
		i.asked.Store(false)
	}
	return n, err
}

// outlet is the loop's, for its talk.
func (l *loop) outlet() Outlet {
	return Outlet{Put: l.put, Flush: func() {
		if err := l.flush(); err != nil && l.sinkErr == nil {
			l.sinkErr = err
		}
	}}
}

// poll lets the host have its say between two records.
func (l *loop) poll() {
	if l.talk == nil || l.sinkErr != nil {
		return
	}
	l.talk.Poll(l.outlet())
	l.watch(l.clock.begun)
}

package cmd

import (
	"errors"
	"io"
	"sync"
	"time"
)

// lastWord is how long a write may take when patience is over, and after a
// second signal.
const lastWord = time.Second

// errStuck is the error of a write that nobody took although the run is to end.
var errStuck = errors.New("nobody takes our output")

// patience bounds the wait for whoever takes our output once a run is to end. A
// run that nobody ends waits for its reader as long as any filter does.
type patience struct {
	over chan struct{}
	done chan struct{}
}

// newPatience begins to watch. Patience ends extra after the run's total limit,
// or after an end was asked for, and at once when that is hurried.
func newPatience(total, extra time.Duration, asked, hurry <-chan struct{}) *patience {
	p := &patience{over: make(chan struct{}), done: make(chan struct{})}
	var limit <-chan time.Time
	if total > 0 {
		limit = time.After(total + extra)
	}
	go func() {
		defer close(p.over)
		for {
			select {
			case <-asked:
				asked, limit = nil, time.After(extra)
			case <-hurry:
				return
			case <-limit:
				return
			case <-p.done:
				return
			}
		}
	}()
	return p
}

func (p *patience) stop() { close(p.done) }

// writer is w, with no write that outlasts patience by more than lastWord: the
// error is errStuck then, and of every write after it.
func (p *patience) writer(w io.Writer) io.Writer {
	b := &boundWriter{patience: p, lent: make(chan []byte), back: make(chan written, 1)}
	go func() {
		for {
			select {
			case piece := <-b.lent:
				n, err := w.Write(piece)
				b.back <- written{n, err}
			case <-p.done:
				return
			}
		}
	}()
	return b
}

// boundWriter has a goroutine write, because a write to a pipe cannot be called
// off. One that got stuck ends with the process.
type boundWriter struct {
	*patience
	mu    sync.Mutex
	lent  chan []byte
	back  chan written
	piece [64 << 10]byte // what the goroutine writes, also when the caller is gone
	err   error
}

type written struct {
	n   int
	err error
}

func (b *boundWriter) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	sent := 0
	for b.err == nil && sent < len(p) {
		n := copy(b.piece[:], p[sent:])
		w := b.hand(b.piece[:n])
		sent, b.err = sent+w.n, w.err
	}
	return sent, b.err
}

func (b *boundWriter) hand(piece []byte) written {
	select {
	case b.lent <- piece:
	case <-b.done:
		return written{0, errStuck}
	}
	select {
	case w := <-b.back:
		return w
	case <-b.over:
	}
	timer := time.NewTimer(lastWord)
	defer timer.Stop()
	select {
	case w := <-b.back:
		return w
	case <-timer.C:
		return written{0, errStuck}
	}
}

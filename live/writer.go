package live

import (
	"io"
	"slices"
	"sync"
)

// writer feeds the vendor's stdin from a queue, so that a vendor that does not
// read for a while never keeps us from reading what it prints.
type writer struct {
	to     io.WriteCloser
	mu     sync.Mutex
	filled *sync.Cond
	queue  [][]byte
	end    bool // close after the queue
	quit   bool // at once
	done   chan struct{}
}

func newWriter(to io.WriteCloser) *writer {
	w := &writer{to: to, done: make(chan struct{})}
	w.filled = sync.NewCond(&w.mu)
	go w.run()
	return w
}

// send queues one line.
func (w *writer) send(line []byte) {
	w.mu.Lock()
	w.queue = append(w.queue, append(slices.Clip(line), '\n'))
	w.mu.Unlock()
	w.filled.Signal()
}

// close ends stdin behind what was sent.
func (w *writer) close() {
	w.mu.Lock()
	w.end = true
	w.mu.Unlock()
	w.filled.Signal()
}

// stop ends the writer, also one that waits for a reader that will not come.
func (w *writer) stop() {
	w.mu.Lock()
	w.quit = true
	w.mu.Unlock()
	w.filled.Signal()
	_ = w.to.Close()
	<-w.done
}

func (w *writer) run() {
	defer close(w.done)
	for {
		line, ok := w.take()
		if !ok {
			_ = w.to.Close()
			return
		}
		if _, err := w.to.Write(line); err != nil {
			return // the vendor has gone or closed its end: its exit tells why
		}
	}
}

func (w *writer) take() ([]byte, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.queue) == 0 && !w.end && !w.quit {
		w.filled.Wait()
	}
	if w.quit || len(w.queue) == 0 {
		return nil, false
	}
	line := w.queue[0]
	w.queue = w.queue[1:]
	return line, true
}

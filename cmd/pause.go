package cmd

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pauses makes a run behave as any job does under Ctrl-Z and fg: the vendor, in a
// session of its own, is stopped and continued with us.
type pauses struct {
	in   chan os.Signal
	out  chan bool
	done chan struct{}

	mu    sync.Mutex
	hush  func()    // called before we stop; may be nil
	since time.Time // of the stop we are in
	total time.Duration
}

func catchPauses() *pauses {
	p := &pauses{in: make(chan os.Signal, 2), out: make(chan bool), done: make(chan struct{})}
	signal.Notify(p.in, syscall.SIGTSTP, syscall.SIGCONT)
	go p.watch()
	return p
}

func (p *pauses) watch() {
	for {
		select {
		case sig := <-p.in:
			if stop := sig == syscall.SIGTSTP; !stop || underShell() {
				p.take(stop)
			}
		case <-p.done:
			return
		}
	}
}

// underShell reports whether somebody is there to let us go on: our parent is in
// our session and has another process group. Where nobody is, the system itself
// does not stop a program for Ctrl-Z.
func underShell() bool {
	parent := os.Getppid()
	group, err := unix.Getpgid(parent)
	if parent == 0 || err != nil {
		return false
	}
	theirs, err := unix.Getsid(parent)
	ours, ourErr := unix.Getsid(0)
	return group == unix.Getpgrp() || err == nil && ourErr == nil && theirs == ours
}

// take stops the vendor and then us, or continues the vendor.
func (p *pauses) take(stop bool) {
	p.mu.Lock()
	if stop && p.hush != nil {
		p.hush()
	}
	switch {
	case stop && p.since.IsZero():
		p.since = time.Now()
	case !stop && !p.since.IsZero():
		p.total += time.Since(p.since)
		p.since = time.Time{}
	}
	p.mu.Unlock()
	select {
	case p.out <- stop:
	case <-p.done:
		return
	}
	if stop {
		_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
	}
}

// before has f called before we stop.
func (p *pauses) before(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hush = f
}

// paused is the time so far for which we were stopped.
func (p *pauses) paused() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.since.IsZero() {
		return p.total
	}
	return p.total + time.Since(p.since)
}

func (p *pauses) stop() {
	signal.Stop(p.in)
	close(p.done)
}

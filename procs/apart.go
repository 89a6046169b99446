package procs

import (
	"bufio"
	"errors"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// keepApart gives the child to a supervisor, which starts and keeps it. When the
// supervisor is killed, what it kept comes to us and is kept here to its end.
func keepApart(s *Standby, c charge, files []uintptr) (link, error) {
	frame, err := c.encode()
	if err != nil {
		s.Dismiss()
		return link{}, startError(c.path, err)
	}
	control, pid := s.leave()
	events := make(chan event, 4)
	a := &apart{charge: c, control: control, pid: pid, events: events, rescue: make(chan order), over: make(chan struct{})}
	// An error here is a supervisor that is gone, which follow will find.
	_ = sendFiles(control, frame[:frameHead], files)
	go func() {
		_, _ = control.Write(frame[frameHead:]) // which may be larger than the channel's buffer
		a.follow()
	}()
	return link{a.send, events}, nil
}

// apart is the host's side of one supervisor.
type apart struct {
	charge
	control *os.File
	pid     int // of the supervisor
	events  chan<- event
	rescue  chan order // orders when the supervisor is gone
	over    chan struct{}

	mu      sync.Mutex
	leaving bool // its pid may be another's soon
	hurried bool
}

// follow passes the supervisor's events on until its last.
func (a *apart) follow() {
	defer close(a.events)
	defer close(a.over)
	defer func() { _ = a.control.Close() }()
	lines := bufio.NewReader(a.control)
	child, ended := 0, false
	for {
		line, err := lines.ReadString('\n')
		e, parseErr := parseEvent(strings.TrimSuffix(line, "\n"))
		if err != nil || parseErr != nil {
			a.collect()
			a.takeOver(child, ended)
			return
		}
		switch e.kind {
		case evStarted:
			child = e.pid
		case evEnded:
			ended = true
		case evFailed, evDone, evLost:
			a.collect()
			a.events <- e
			return
		}
		a.events <- e
	}
}

// collect waits for the supervisor's own end, after which all that was below
// it is below us. Its end of the channel is closed: it is on its way out.
func (a *apart) collect() {
	a.mu.Lock()
	a.leaving = true
	a.mu.Unlock()
	reap(a.pid)
}

// reap waits for the end of a child of ours.
func reap(pid int) {
	for {
		if _, err := syscall.Wait4(pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// takeOver ends what a supervisor that was killed has left.
func (a *apart) takeOver(child int, ended bool) {
	wake := make(chan os.Signal, 1)
	signal.Notify(wake, syscall.SIGCHLD)
	defer signal.Stop(wake)
	k := newKeeper(a.charge, child, newKin(a.charge, child), a.rescue, func(e event) {
		if e.kind == evDone {
			e.kind = evLost
		}
		a.events <- e
	})
	k.ended = ended || child == 0
	k.end()
	a.mu.Lock()
	if a.hurried {
		k.deadline = time.Now()
	}
	a.mu.Unlock()
	k.keep(wake)
}

// send gives an order to the supervisor, or to whoever took over from it. A
// supervisor that does not do its work (somebody stopped it) is replaced.
func (a *apart) send(o order) {
	if o == orderKill {
		a.mu.Lock()
		a.hurried = true
		a.mu.Unlock()
		time.AfterFunc(lastWait+time.Second, a.replace)
	}
	if _, err := a.control.Write([]byte{byte(o)}); err == nil {
		return
	}
	select {
	case a.rescue <- o:
	case <-a.over:
	}
}

func (a *apart) replace() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.leaving {
		_ = syscall.Kill(a.pid, syscall.SIGKILL)
	}
}

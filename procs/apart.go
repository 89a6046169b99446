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

// keepApart starts a supervisor, which starts the child and keeps it. When the
// supervisor is killed, what it kept comes to us and is kept here to its end.
func keepApart(supervisor string, c charge, files []uintptr) (link, error) {
	frame, err := c.encode()
	if err != nil {
		return link{}, startError(c.path, err)
	}
	control, pid, err := startSupervisor(supervisor, c.mark, files)
	if err != nil {
		return link{}, startError(supervisor, err)
	}
	events := make(chan event, 4)
	a := &apart{charge: c, control: control, pid: pid, events: events, rescue: make(chan order), over: make(chan struct{})}
	go func() {
		// The frame may be larger than the channel's buffer. An error here is
		// a supervisor that is gone, which follow will find.
		_, _ = control.Write(frame)
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

// startSupervisor starts our own program with the child's files and one end of
// the control channel, in a session of its own.
func startSupervisor(path, mark string, files []uintptr) (*os.File, int, error) {
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, 0, err
	}
	pid, err := syscall.ForkExec(path, []string{supervisorName}, &syscall.ProcAttr{
		// No collection at the start, nor ever but for very many processes.
		Env:   []string{mark, "GOGC=off", "GOMEMLIMIT=16MiB"},
		Files: append(append([]uintptr{}, files...), uintptr(theirs)),
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	_ = syscall.Close(theirs)
	if err != nil {
		_ = syscall.Close(ours)
		return nil, 0, err
	}
	return os.NewFile(uintptr(ours), "control"), pid, nil
}

func controlPair() (ours, theirs int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		return 0, 0, err
	}
	syscall.CloseOnExec(pair[0])
	syscall.CloseOnExec(pair[1])
	return pair[0], pair[1], syscall.SetNonblock(pair[0], true)
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
	for {
		if _, err := syscall.Wait4(a.pid, nil, 0, nil); !errors.Is(err, syscall.EINTR) {
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

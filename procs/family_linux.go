package procs

import (
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchInterval is how often a quiet child is looked at: the kernel tells all there is.
const watchInterval = time.Hour

// adopt makes this process the parent of every orphan below it. It cannot fail
// since Linux 3.4.
func adopt() {
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// childAttr gives the child its own session, out of reach of a terminal's
// signals, and lets it die with the thread that started it.
func childAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

func maxRSS(u syscall.Rusage) int64 { return u.Maxrss << 10 }

// everything is the family as a supervisor sees it: a subreaper with no other
// children. When it has no child it has no descendant.
type everything struct {
	child  int
	ended  bool
	status syscall.WaitStatus
	usage  syscall.Rusage
	told   bool
}

func newEverything(_ charge, child int) family { return &everything{child: child} }

func (f *everything) reap() (syscall.WaitStatus, syscall.Rusage, bool) {
	f.collect()
	tell := f.ended && !f.told
	f.told = f.ended
	return f.status, f.usage, tell
}

// collect reports whether there are no children any more.
func (f *everything) collect() (none bool) {
	for {
		var status syscall.WaitStatus
		var usage syscall.Rusage
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, &usage)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return true
		case pid == 0:
			return false
		case pid == f.child && !f.ended:
			f.ended, f.status, f.usage = true, status, usage
		}
	}
}

func (f *everything) living() ([]proc, bool) {
	if f.collect() {
		return nil, true
	}
	list := descendants(snapshot(), os.Getpid(), func(proc) bool { return true })
	return list, false
}

// kin is the family as a process sees it that has other children as well: the
// child, and the orphans that came to us and are of this run. See mine.
type kin struct {
	child    int
	ended    bool
	mark     string
	self     int
	session  int // our own
	known    map[ident]bool
	sessions map[int]bool
	unsure   bool // a process on its way out did not say whose it was
}

func newKin(c charge, child int) family {
	session, _ := unix.Getsid(0)
	return &kin{
		child: child, mark: c.mark, self: os.Getpid(), session: session,
		known: map[ident]bool{}, sessions: map[int]bool{child: true},
	}
}

func (f *kin) reap() (syscall.WaitStatus, syscall.Rusage, bool) {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	if f.ended || f.child == 0 {
		return status, usage, false
	}
	pid, err := syscall.Wait4(f.child, &status, syscall.WNOHANG, &usage)
	if errors.Is(err, syscall.ECHILD) {
		status = statusUnknown // a supervisor that was killed had it
	}
	f.ended = pid == f.child || err != nil && !errors.Is(err, syscall.EINTR)
	return status, usage, f.ended
}

// living believes a second look alone that nobody is left: a process whose
// parent ended while the first went through /proc is below nobody there.
func (f *kin) living() ([]proc, bool) {
	if list, gone := f.look(); !gone {
		return list, false
	}
	return f.look()
}

func (f *kin) look() ([]proc, bool) {
	f.unsure = false
	// Nobody is between fork and exec while we hold this: such a child of
	// ours would look like a stray.
	syscall.ForkLock.RLock()
	all := snapshot()
	list := descendants(all, f.self, f.mine)
	syscall.ForkLock.RUnlock()
	for _, p := range list {
		f.known[p.ident], f.sessions[p.sid] = true, true
	}
	gone := len(list) == 0 && !f.unsure
	for _, p := range all {
		if p.zombie && p.ppid == f.self && p.pid != f.child && (f.known[p.ident] || f.sessions[p.sid]) {
			pid, err := syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
			gone = gone && (pid == p.pid || err != nil)
		}
	}
	return list, gone
}

// mine reports whether a child of ours is of this run. Other programs that we
// started directly share our session. Of the rest, those of other runs carry
// other marks, and only an orphan can have lost its mark.
func (f *kin) mine(p proc) bool {
	if p.pid == f.child || f.known[p.ident] {
		return true
	}
	if p.sid == f.session {
		return false
	}
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
	if errors.Is(err, os.ErrPermission) {
		return true
	}
	if len(environ) == 0 {
		// A process on its way out has no environment to show, and no arguments
		// either; its children come to us when it is gone.
		args, _ := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/cmdline")
		f.unsure = f.unsure || len(args) == 0
		return len(args) > 0
	}
	mine, marked := carries(string(environ), f.mark)
	return mine || !marked
}

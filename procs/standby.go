package procs

import (
	"os"
	"syscall"
)

// Standby is a supervisor that has been started and waits for its child. The
// start of a program takes longer than all else that a run begins with, and can
// go on beside it.
type Standby struct {
	control *os.File // nil when it has its child, or was dismissed
	pid     int
}

// StandBy starts a supervisor, as Spec.Supervisor and Spec.Mark say.
func StandBy(supervisor, mark string) (*Standby, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	ours, theirs, err := controlPair()
	if err != nil {
		return nil, err
	}
	pid, err := syscall.ForkExec(supervisor, []string{supervisorName}, &syscall.ProcAttr{
		// No collection at the start, nor ever but for very many processes.
		Env:   []string{mark, "GOGC=off", "GOMEMLIMIT=16MiB"},
		Files: []uintptr{null.Fd(), null.Fd(), null.Fd(), uintptr(theirs)},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	_ = syscall.Close(theirs)
	if err != nil {
		_ = syscall.Close(ours)
		return nil, startError(supervisor, err)
	}
	return &Standby{os.NewFile(uintptr(ours), "control"), pid}, nil
}

// Dismiss ends a supervisor that has no child, and does nothing else.
func (s *Standby) Dismiss() {
	if s == nil || s.control == nil {
		return
	}
	control, pid := s.leave()
	_ = control.Close()
	reap(pid)
}

// leave takes it over from whoever might dismiss it.
func (s *Standby) leave() (control *os.File, pid int) {
	control, s.control = s.control, nil
	return control, s.pid
}

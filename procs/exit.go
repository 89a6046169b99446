package procs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Exit is how a child ended.
type Exit struct {
	Started bool
	Pid     int
	Code    int            // exit status; -1 when it did not exit by itself
	Signal  syscall.Signal // that ended it, else 0
	Ended   bool           // we had asked it to end before it did
	Stderr  Stderr
	// Background counts the descendants that outlived the child and were ended.
	Background int
	// GaveUp says that somebody still held the child's stdout open when it was
	// closed: background that was left alone, or that could not be ended.
	GaveUp       bool
	MaxRSS       int64 // of the largest process, in bytes
	User, System time.Duration
}

// ErrSupervisorLost is in the error of a Run whose supervisor ended before it
// had reported. The child and its descendants are gone nevertheless.
var ErrSupervisorLost = errors.New("the supervisor was killed")

// StartError is a child that could not be started. Its cause is a
// syscall.Errno, so that errors.Is finds fs.ErrNotExist, fs.ErrPermission,
// syscall.E2BIG, syscall.ENOEXEC.
type StartError struct {
	Path string
	Err  error
	// Interpreter says that the program is there and that the interpreter
	// named in its first line is not.
	Interpreter bool
}

// Error says what could not be started and why.
func (e *StartError) Error() string {
	if e.Interpreter {
		return fmt.Sprintf("start %s: its interpreter is missing: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("start %s: %v", e.Path, e.Err)
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }

func startError(path string, err error) *StartError {
	e := &StartError{Path: path, Err: err}
	if errors.Is(err, fs.ErrNotExist) {
		_, statErr := os.Stat(path)
		e.Interpreter = statErr == nil
	}
	return e
}

// LeftError is in the error of a Run that could not end all descendants: they
// belong to another user, or hang in the kernel.
type LeftError struct {
	Pids []int
}

// Error names the processes.
func (e *LeftError) Error() string {
	return fmt.Sprintf("%d processes could not be ended: %v", len(e.Pids), e.Pids)
}

// settle fills in what the keeper reported.
func (e *Exit) settle(ev event) {
	switch ev.kind {
	case evStarted:
		e.Started, e.Pid = true, ev.pid
	case evEnded:
		e.Ended = ev.asked
		e.MaxRSS, e.User, e.System = ev.maxRSS, ev.user, ev.system
		if ev.status.Signaled() {
			e.Signal = ev.status.Signal()
		} else {
			e.Code = ev.status.ExitStatus()
		}
	case evDone:
		e.Background = ev.background
	case evFailed, evLost: // told in the error
	}
}

package procs

import (
	"errors"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// link is the host's end of a keeper, in this process or in a supervisor.
type link struct {
	send   func(order)
	events <-chan event // ends with evFailed, evDone or evLost, and is closed
}

// keepHere starts the child from this process and keeps it in a goroutine.
func keepHere(c charge, files []uintptr) link {
	orders, events := make(chan order), make(chan event, 4)
	done := make(chan struct{})
	go func() {
		// The child dies with the thread that starts it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(events)
		defer close(done)
		wake := make(chan os.Signal, 1)
		signal.Notify(wake, syscall.SIGCHLD)
		defer signal.Stop(wake)
		pid, err := startChild(c, files)
		if err != nil {
			events <- event{kind: evFailed, errno: errnoOf(err)}
			return
		}
		events <- event{kind: evStarted, pid: pid}
		newKeeper(c, pid, newKin(c, pid), orders, func(e event) { events <- e }).keep(wake)
	}()
	send := func(o order) {
		select {
		case orders <- o:
		case <-done:
		}
	}
	return link{send, events}
}

func errnoOf(err error) syscall.Errno {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return syscall.EINVAL
}

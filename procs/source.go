package procs

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipe is a pipe's read end.
type pipe struct{ *os.File }

func (p pipe) tryRead(b []byte) (n int, err error) {
	raw, err := p.SyscallConn()
	if err != nil {
		return 0, err
	}
	_ = p.SetReadDeadline(time.Time{})
	rawErr := raw.Read(func(fd uintptr) bool {
		n, err = syscall.Read(int(fd), b)
		return true
	})
	switch {
	case rawErr != nil:
		return 0, rawErr
	case errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR):
		return 0, os.ErrDeadlineExceeded
	case err != nil:
		return 0, err
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	return n, nil
}

func (p pipe) pending() int64 {
	var n int
	raw, err := p.SyscallConn()
	if err == nil {
		_ = raw.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), bytesWaiting) })
	}
	return int64(n)
}

// The follower looks for new bytes this often: at first, and after a silence.
const (
	followFirst = time.Millisecond
	followLast  = 16 * time.Millisecond
)

// follower reads a growing file. At its end it waits for more until the read
// deadline: a file has no end of its own.
type follower struct {
	file *os.File

	mu       sync.Mutex
	deadline time.Time
	changed  chan struct{} // closed when the deadline is set
}

func newFollower(f *os.File) *follower {
	return &follower{file: f, changed: make(chan struct{})}
}

func (f *follower) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for pause := followFirst; ; pause = min(2*pause, followLast) {
		f.mu.Lock()
		deadline, changed := f.deadline, f.changed
		f.mu.Unlock()
		left := time.Until(deadline)
		if !deadline.IsZero() && left <= 0 {
			return 0, os.ErrDeadlineExceeded
		}
		n, err := f.file.Read(p)
		if n > 0 || err != io.EOF {
			return n, err
		}
		if !deadline.IsZero() {
			pause = min(pause, left)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-changed:
		}
		timer.Stop()
	}
}

func (f *follower) tryRead(p []byte) (int, error) {
	n, err := f.file.Read(p)
	if n == 0 && err == io.EOF {
		return 0, os.ErrDeadlineExceeded
	}
	return n, err
}

func (f *follower) SetReadDeadline(t time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.deadline = t
	close(f.changed)
	f.changed = make(chan struct{})
	return nil
}

func (f *follower) pending() int64 {
	info, err := f.file.Stat()
	if err != nil {
		return 0
	}
	at, _ := f.file.Seek(0, io.SeekCurrent)
	return info.Size() - at
}

func (f *follower) Close() error { return f.file.Close() }

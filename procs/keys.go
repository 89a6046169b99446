package procs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// keys carries what is typed to the child's terminal.
type keys struct {
	stopper *os.File // closed to stop
	done    chan struct{}
}

// pumpKeys reads only when there is something, so that it can be stopped without
// taking a key away that is meant for the shell.
func pumpKeys(from, to *os.File) (*keys, error) {
	stopped, stopper, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	k := &keys{stopper: stopper, done: make(chan struct{})}
	go func() {
		defer close(k.done)
		defer stopped.Close()
		in, stop := int(from.Fd()), int(stopped.Fd())
		buf := make([]byte, 4096)
		for {
			var ready unix.FdSet
			ready.Set(in)
			ready.Set(stop)
			_, err := unix.Select(max(in, stop)+1, &ready, nil, nil, nil)
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case err != nil || ready.IsSet(stop):
				return
			}
			n, err := unix.Read(in, buf)
			if errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
				continue
			}
			if err != nil || n == 0 {
				return // the terminal is gone; a hangup ends us
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
	}()
	return k, nil
}

// stop returns when nothing is read any more.
func (k *keys) stop() {
	_ = k.stopper.Close()
	<-k.done
}

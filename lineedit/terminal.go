package lineedit

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Terminal is a keyboard that gives every key as it is. It reads only when there
// is something, so that it can be stopped without taking a key that is meant for
// the shell.
type Terminal struct {
	in            *os.File
	out           io.Writer
	saved         *term.State
	stop, stopper *os.File // the ends of a pipe that is closed to stop
}

// Terminals report pastes as such while this is on.
const pastesOn, pastesOff = "\x1b[?2004h", "\x1b[?2004l"

// OpenTerminal makes a terminal raw. The writer leads to it as well.
func OpenTerminal(in *os.File, out io.Writer) (*Terminal, error) {
	stop, stopper, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	t := &Terminal{in: in, out: out, stop: stop, stopper: stopper}
	if t.saved, err = term.MakeRaw(int(in.Fd())); err != nil {
		return nil, errors.Join(err, stop.Close(), stopper.Close())
	}
	_, err = io.WriteString(out, pastesOn)
	return t, err
}

// Restore gives the terminal back as it was, until Raw.
func (t *Terminal) Restore() error {
	_, err := io.WriteString(t.out, pastesOff)
	return errors.Join(err, term.Restore(int(t.in.Fd()), t.saved))
}

// Raw takes the terminal again, which others may have set otherwise meanwhile.
func (t *Terminal) Raw() error {
	_, err := term.MakeRaw(int(t.in.Fd()))
	if err == nil {
		_, err = io.WriteString(t.out, pastesOn)
	}
	return err
}

// Stop ends reading, for good: a Read that waits returns io.EOF.
func (t *Terminal) Stop() error { return t.stopper.Close() }

// Read takes what was typed.
func (t *Terminal) Read(p []byte) (int, error) {
	if err := t.wait(); err != nil {
		return 0, err
	}
	for {
		n, err := unix.Read(int(t.in.Fd()), p)
		switch {
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// wait returns when something was typed, or io.EOF when reading was stopped.
// Select, because macOS has no poll of terminals.
func (t *Terminal) wait() error {
	in, stop := int(t.in.Fd()), int(t.stop.Fd())
	for {
		var ready unix.FdSet
		ready.Set(in)
		ready.Set(stop)
		_, err := unix.Select(max(in, stop)+1, &ready, nil, nil, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return os.NewSyscallError("select", err)
		case ready.IsSet(stop):
			return io.EOF
		default:
			return nil
		}
	}
}

package procs

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// Terminal is the user's terminal.
type Terminal struct{ In, Out *os.File }

// Attach runs the child at a terminal of its own, which is joined to the user's
// for as long as the child lives: keys, Ctrl-C among them, and the window's size
// go to the child, and what it draws goes to the user. When Attach returns, also
// by panic, the user's terminal is as it was, and the child and every descendant
// are gone, as with Run. A child that stops itself (Ctrl-Z) stops us with it.
//
// Of the Spec, Stdin, StdoutFile and Pause are left alone.
func Attach(ctx context.Context, spec Spec, user Terminal) (Exit, error) {
	spec = spec.withDefaults()
	pause := make(chan bool)
	spec.Stdin, spec.Pause = nil, pause
	var joint *os.File
	r, err := start(ctx, spec, func(Spec) (*stdio, error) {
		files, ours, err := openTerminal(user)
		joint = ours
		return files, err
	})
	if err != nil {
		return Exit{Code: -1}, err
	}
	a := &attached{user: user, joint: joint, pid: r.exit.Pid, resume: pause, done: make(chan struct{})}
	if err := a.begin(); err != nil {
		_, _ = r.run(ctx, func(*Output) error { return nil })
		return Exit{Code: -1}, err
	}
	defer a.end()
	exit, err := r.run(ctx, func(out *Output) error {
		_, err := io.Copy(io.MultiWriter(&a.screen, user.Out), out)
		return err
	})
	a.screen.lost = exit.Signal != 0 || exit.Ended
	return exit, err
}

// openTerminal makes the child's terminal, as large as the user's. Its three
// files are that terminal; of what they say nothing is kept.
func openTerminal(user Terminal) (*stdio, *os.File, error) {
	ours, theirs, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	_ = pty.InheritSize(user.In, ours) // a terminal without a size is one, too
	r, w, err := os.Pipe()
	if err != nil {
		_, _ = ours.Close(), theirs.Close()
		return nil, nil, err
	}
	_ = w.Close()
	return &stdio{
		child:  []*os.File{theirs, theirs, theirs},
		stdout: &Output{source: screenSource{pipe{ours}}},
		stderr: r,
	}, ours, nil
}

// attached joins two terminals.
type attached struct {
	user   Terminal
	joint  *os.File // our end of the child's terminal
	pid    int
	resume chan<- bool // to the child that stopped
	saved  *termios
	keys   *keys
	screen screen
	done   chan struct{}
	ended  chan struct{}
}

// begin hands the keyboard over.
func (a *attached) begin() (err error) {
	if a.saved, err = makeRaw(a.user.In); err != nil {
		return err
	}
	if a.keys, err = pumpKeys(a.user.In, a.joint); err != nil {
		_ = restore(a.user.In, a.saved)
		return err
	}
	a.ended = make(chan struct{})
	go a.watch()
	return nil
}

// end gives the terminal back as it was.
func (a *attached) end() {
	close(a.done)
	<-a.ended
	a.keys.stop()
	if a.screen.lost {
		_, _ = io.WriteString(a.user.Out, a.screen.reset())
	}
	_ = restore(a.user.In, a.saved)
}

// stopInterval is how often a child is looked at that may have stopped itself:
// nobody tells us.
const stopInterval = 250 * time.Millisecond

// watch follows the window's size, and the child's stops.
func (a *attached) watch() {
	defer close(a.ended)
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	_ = pty.InheritSize(a.user.In, a.joint) // it may have changed before
	look := time.NewTicker(stopInterval)
	defer look.Stop()
	for {
		select {
		case <-resized:
			_ = pty.InheritSize(a.user.In, a.joint)
		case <-look.C:
			if stopped(a.pid) {
				a.suspend()
			}
		case <-a.done:
			return
		}
	}
}

// suspend stops us as the child has stopped: the shell takes over until `fg`.
// Where there is no shell to take over, the system does not stop us, and the
// child goes on at once.
func (a *attached) suspend() {
	const most = 300 * time.Millisecond
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, syscall.SIGCONT)
	defer signal.Stop(continued)
	_ = restore(a.user.In, a.saved)
	_ = syscall.Kill(0, syscall.SIGTSTP)
	select {
	case <-continued:
	case <-time.After(most):
	}
	_, _ = makeRaw(a.user.In)
	_ = pty.InheritSize(a.user.In, a.joint)
	select {
	case a.resume <- false:
	case <-a.done:
	}
}

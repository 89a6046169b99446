package cmd

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// signals turns INT, TERM, HUP and QUIT into the end of a run: the first asks politely,
// a second one skips the grace.
type signals struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	hurry  chan struct{}
	in     chan os.Signal
	pipe   chan os.Signal
	done   chan struct{}
}

// signalError is the cause of a run that a signal ended.
type signalError struct{ signal syscall.Signal }

func (e signalError) Error() string {
	return fmt.Sprintf("ended by signal %d (%s)", e.signal, e.signal)
}

func catchSignals(ctx context.Context) *signals {
	s := &signals{hurry: make(chan struct{}), in: make(chan os.Signal, 4), pipe: make(chan os.Signal, 1), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	// What was ignored when we were started stays so: nohup, and a shell's `&`.
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(sig) {
			signal.Notify(s.in, sig)
		}
	}
	// A reader that goes away is an error of write, not our death; and SIGPIPE must
	// not be ignored, because the vendor would inherit that.
	signal.Notify(s.pipe, syscall.SIGPIPE)
	go s.watch()
	return s
}

func (s *signals) watch() {
	hurried := false
	for {
		select {
		case sig := <-s.in:
			number, ok := sig.(syscall.Signal)
			switch {
			case !ok:
			case s.ctx.Err() == nil:
				s.cancel(signalError{number})
			case !hurried:
				hurried = true
				close(s.hurry)
			}
		case <-s.pipe:
		case <-s.done:
			return
		}
	}
}

func (s *signals) stop() {
	signal.Stop(s.in)
	signal.Stop(s.pipe)
	close(s.done)
	s.cancel(nil)
}

// status is the exit status of a run that a signal ended, or another.
func (s *signals) status(other int) exitStatus {
	if e, ok := context.Cause(s.ctx).(signalError); ok { //nolint:errorlint // the cause is ours and not wrapped
		return exitStatus(128 + int(e.signal))
	}
	return exitStatus(other)
}

// or is the status of the signal that ended the run, or the error.
func (s *signals) or(err error) error {
	if s.ctx.Err() != nil {
		return s.status(0)
	}
	return err
}

package procs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// Run starts the child, calls read in the calling goroutine, and returns when
// read has returned and the child and every descendant are gone. The process
// lives as long as the call, also when read panics.
//
// When ctx ends, the child and its descendants are asked to end, and killed
// after the grace; read goes on, so that what they still say is kept. When
// read returns before the end of the output, they are ended in the same way,
// and the rest of the output is thrown away.
//
// The error joins, first things first: what read returned, the cause of ctx's
// end if that is why the child was ended, ErrSupervisorLost, and a *LeftError.
// It is a *StartError alone when nothing was started, and then read was not
// called. A child that fails is no error: see Exit.
//
// On Linux Run makes this process a child subreaper and leaves it one; where
// it has to look for the run's strays itself, it takes a child of this process
// that has left its session, and carries no mark at all, for one.
func Run(ctx context.Context, spec Spec, read func(*Output) error) (Exit, error) {
	r, err := start(ctx, spec.withDefaults(), openStdio)
	if err != nil {
		return Exit{Code: -1}, err
	}
	return r.run(ctx, read)
}

// run is one child under way.
type run struct {
	spec   Spec
	stdio  *stdio
	stderr *stderrKeeper
	fed    chan struct{}
	link

	finished bool
	readDone chan struct{} // closed when read has returned
	over     chan struct{} // closed when everything is gone, and what follows is set

	exit  Exit
	cause error // of ctx's end, when we acted on it
	lost  bool
	left  []int
}

// start returns a child that runs, with the files that open makes for it.
func start(ctx context.Context, spec Spec, open func(Spec) (*stdio, error)) (*run, error) {
	defer spec.Standby.Dismiss() // if it comes to nothing
	if ctx.Err() != nil {
		return nil, causeOf(ctx)
	}
	if err := checkDir(spec.Dir); err != nil {
		return nil, startError(spec.Dir, err)
	}
	adopt()
	files, err := open(spec)
	if err != nil {
		return nil, err
	}
	r := &run{
		spec: spec, stdio: files, readDone: make(chan struct{}), over: make(chan struct{}),
		exit: Exit{Code: -1},
	}
	fds := files.childFDs()
	if spec.Supervisor == "" {
		r.link = keepHere(spec.charge(), fds)
	} else if spec.Standby, err = spec.standby(); err == nil {
		r.link, err = keepApart(spec.Standby, spec.charge(), append(fds, fdsOf(spec.Hold)...))
	}
	if err != nil {
		files.closeChild()
		files.close()
		return nil, err
	}
	r.fed = files.feed(spec.Stdin)
	r.stderr = keepStderr(files.stderr)
	return r, r.started()
}

// started waits for the child's start, or ends everything.
func (r *run) started() error {
	first, ok := <-r.events
	switch {
	case !ok || first.kind == evLost:
		r.abandon()
		return &StartError{Path: r.spec.Supervisor, Err: ErrSupervisorLost}
	case first.kind == evFailed:
		r.abandon()
		return startError(r.spec.Path, first.errno)
	}
	r.exit.settle(first)
	return nil
}

// checkDir tells a missing directory from a missing program, which exec does not.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	var perr *fs.PathError
	switch {
	case errors.As(err, &perr):
		return perr.Err
	case err == nil && !info.IsDir():
		return syscall.ENOTDIR
	}
	return err
}

func (r *run) run(ctx context.Context, read func(*Output) error) (Exit, error) {
	r.stdio.closeChild()
	go r.conduct(ctx)
	defer r.finish() // also when read panics
	err := read(r.stdio.stdout)
	r.finish()
	return r.exit, r.verdict(err)
}

// finish waits for the end of everything. A second call does nothing.
func (r *run) finish() {
	if r.finished {
		return
	}
	r.finished = true
	close(r.readDone)
	r.stdio.stdout.discard()
	<-r.over
	r.abandon()
	r.exit.Stderr = r.stderr.result()
	_, r.exit.GaveUp = r.stdio.stdout.atEnd()
}

// abandon closes our ends and waits for our goroutines.
func (r *run) abandon() {
	r.stdio.closeChild()
	_ = r.stdio.stderr.SetReadDeadline(time.Now().Add(stderrDrain))
	<-r.stderr.done
	r.stdio.close()
	<-r.fed
}

// conduct gives the keeper its orders and takes its reports, until everything is gone.
func (r *run) conduct(ctx context.Context) {
	defer close(r.over)
	defer r.stdio.stdout.release()
	canceled, hurry, readDone := ctx.Done(), r.spec.Hurry, (<-chan struct{})(r.readDone)
	var overstayed <-chan time.Time
	for {
		select {
		case <-canceled:
			canceled = nil
			r.cause = causeOf(ctx)
			r.send(orderEnd)
		case <-hurry:
			hurry = nil
			r.send(orderKill)
		case stop := <-r.spec.Pause:
			r.send(pauseOrder(stop))
		case <-readDone:
			readDone = nil
			if end, _ := r.stdio.stdout.atEnd(); end {
				timer := time.NewTimer(r.spec.ExitGrace)
				defer timer.Stop()
				overstayed = timer.C
			} else {
				r.send(orderEnd)
			}
		case <-overstayed:
			overstayed = nil
			r.send(orderEnd)
		case e, ok := <-r.events:
			if !ok {
				return
			}
			r.exit.settle(e)
			r.lost = r.lost || e.kind == evLost
			r.left = append(r.left, e.left...)
		}
	}
}

func pauseOrder(stop bool) order {
	if stop {
		return orderStop
	}
	return orderContinue
}

// causeOf is why ctx ended: context.Canceled or DeadlineExceeded in any case.
func causeOf(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}

// verdict joins what went wrong, the first thing first.
func (r *run) verdict(err error) error {
	if r.cause != nil && r.exit.Ended && !errors.Is(err, r.cause) {
		err = also(err, r.cause)
	}
	if r.lost {
		err = also(err, ErrSupervisorLost)
	}
	if len(r.left) > 0 {
		err = also(err, &LeftError{Pids: r.left})
	}
	return err
}

func also(first, next error) error {
	if first == nil {
		return next
	}
	return fmt.Errorf("%w (also: %w)", first, next)
}

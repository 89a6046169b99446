package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"agentrun/procs"
	"agentrun/stream"
)

// errLate is why a vendor was ended that stayed after its terminal record, or
// after the end of its output: its verdict stands.
var errLate = errors.New("the vendor stayed after its end")

func (s *settle) late() bool { return errors.Is(s.endedBy, errLate) }

// processEnded keeps how the vendor's process ended and why, and tells what we did to it.
func (s *settle) processEnded(ctx context.Context, job Job, exit procs.Exit, err error) {
	lost := errors.Is(err, procs.ErrSupervisorLost)
	settled := s.loop.mapper.Facts().Settled
	if exit.Ended || !exit.Started {
		s.endedBy = context.Cause(ctx)
	}
	whole := settled && s.loop.fault == nil
	switch {
	case s.late():
		s.loop.fault = nil // what its stream lacks then is our doing
	case exit.Ended && s.endedBy == nil && s.loop.sinkErr == nil && (whole || !lost):
		s.endedBy = errLate
	}
	if s.late() {
		exit.Code, exit.Signal = 0, 0 // an end that we made says nothing about the vendor
	}
	s.exit = Exit{
		Code: exit.Code, Signal: signalName(exit.Signal),
		Stderr: s.opts.words(exit.Stderr.String()), Records: s.loop.records,
	}
	if s.endedBy == nil && s.loop.sinkErr == nil {
		s.startErr = cmp.Or(s.startFailure(job, exit, err), s.noInterpreter(job))
	}
	s.epilogue(exit, err, settled)
}

// epilogue tells what we did to the vendor's processes. A run that was ended
// from outside is told nothing more.
func (s *settle) epilogue(exit procs.Exit, err error, settled bool) {
	if s.endedBy != nil && !s.late() || s.startErr != nil {
		return
	}
	lost := errors.Is(err, procs.ErrSupervisorLost)
	switch {
	case lost:
		s.loop.notice(stream.NoticeWarning, "the supervisor of the vendor's processes was killed when all was said; they were ended without it")
	case s.late() && settled:
		s.loop.notice(stream.NoticeEndedLate, "the vendor stayed after its terminal record and was ended")
	case s.late():
		s.loop.notice(stream.NoticeEndedLate, "the vendor stayed after the end of its output and was ended")
	}
	if exit.Background > 0 {
		s.loop.notice(stream.NoticeBackground, fmt.Sprintf("processes that the vendor left behind were ended: %d", exit.Background))
	}
	if left, ok := errors.AsType[*procs.LeftError](err); ok {
		s.loop.notice(stream.NoticeWarning, left.Error()) // a clean-up that failed changes no verdict
	}
}

// startFailure turns an error of procs into ours. One of the clean-up alone is nil.
func (s *settle) startFailure(job Job, exit procs.Exit, err error) *Error {
	start, unstarted := errors.AsType[*procs.StartError](err)
	switch {
	case unstarted:
		return cannotStart(s.provider, job, start)
	case err != nil && !exit.Started:
		return Errorf(Process, "start", "starting %s: %w", job.Binary, err)
	case exit.Ended && errors.Is(err, procs.ErrSupervisorLost):
		lost := Errorf(Process, "supervisor", "looking after the vendor's process: %w", err)
		lost.Retryable = true
		return lost
	}
	return nil
}

// noInterpreter is a script whose first line asks env(1) for a program that is not
// in PATH: it exits with 127 then. The vendors' scripts for Node.js do so.
func (s *settle) noInterpreter(job Job) *Error {
	_, words, said := strings.Cut(LastLine(s.exit.Stderr), "env: ")
	if s.exit.Code != 127 || s.exit.Records > 0 || !said {
		return nil
	}
	return Errorf(NotFound, "interpreter", "%s cannot be run: %s", job.Binary, words).
		WithHint("install what its first line names, or put it into PATH (Node.js?)")
}

func cannotStart(about About, job Job, err *procs.StartError) *Error {
	switch {
	case errors.Is(err, procs.ErrSupervisorLost), job.Supervisor != "" && err.Path == job.Supervisor:
		return Errorf(Process, "supervisor", "starting the supervisor of %s: %w", job.Binary, err)
	case err.Path == job.Request.Cwd && err.Path != job.Binary:
		return Errorf(Usage, "path", "the directory to work in cannot be used: %w", err)
	case err.Interpreter:
		return Errorf(NotFound, "interpreter", "%w", err).WithHint("%s is a script: install what its first line names (Node.js?)", job.Binary)
	case errors.Is(err, fs.ErrNotExist):
		return Missing(about, job.Binary)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return Unrunnable(about, job.Binary, errors.Unwrap(err))
	case errors.Is(err, syscall.E2BIG):
		return Errorf(Usage, "argument_too_long", "an argument is longer than the system allows: %w", err).WithHint("give long text on stdin or in a file")
	}
	return Errorf(Process, "start", "starting %s: %w", job.Binary, err)
}

// Unrunnable is the error for a file in the place of the vendor's program that cannot be run.
func Unrunnable(about About, path string, err error) *Error {
	return Errorf(NotFound, "", "%s: %s cannot be run: %w", about.Title, path, err).
		WithHint("choose another with --bin or %s", about.Binary.Env)
}

// Missing is the error for a vendor's program that is not there.
func Missing(about About, path string) *Error {
	if path == "" {
		path = about.Binary.Name
	}
	err := Errorf(NotFound, "", "%s: no such program: %s", about.Title, path)
	if about.Binary.Install == "" {
		return err // the request named it
	}
	return err.WithHint("install it with `%s`, or name it with --bin or %s", about.Binary.Install, about.Binary.Env)
}

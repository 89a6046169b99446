package providers

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"agentrun/procs"
	"agentrun/stream"
)

// Job is one run, ready to start.
type Job struct {
	ID       string // our run id
	Provider Provider
	Request  Request
	Options  Options
	Command  Command // what Provider.Command made of the request
	Binary   string  // path of the vendor's program
	Env      []string
	// Supervisor is the path of our own binary, which takes care of the vendor's
	// processes when we are killed; "" does it from within this process.
	Supervisor string
	// Hurry, when closed, skips the grace of an end that is under way.
	Hurry <-chan struct{}
	// Pause stops (true) and continues (false) the vendor, and Paused is the time
	// so far for which it was stopped; both may be nil.
	Pause  <-chan bool
	Paused func() time.Duration
}

// Run starts the vendor, streams its chunks to the sink and says how it ended.
// When it returns, no process of the run is left. The end of ctx ends the run;
// an *Error as its cause becomes the failure, any other cause a cancellation.
func Run(ctx context.Context, job Job, sink Sink) Outcome {
	began := time.Now()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if total := job.Options.Clocks.Total; total > 0 {
		timer := time.AfterFunc(total, func() { end(totalTimeout(total)) })
		defer timer.Stop()
	}
	l := newLoop(job.Provider.NewMapper(job.Request), job.Options, job.Request.Deltas, sink)
	l.end = end
	s := settle{provider: job.Provider.About(), request: job.Request, opts: job.Options, loop: l}
	l.put(First(job.Provider, job.Request, job.ID, job.Binary))
	for _, c := range job.Command.Notices {
		l.put(c)
	}
	if l.sinkErr == nil {
		s.execute(ctx, job)
	}
	out := s.decide()
	if out.Terminal.Type != "" {
		if out.Terminal.Metadata.DurationMS == 0 {
			out.Terminal.Metadata.DurationMS = time.Since(began).Milliseconds()
		}
		out.ReaderGone = l.last(out.Terminal, sink) != nil
	}
	out.Started, out.Duration = began, time.Since(began)
	return out
}

// execute runs the process, or plays the provider's steps, and keeps how it went.
func (s *settle) execute(ctx context.Context, job Job) {
	if p, ok := job.Provider.(Player); ok {
		s.play(ctx, job, p)
		return
	}
	if err := writeFiles(job.Request.Dir, job.Command.Files); err != nil {
		s.startErr = Errorf(Process, "temp", "preparing the run's private folder: %w", err)
		return
	}
	defer os.RemoveAll(job.Request.Dir)
	exit, err := procs.Run(ctx, job.spec(), func(out *procs.Output) error {
		s.loop.clock = job.clock(out)
		return s.loop.run(tee(s.loop.clock, job.Options.Raw, s.loop))
	})
	if exit.Ended || !exit.Started {
		s.endedBy = context.Cause(ctx)
	}
	if s.loop.late = s.loop.late || exit.Ended && s.endedBy == nil && s.loop.sinkErr == nil; s.loop.late {
		exit.Code, exit.Signal = 0, 0 // an end that we made says nothing about the vendor
	}
	s.exit = Exit{Code: exit.Code, Signal: signalName(exit.Signal), Stderr: quiet(job.Options.redact(plain(exit.Stderr.String())), s.provider.StderrNoise), Records: s.loop.records}
	s.startErr = s.startFailure(err, job)
	s.epilogue(exit)
}

func (job Job) clock(in deadlineReader) *clocked {
	paused := job.Paused
	if paused == nil {
		paused = func() time.Duration { return 0 }
	}
	return &clocked{in: in, clocks: job.Options.Clocks, paused: paused}
}

// epilogue tells what we did to the vendor's processes.
func (s *settle) epilogue(exit procs.Exit) {
	if s.loop.late {
		s.loop.notice(stream.NoticeEndedLate, "the vendor stayed after its terminal record and was ended")
	}
	if exit.Background > 0 {
		s.loop.notice(stream.NoticeBackground, plural(exit.Background, "process")+" that the vendor left behind ended")
	}
}

func (job Job) spec() procs.Spec {
	signal := syscall.SIGTERM
	if job.Command.EndSignal == EndInt {
		signal = syscall.SIGINT
	}
	stdoutFile := ""
	if job.Command.StdoutFile {
		stdoutFile = filepath.Join(job.Request.Dir, "stdout")
	}
	return procs.Spec{
		Path: job.Binary, Args: job.Command.Args, Env: job.Env, Dir: job.Request.Cwd,
		Stdin: job.Command.Stdin, StdoutFile: stdoutFile, EndSignal: signal, Grace: job.Options.Grace,
		LeaveBackground: job.Options.LeaveBackground, Supervisor: job.Supervisor, Hurry: job.Hurry, Pause: job.Pause, ExitGrace: job.Options.Clocks.Exit,
		Mark: "AGENTRUN_RUN=" + job.ID, Cleanup: []string{job.Request.Dir},
	}
}

// startFailure turns an error of procs into ours; one that the run's own end explains is nil.
func (s *settle) startFailure(err error, job Job) *Error {
	start, unstarted := errors.AsType[*procs.StartError](err)
	explained := err == nil || s.endedBy != nil || s.loop.sinkErr != nil
	switch {
	case !unstarted && explained:
		return nil
	case !unstarted:
		return Errorf(Process, "supervisor", "looking after the vendor's process: %w", err)
	}
	about := job.Provider.About()
	switch {
	case start.Interpreter:
		return Errorf(NotFound, "interpreter", "%w", err).WithHint("%s is a script: install what its first line names (Node.js?)", job.Binary)
	case errors.Is(err, fs.ErrNotExist):
		return Missing(about, job.Binary)
	case errors.Is(err, fs.ErrPermission):
		return Errorf(NotFound, "", "%s cannot be run: %w", job.Binary, err).WithHint("make it executable, or choose another with --bin or %s", about.Binary.Env)
	case errors.Is(err, syscall.E2BIG):
		return Errorf(Usage, "argument_too_long", "an argument is longer than the system allows: %w", err).WithHint("give long text on stdin or in a file")
	}
	return Errorf(Process, "start", "starting %s: %w", job.Binary, err)
}

// Missing is the error for a vendor's program that is not there.
func Missing(about About, path string) *Error {
	if path == "" {
		path = about.Binary.Name
	}
	return Errorf(NotFound, "", "%s: no such program: %s", about.Title, path).
		WithHint("install it with `%s`, or name it with --bin or %s", about.Binary.Install, about.Binary.Env)
}

func totalTimeout(total time.Duration) *Error {
	err := Errorf(Timeout, ReasonTotal, "the run took longer than %s (total clock)", total).
		WithHint("give it more time with --timeout, or 0 for no limit")
	err.Retryable, err.Err = true, os.ErrDeadlineExceeded
	return err
}

func writeFiles(dir string, files []File) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

package providers

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"agentrun/procs"
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
	// Standby is such a supervisor that was started ahead, by StandBy.
	Standby *procs.Standby
	// Hold lists open files that the supervisor keeps open as long as anything of
	// the run lives, as procs.Spec.Hold.
	Hold []*os.File
	// Hurry, when closed, skips the grace of an end that is under way.
	Hurry <-chan struct{}
	// Refused is why the run is not started after all; nil starts it.
	Refused *Error
	// Review is told of the outcome when no process of the run is left, and before
	// the terminal chunk. Its error makes a failure of a success; nil has no say.
	Review func(Outcome) *Error
	// Talk is the other direction of a two-way run; nil in a one-way run.
	Talk Talk
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
	l := newLoop(job.Provider.NewMapper(job.Request), job.Options, job.Request.Deltas, sink)
	l.end = end
	if total := job.Options.Clocks.Total; total > 0 {
		timer := time.AfterFunc(total, func() { end(l.outOfTime(total)) })
		defer timer.Stop()
	}
	s := settle{provider: job.Provider.About(), request: job.Request, opts: job.Options, loop: l}
	l.put(First(job.Provider, job.Request, job.ID, job.Binary))
	for _, c := range job.Command.Notices {
		l.put(c)
	}
	s.execute(ctx, job)
	out := s.decide()
	if job.Review != nil {
		if err := job.Review(out); err != nil && out.Err == nil {
			s.overrule(&out, err)
		}
	}
	out.Stderr = s.exit.Stderr
	if out.Terminal.Type != "" {
		if out.Terminal.Metadata.DurationMS == 0 {
			out.Terminal.Metadata.DurationMS = time.Since(began).Milliseconds()
		}
		out.ReaderGone = l.last(out.Terminal, sink) != nil
	}
	out.Started, out.Duration = began, time.Since(began)
	return out
}

// StandBy starts the job's supervisor ahead of its run, beside which the rest can
// be got ready. Where that fails, the run tries it again and tells. A job that is
// not run after all has it dismissed.
func (job *Job) StandBy() {
	if _, plays := job.Provider.(Player); job.Supervisor != "" && !plays {
		job.Standby, _ = procs.StandBy(job.Supervisor, job.Mark())
	}
}

// Mark is in the environment of all that belongs to the run, NAME=VALUE.
func (job Job) Mark() string { return "AGENTRUN_RUN=" + job.ID }

// execute runs the process, or plays the provider's steps, and keeps how it
// went. The private folder is gone when it returns, also when the sink panics.
func (s *settle) execute(ctx context.Context, job Job) {
	defer removeAll(job.Request.Dir)
	defer job.Standby.Dismiss() // if it comes to nothing
	if s.startErr = job.Refused; s.startErr != nil || s.loop.sinkErr != nil {
		return
	}
	if p, ok := job.Provider.(Player); ok {
		s.play(ctx, job, p)
		return
	}
	if err := writeFiles(job.Request.Dir, job.Command.Files); err != nil {
		s.startErr = Errorf(Process, "temp", "preparing the run's private folder: %w", err)
		return
	}
	exit, err := procs.Run(ctx, job.spec(), func(out *procs.Output) error {
		in := &interruptible{in: out}
		s.loop.clock = job.clock(in)
		if s.loop.talk = job.Talk; job.Talk != nil {
			job.Talk.Start(out.Stdin, in.interrupt, s.loop.outlet())
		}
		return s.loop.run(tee(s.loop.clock, job.Options.Raw, s.loop))
	})
	s.processEnded(ctx, job, exit, err)
}

func (job Job) clock(in deadlineReader) *clocked {
	paused := job.Paused
	if paused == nil {
		paused = func() time.Duration { return 0 }
	}
	return &clocked{in: in, clocks: job.Options.Clocks, paused: paused}
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
		Stdin: job.Command.Stdin, KeepStdin: job.Talk != nil, StdoutFile: stdoutFile, EndSignal: signal, Grace: job.Options.Grace,
		LeaveBackground: job.Options.LeaveBackground, Supervisor: job.Supervisor, Standby: job.Standby, Hurry: job.Hurry, Pause: job.Pause, ExitGrace: exitGrace(job.Options.Clocks.Exit),
		Mark: job.Mark(), Cleanup: []string{job.Request.Dir}, Hold: job.Hold,
	}
}

// exitGrace is the clock for procs, where 0 does not mean that it is off.
func exitGrace(clock time.Duration) time.Duration {
	if clock == 0 {
		return math.MaxInt64
	}
	return clock
}

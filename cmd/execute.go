package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

// output is a sink with its end.
type output struct {
	emit  providers.Sink
	close func(providers.Outcome) error
}

// run starts the vendor and returns how it ended, as an exit status.
func (p *runPlan) run(ctx context.Context) (status error) {
	if err := p.openRaw(); err != nil {
		return err
	}
	signals := catchSignals(ctx)
	defer signals.stop()
	pauses := catchPauses()
	defer pauses.stop()
	p.job.Hurry, p.job.Pause, p.job.Paused = signals.hurry, pauses.out, pauses.paused
	patience := p.bound(signals)
	defer patience.stop()
	if err := p.claimDir(); err != nil {
		return err
	}
	record, err := startRecord(signals.ctx, p)
	if err != nil {
		return signals.or(err)
	}
	out := p.openOutput().recorded(record)
	outcome := providers.Run(signals.ctx, p.job, out.emit)
	if outcome.ReaderGone {
		p.unwritten(&outcome, errors.Unwrap(outcome.Err), signals)
	} else {
		p.unwritten(&outcome, out.close(outcome), signals)
	}
	defer func() { record.end(outcome, statusOf(status)) }()
	if err := p.mock.writeLog(); err != nil {
		fmt.Fprintf(p.sys.Err, "agentrun: warning: --mock-log: %v\n", err)
	}
	return p.tell(outcome, signals)
}

func (p *runPlan) openRaw() error {
	if p.flags.raw == "" {
		return nil
	}
	raw, err := os.OpenFile(p.flags.raw, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return providers.Errorf(providers.Usage, "path", "--raw: %w", err)
	}
	p.raw = raw
	return nil
}

// bound lets nobody who takes what we write keep us from ending.
func (p *runPlan) bound(signals *signals) *patience {
	const extra = 5 * time.Second // for the end itself
	grace := p.job.Options.Grace
	if grace == 0 {
		grace = 5 * time.Second
	}
	patience := newPatience(p.job.Options.Clocks.Total, grace+extra, signals.ctx.Done(), signals.hurry)
	p.sys.Out, p.sys.Err = patience.writer(p.sys.Out), patience.writer(p.sys.Err)
	if p.raw != nil {
		p.job.Options.Raw = patience.writer(p.raw)
	}
	return patience
}

// recorded is the same output, with every chunk kept as it passes.
func (o output) recorded(r *recorder) output {
	emit := o.emit
	o.emit = func(c stream.Chunk) error {
		r.chunk(c)
		return emit(c)
	}
	return o
}

// openOutput makes the sink for the form of stdout.
func (p *runPlan) openOutput() output {
	switch p.output {
	case outputText:
		t := render.NewText(p.sys.Out, p.sys.Err, render.TextOptions{
			Quiet: p.flags.quiet, Verbose: p.flags.verbose, Thinking: p.flags.thinking,
			Color: p.color(), Now: p.sys.Now,
		})
		return output{t.Emit, t.Close}
	case outputResult:
		return output{
			func(stream.Chunk) error { return nil },
			func(o providers.Outcome) error { return render.WriteOneShot(p.sys.Out, render.OneShot(o)) },
		}
	}
	lines := render.NewLines(p.sys.Out, true)
	if p.flags.stamp {
		lines.Stamp(p.job.ID, p.sys.Now)
	}
	return output{lines.Emit, func(providers.Outcome) error { return lines.Flush() }}
}

// color follows NO_COLOR and TERM=dumb, and is for terminals alone.
func (p *runPlan) color() bool {
	env := providers.Lookup(p.sys.Env)
	return p.sys.ErrTTY && env("NO_COLOR") == "" && env("TERM") != "dumb"
}

// unwritten takes an error of writing to stdout into the outcome: a reader that
// went away is its end, one that was too slow leaves the reason for the end as
// it was, and anything else is a failure.
func (p *runPlan) unwritten(outcome *providers.Outcome, err error, signals *signals) {
	stuck, ended := errors.Is(err, errStuck), signals.ctx.Err() != nil
	outcome.ReaderGone = false
	switch {
	case err == nil:
	case stuck && ended:
		outcome.Err = providers.Errorf(providers.Process, "cancelled", "the run was cancelled, and nobody took the rest of its output")
		outcome.Err.Err = context.Canceled
	case stuck:
		outcome.Err = providers.Errorf(providers.Timeout, providers.ReasonTotal, "the run took longer than %s (total clock), and nobody took the rest of its output", p.job.Options.Clocks.Total).
			WithHint("see who reads our stdout")
	case p.sys.OutTTY || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET):
		outcome.ReaderGone = true
	default:
		outcome.Err = providers.Errorf(providers.Process, "output", "writing our output: %w", err)
	}
}

// tell says once, on stderr, what went wrong.
func (p *runPlan) tell(outcome providers.Outcome, signals *signals) error {
	switch err := outcome.Err; {
	case outcome.ReaderGone:
		return exitStatus(statusReaderGone)
	case err == nil:
		return nil
	case outcome.Cancelled():
		fmt.Fprintf(p.sys.Err, "agentrun: %s\n", err)
		return signals.status(err.Class.ExitStatus())
	default:
		if p.flags.verbose && outcome.Terminal.Metadata != nil && outcome.Terminal.Metadata.Stderr != "" {
			fmt.Fprintf(p.sys.Err, "%s\n", outcome.Terminal.Metadata.Stderr)
		}
		fail(p.sys.Err, err)
		return exitStatus(err.Class.ExitStatus())
	}
}

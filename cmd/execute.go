package cmd

import (
	"context"
	"fmt"
	"os"
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
	if p.flags.raw != "" {
		raw, err := os.OpenFile(p.flags.raw, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return providers.Errorf(providers.Usage, "path", "--raw: %w", err)
		}
		p.raw, p.job.Options.Raw = raw, raw
	}
	if err := p.claimDir(); err != nil {
		return err
	}
	signals := catchSignals(ctx)
	defer signals.stop()
	pauses := catchPauses()
	defer pauses.stop()
	p.job.Hurry, p.job.Pause, p.job.Paused = signals.hurry, pauses.out, pauses.paused
	record, err := startRecord(signals.ctx, p)
	if err != nil {
		return signals.or(err)
	}
	out := p.openOutput().recorded(record)
	outcome, ended := p.await(signals, out)
	if !ended {
		return signals.status(providers.Timeout.ExitStatus())
	}
	defer func() { record.end(outcome, statusOf(status)) }()
	if err := p.mock.writeLog(); err != nil {
		fmt.Fprintf(p.sys.Err, "agentrun: warning: --mock-log: %v\n", err)
	}
	return p.tell(outcome, out, signals)
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

// await runs the job. It gives up on one whose end was asked for and that cannot
// end because nobody takes its output: the supervisor cleans up behind us then.
func (p *runPlan) await(signals *signals, out output) (providers.Outcome, bool) {
	done := make(chan providers.Outcome, 1)
	go func() { done <- providers.Run(signals.ctx, p.job, out.emit) }()
	var limit <-chan time.Time
	if total := p.job.Options.Clocks.Total; total > 0 {
		limit = time.After(total + p.patience())
	}
	asked := signals.ctx.Done()
	for {
		select {
		case outcome := <-done:
			return outcome, true
		case <-asked:
			asked, limit = nil, time.After(p.patience())
		case <-limit:
			return providers.Outcome{}, false
		}
	}
}

// patience is how long an end may take that was asked for.
func (p *runPlan) patience() time.Duration {
	grace := p.job.Options.Grace
	if grace == 0 {
		grace = 5 * time.Second
	}
	return grace + 10*time.Second
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

// tell ends the output and says once, on stderr, what went wrong.
func (p *runPlan) tell(outcome providers.Outcome, out output, signals *signals) error {
	if outcome.ReaderGone {
		return exitStatus(statusReaderGone)
	}
	if err := out.close(outcome); err != nil {
		return exitStatus(statusReaderGone)
	}
	switch err := outcome.Err; {
	case err == nil:
		return nil
	case outcome.Cancelled():
		fmt.Fprintf(p.sys.Err, "agentrun: %s\n", err)
		return signals.status(err.Class.ExitStatus())
	default:
		if p.flags.verbose && outcome.Terminal.Metadata != nil && outcome.Terminal.Metadata.Stderr != "" {
			fmt.Fprintf(p.sys.Err, "%s\n", outcome.Terminal.Metadata.Stderr)
		}
		return err
	}
}

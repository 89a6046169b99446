package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

// output is a sink with its end.
type output struct {
	emit  providers.Sink
	line  func(stream.LiveLine) error // of a live session; nil else
	close func(providers.Outcome) error
}

// run starts the vendor and returns how it ended, as an exit status.
func (p *runPlan) run(ctx context.Context) (status error) {
	if err := p.openRaw(); err != nil {
		return err
	}
	signals := catchSignals(ctx)
	defer signals.stop()
	defer p.close() // before a signal can kill us again
	pauses := catchPauses()
	defer pauses.stop()
	p.job.Hurry, p.job.Pause, p.job.Paused = signals.hurry, pauses.out, pauses.paused
	patience := p.bound(signals)
	defer patience.stop()
	p.job.StandBy()
	defer p.job.Standby.Dismiss() // if it comes to no run
	if err := p.claimDir(); err != nil {
		return err
	}
	record, err := startRecord(signals.ctx, p)
	if err != nil {
		return signals.or(err)
	}
	p.mask()
	watcher := p.startHooks(signals)
	watcher.beforeRun()
	out, still := p.openOutput(pauses)
	defer still()
	calls, began := render.NewCalls(p.sys.Now), p.sys.Now()
	out = p.traced(out.recorded(record).counted(calls))
	outcome := p.hold(signals.ctx, out, watcher)
	if outcome.ReaderGone {
		p.unwritten(&outcome, errors.Unwrap(outcome.Err), signals)
	} else {
		p.unwritten(&outcome, out.close(outcome), signals)
	}
	defer func() {
		record.end(outcome, statusOf(status))
		p.endTelemetry(outcome)
		p.report(render.Report{Calls: calls, Outcome: outcome, ExitStatus: statusOf(status), Began: began}, record)
		watcher.afterRun(outcome, statusOf(status))
	}()
	if silent := p.flags.quiet || p.output == outputResult; silent && p.copied.err != nil { // elsewhere a notice tells it
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: warning: --raw: %v\n", p.copied.err)
	}
	if err := p.mock.writeLog(); err != nil {
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: warning: --mock-log: %v\n", err)
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
		p.copied.Writer = patience.writer(p.raw)
		p.job.Options.Raw = &p.copied
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

// openOutput makes the sink for the form of stdout. The function ends what keeps it moving.
func (p *runPlan) openOutput(pauses *pauses) (output, func()) {
	if p.flags.chat {
		return p.chatOutput(pauses)
	}
	opts := p.textOptions()
	if p.output == outputText {
		t := render.NewText(p.sys.Out, p.sys.Err, opts)
		p.sys.Err = t.Talk()
		p.job.Options.Watch = t.Watch
		pauses.before(t.Pause)
		return output{emit: t.Emit, close: t.Close}, animate(t)
	}
	out := p.dataOutput()
	if p.ci != nil {
		t := render.NewText(io.Discard, p.sys.Err, opts)
		return out.beside(t), func() {}
	}
	return out, func() {}
}

// dataOutput is the sink for a program that reads stdout.
func (p *runPlan) dataOutput() output {
	w := p.guardOut()
	if isDialect(p.output) {
		return p.dialectOutput(w)
	}
	if p.flags.live {
		return p.liveOutput()
	}
	if p.output == outputResult {
		return output{
			emit:  func(stream.Chunk) error { return nil },
			close: func(o providers.Outcome) error { return render.WriteOneShot(w, render.OneShot(o)) },
		}
	}
	lines := render.NewLines(w, true)
	if p.flags.stamp {
		lines.Stamp(p.job.ID, p.sys.Now)
	}
	return output{emit: lines.Emit, close: func(providers.Outcome) error { return lines.Flush() }}
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
	case p.sys.readerGone(err):
		outcome.ReaderGone = true
	default:
		outcome.Err = writeFailed(err)
	}
}

// tell says once, on stderr, what went wrong.
func (p *runPlan) tell(outcome providers.Outcome, signals *signals) error {
	p.stderr(outcome.Stderr)
	switch err := outcome.Err; {
	case outcome.ReaderGone:
		return exitStatus(statusReaderGone)
	case err == nil:
		p.denials(outcome.Terminal)
		return nil
	case outcome.Cancelled():
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: %s\n", err)
		return signals.status(err.Class.ExitStatus())
	default:
		p.denials(outcome.Terminal)
		if !annotate(p.ci, p.sys.Err, err) {
			fail(p.sys.Err, err)
		}
		return exitStatus(err.Class.ExitStatus())
	}
}

// stderr shows what the vendor said on its stderr, for -v.
func (p *runPlan) stderr(text string) {
	if text = strings.TrimSpace(providers.Plain(text)); text == "" || !p.flags.verbose {
		return
	}
	if p.ci != nil {
		text = p.ci.Guard(text)
	}
	_, _ = fmt.Fprintf(p.sys.Err, "%s\n", text)
}

package cmd

import (
	"fmt"
	"slices"

	"agentrun/providers"
	"agentrun/stream"
	"agentrun/telemetry"
)

// startTelemetry begins to watch the run where the environment names a receiver.
func (p *runPlan) startTelemetry() error {
	if p.flags.dryRun {
		return nil
	}
	cfg, warnings := telemetry.Read(providers.Lookup(p.sys.Env), version)
	for _, w := range warnings {
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: warning: telemetry: %s\n", w)
	}
	if !cfg.On() {
		return nil
	}
	about := p.job.Provider.About()
	p.trace = telemetry.Start(cfg, telemetry.About{
		ID: p.job.ID, Provider: about.Name, Service: about.Models, Title: about.Title, Version: p.job.Request.Version, Model: p.model,
		Prompt: p.job.Options.Redact.Redact(p.job.Request.Prompt), Live: p.flags.live, Self: version,
	}, p.sys.Now)
	return nil
}

// traceEnv lets the vendor go on with the run's trace.
func (p *runPlan) traceEnv() []string {
	if p.trace == nil {
		return nil
	}
	return []string{"TRACEPARENT=" + p.trace.Traceparent()}
}

// traced is the same output, watched.
func (p *runPlan) traced(o output) output {
	if p.trace == nil {
		return o
	}
	p.heard = p.tracedInput(p.heard)
	emit, line := o.emit, o.line
	o.emit = func(c stream.Chunk) error {
		p.trace.Chunk(p.job.Options.Redact.Chunk(c))
		return emit(c)
	}
	if line != nil {
		o.line = func(l stream.LiveLine) error {
			p.trace.Line(l)
			return line(l)
		}
	}
	return o
}

// tracedInput tells of what comes into a live session, and then whoever else is told.
func (p *runPlan) tracedInput(also func(stream.LiveInput)) func(stream.LiveInput) {
	return func(in stream.LiveInput) {
		told := in
		told.Text, told.Parts = p.job.Options.Redact.Redact(in.Text), slices.Clone(in.Parts)
		for i := range told.Parts {
			told.Parts[i].Text = p.job.Options.Redact.Redact(told.Parts[i].Text)
		}
		p.trace.Heard(told)
		if also != nil {
			also(in)
		}
	}
}

// endTelemetry tells how the run ended. That nobody takes it is a warning.
func (p *runPlan) endTelemetry(outcome providers.Outcome) {
	if p.trace == nil {
		return
	}
	class, reason := "", ""
	switch {
	case outcome.ReaderGone, outcome.Cancelled():
		class = "cancelled"
	case outcome.Err != nil:
		class, reason = string(outcome.Err.Class), outcome.Err.Reason
	}
	if err := p.trace.End(class, reason); err != nil {
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: warning: telemetry was not taken: %v\n", p.job.Options.Redact.Redact(err.Error()))
	}
}

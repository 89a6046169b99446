package cmd

import (
	"io"
	"slices"
	"strings"
	"time"

	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/sessions"
	"agentrun/stream"
)

// outputs lists the forms of stdout.
func outputs() []string {
	return []string{outputText, outputChunks, outputResult, render.AgentEvents, render.SessionEvents}
}

// checkOutput refuses a form of stdout that is none.
func checkOutput(name string) error {
	if slices.Contains(outputs(), name) {
		return nil
	}
	err := providers.Errorf(providers.Usage, "", "--output: %q is none of %s", name, strings.Join(outputs(), ", "))
	if near := providers.Nearest(name, outputs()); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err
}

// isDialect reports whether the form of stdout is another event model than ours.
func isDialect(name string) bool { return name == render.AgentEvents || name == render.SessionEvents }

// dialectOutput is the sink of a run or live session that is told in another event model.
func (p *runPlan) dialectOutput(w io.Writer) output {
	d := render.NewDialect(p.output, w, render.DialectOptions{Run: p.job.ID, Live: p.flags.live, Now: p.sys.Now})
	p.heard = d.Heard
	return output{emit: d.Emit, line: d.Line, close: func(providers.Outcome) error { return d.Close() }}
}

// overhear passes inputs on and tells of them.
func overhear(inputs <-chan live.Input, heard func(stream.LiveInput)) <-chan live.Input {
	on := make(chan live.Input)
	go func() {
		defer close(on)
		for in := range inputs {
			if in.Err == nil {
				heard(in.LiveInput)
			}
			on <- in
		}
	}()
	return on
}

// exportDialect writes a stored run in another event model, with the times of its record.
func exportDialect(sys IO, rec sessions.Record, name string, w io.Writer) error {
	var at time.Time
	d := render.NewDialect(name, w, render.DialectOptions{Run: rec.ID, Now: func() time.Time { return at }})
	err := eachChunk(sys, rec.ID, func(line []byte, c stream.Chunk) error {
		var stamp stream.Stamp
		if ndjson.Unmarshal(line, &stamp) == nil {
			at, _ = time.Parse(time.RFC3339Nano, stamp.Time) // one without a time has none
		}
		return d.Emit(c)
	})
	if err != nil || rec.Ended.IsZero() {
		return err
	}
	at = rec.Ended
	return d.Close()
}

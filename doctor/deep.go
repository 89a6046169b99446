package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentrun/providers"
	"agentrun/stream"
)

// Run is `agentrun run` with these arguments, to its end.
type Run func(ctx context.Context, args []string) Ran

// Ran is how a run came out.
type Ran struct {
	Status int
	Chunks []stream.Chunk
	Stderr string
}

// Trials are the runs of --deep for one provider: the installed CLI, the
// embedded model, a private home.
type Trials struct {
	Report  Report // of Examine, Startable
	Shell   []string
	Version string
	Dir     string // an empty private folder
	Run     Run
}

// trial is one run, or a few.
type trial struct {
	name string
	try  func(Trials, context.Context) error
}

func trials() []trial {
	return []trial{
		{"text", Trials.text},
		{"tool", Trials.tool},
		{"failing-tool", Trials.failingTool},
		{"resume", Trials.resume},
		{"auth-error", Trials.authError},
		{"teardown", Trials.teardown},
	}
}

// All makes every trial and tells each as it ends. The end of ctx ends it early.
func (d Trials) All(ctx context.Context, tell func(providers.Finding)) []providers.Finding {
	var list []providers.Finding
	for _, t := range trials() {
		if ctx.Err() != nil {
			break
		}
		began := time.Now()
		f := judge(t.name, t.try(d, ctx), d.Report.Name)
		f.DurationMS = time.Since(began).Milliseconds()
		list = append(list, f)
		tell(f)
	}
	return list
}

func judge(name string, err error, provider string) providers.Finding {
	if err == nil {
		return providers.Fine(name, "as it should")
	}
	class, reason := providers.Agent, ""
	if e, ok := errors.AsType[*trialError](err); ok {
		class, reason = e.class, e.reason
	}
	return providers.Broken(name, class, reason, "%v", err).
		Advise("see it with `agentrun run --mock=%s %s hi -v`; if the login works, install the version that agentrun was tested with (`agentrun providers %s`)", scenarioOf(name), provider, provider)
}

// scenarioOf is the built-in scenario that shows a trial best.
func scenarioOf(trial string) string {
	switch trial {
	case "text", "resume":
		return "say"
	case "auth-error":
		return "401"
	case "teardown":
		return "sleep"
	}
	return trial
}

// trialError is a run that came out otherwise than it had to.
type trialError struct {
	what   string
	class  providers.Class
	reason string
}

func (e *trialError) Error() string { return e.what }

// wrong says what a run did instead, with the run's own failure as the class.
func (r Ran) wrong(format string, args ...any) error {
	e := &trialError{what: fmt.Sprintf(format, args...), class: providers.Agent}
	m := r.verdict()
	if m.Class != "" {
		e.class, e.reason = providers.Class(m.Class), m.Reason
		e.what += fmt.Sprintf("; it failed with %s: %s", m.Class, r.Chunks[len(r.Chunks)-1].Content)
	} else if len(r.Chunks) == 0 {
		e.what += ": " + strings.TrimSpace(strings.TrimPrefix(r.Stderr, "agentrun: error: "))
	}
	return e
}

// verdict is the metadata of the last chunk.
func (r Ran) verdict() stream.Metadata {
	if len(r.Chunks) == 0 || r.Chunks[len(r.Chunks)-1].Metadata == nil {
		return stream.Metadata{}
	}
	return *r.Chunks[len(r.Chunks)-1].Metadata
}

func (r Ran) text() string {
	var b strings.Builder
	for _, c := range r.Chunks {
		if c.Type == stream.Text {
			b.WriteString(c.Content)
		}
	}
	return b.String()
}

func (r Ran) count(t stream.Type) int {
	n := 0
	for _, c := range r.Chunks {
		if c.Type == t {
			n++
		}
	}
	return n
}

// run plays a scenario, or a script file.
func (d Trials) run(ctx context.Context, scenario, prompt string, more ...string) Ran {
	args := []string{
		"run", "--mock=" + scenario, "--output", "chunks", "--no-record", "--cwd", d.Dir,
		"--bin", d.Report.Binary, "--timeout", "90s",
	}
	if d.Report.Version != "" {
		args = append(args, "--vendor-version", d.Report.Version)
	}
	args = append(append(args, more...), d.Report.Name, "--", prompt)
	return d.Run(ctx, args)
}

// good requires a run that succeeded and said the words.
func (r Ran) good(words string) error {
	switch {
	case r.Status != 0:
		return r.wrong("the run ended with status %d", r.Status)
	case !strings.Contains(r.text(), words):
		return r.wrong("the answer is %.200q, without %q", r.text(), words)
	}
	return nil
}

func (d Trials) text(ctx context.Context) error {
	return d.run(ctx, "say", "hello doctor").good("You said: hello doctor")
}

// withTool requires a good run with one tool call and its result.
func (r Ran) withTool(words string) error {
	if err := r.good(words); err != nil {
		return err
	}
	if uses, results := r.count(stream.ToolUse), r.count(stream.ToolResult); uses != 1 || results != 1 {
		return r.wrong("%d tool calls and %d results in the stream, and not one of each", uses, results)
	}
	return nil
}

func (d Trials) tool(ctx context.Context) error {
	return d.run(ctx, "tool", "use a tool", d.Shell...).withTool("mock tool output")
}

// failingTool: a tool that fails is not a run that fails.
func (d Trials) failingTool(ctx context.Context) error {
	return d.run(ctx, "failing-tool", "use a tool", d.Shell...).withTool("No such file or directory")
}

// resume: the second run has the session of the first, and its prompt.
func (d Trials) resume(ctx context.Context) error {
	home, log := filepath.Join(d.Dir, "home"), filepath.Join(d.Dir, "asked.jsonl")
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	const word = "remember-the-wombat"
	first := d.run(ctx, "say", word, "--mock-home", home)
	if err := first.good(word); err != nil {
		return err
	}
	id := first.verdict().SessionID
	if id == "" {
		return first.wrong("the stream names no session")
	}
	second := d.run(ctx, "say", "what was it?", "--mock-home", home, "--mock-log", log, "--resume", id)
	if err := second.good("what was it?"); err != nil {
		return err
	}
	if got := second.verdict().SessionID; got != id {
		return second.wrong("session %s was carried on as %s", id, got)
	}
	asked, err := os.ReadFile(log)
	if err != nil {
		return err
	}
	if !strings.Contains(string(asked), word) {
		return second.wrong("the model was not sent what was said before")
	}
	return nil
}

// authError: a refused key is told as what it is.
func (d Trials) authError(ctx context.Context) error {
	r := d.run(ctx, "401", "hello")
	if r.Status != providers.Auth.ExitStatus() {
		return r.wrong("a refused key ended with status %d, and not %d", r.Status, providers.Auth.ExitStatus())
	}
	return nil
}

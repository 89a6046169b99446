package cmd

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"agentrun/live"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

const liveLong = `Hold a session with an agent: JSON lines both ways, until stdin ends.

Each line of stdin is one object: message (words for the next turn), steer (words
into the running turn), answer (to a request), update (model, access, effort),
abort (the running turn) or close. Each is acknowledged or refused by a line of
stdout. Stdout is the stream of ` + "`agentrun run`" + `, with request, turn_start, turn_end and
state lines between the chunks; docs/live.md and ` + "`agentrun schema live-input`" + ` and
` + "`live-line`" + ` have the shapes.

At the end of stdin the session ends after the running turn and the messages that
wait. The exit status is 0 for a session that ended in good order, whatever became
of its turns; a session of one turn ends as a run of that turn would.`

func newLive(sys IO) *cobra.Command {
	f := &runFlags{live: true}
	c := &cobra.Command{
		Use:   "live PROVIDER",
		Short: "Hold a two-way session with an agent, in JSON lines",
		Long:  liveLong,
		Example: `  printf '%s\n' '{"type":"message","text":"hello"}' | agentrun live claude --mock
  mkfifo in; agentrun live codex --deltas <in >out & exec 3>in
  echo '{"type":"message","id":"1","text":"fix the tests"}' >&3`,
		Args: liveArgs,
		RunE: func(c *cobra.Command, args []string) error { return runOnce(c, sys, f, args) },
	}
	f.register(c.Flags())
	for _, name := range []string{"prompt-file", "stdin", "quiet", "schema", "timeout"} {
		_ = c.Flags().MarkHidden(name) // they have no meaning between turns
	}
	f.clocks.Total = 0
	return c
}

func liveArgs(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return providers.Errorf(providers.Usage, "", "no provider was named").WithHint("the providers are: %s", providerNames())
	case len(args) > 1:
		return providers.Errorf(providers.Usage, "", "a live session takes its messages from stdin, not as an argument")
	}
	return nil
}

// converser is the provider's two-way side.
func (p *runPlan) converser() (providers.Converser, error) {
	c, ok := p.job.Provider.(providers.Converser)
	if !ok {
		return nil, providers.Errorf(providers.Unsupported, "live", "%s has no two-way mode", p.job.Provider.About().Title)
	}
	return c, nil
}

// twoWay reports whether the run is held in the two-way mode: a live session, a
// run whose policy or hooks answer what the vendor asks, or one of a vendor without another mode.
func (p *runPlan) twoWay() bool {
	c, ok := p.job.Provider.(providers.Converser)
	return p.flags.live || p.policy != nil || slices.ContainsFunc(p.hooks, decides) || ok && c.Live().Only
}

// hold runs the job: a one-way run, or a live session.
func (p *runPlan) hold(ctx context.Context, out output, h *hooked) providers.Outcome {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if h != nil {
		h.end, p.job.Review, out = end, h.review, h.watching(out)
	}
	if !p.twoWay() {
		return providers.Run(ctx, p.job, out.emit)
	}
	config := live.Config{Job: p.job, Chunk: p.policy.watching(out.emit), Decide: p.policy.rule(), Advise: h.advisers(), Load: p.loadPart}
	if p.flags.live {
		config.Inputs, config.Line = p.said(), out.line
	} else {
		config.Inputs, config.Alone, config.Job.Request.Prompt = p.message(), true, ""
	}
	return live.Run(ctx, config)
}

// said is what comes in: JSON lines, or what a person types.
func (p *runPlan) said() <-chan live.Input {
	if p.chat != nil {
		return p.chat.inputs
	}
	inputs := live.Read(p.sys.In)
	if p.heard != nil {
		return overhear(inputs, p.heard)
	}
	return inputs
}

// loadPart reads a file that a message names, by the rules of the command line.
func (p *runPlan) loadPart(path string) ([]byte, error) {
	full, err := p.resolvePath("image", providers.KindContent, path)
	if err != nil {
		return nil, err
	}
	data := p.job.Request.Contents[full]
	delete(p.job.Request.Contents, full)
	return data, nil
}

// liveOutput is the sink of a live session: chunks and its own lines.
func (p *runPlan) liveOutput() output {
	lines := render.NewLines(p.sys.Out, true)
	if p.flags.stamp {
		lines.Stamp(p.job.ID, p.sys.Now)
	}
	return output{
		emit:  lines.Emit,
		line:  func(l stream.LiveLine) error { return lines.Line(l) },
		close: func(providers.Outcome) error { return lines.Flush() },
	}
}

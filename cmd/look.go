package cmd

import (
	"time"

	"github.com/spf13/pflag"

	"agentrun/providers"
	"agentrun/render"
)

// lookFlags say how text looks at a terminal.
type lookFlags struct {
	color    string
	markdown string
}

func (f *lookFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.color, "color", "auto", "text: colour of the talk: `auto` (at a terminal, without NO_COLOR), always or never")
	fs.StringVar(&f.markdown, "markdown", "auto", "text: render the answer's Markdown: `auto` (at a terminal with colour) or never")
}

func (f *lookFlags) check() error {
	switch f.color {
	case "auto", "always", "never":
	default:
		return providers.Errorf(providers.Usage, "", "--color: %q is none of auto, always, never", f.color)
	}
	switch f.markdown {
	case "auto", "never":
	default:
		return providers.Errorf(providers.Usage, "", "--markdown: %q is neither auto nor never", f.markdown)
	}
	return nil
}

// textOptions say how to show a run to a person.
func (p *runPlan) textOptions() render.TextOptions {
	f, env := p.flags, providers.Lookup(p.sys.Env)
	o := render.TextOptions{Quiet: f.quiet, Verbose: f.verbose, Thinking: f.thinking, Now: p.sys.Now}
	live := p.sys.ErrSize != nil && env("TERM") != "dumb"
	o.Color = f.look.color == "always" || f.look.color == "auto" && live && env("NO_COLOR") == ""
	if p.ci != nil {
		o.Guard, o.Group = p.ci.Guard, p.ci.Group
		return o
	}
	if live {
		o.Size = p.sys.ErrSize
	}
	o.Markdown = p.sys.OneTTY && o.Color && f.look.markdown == "auto"
	return o
}

// animate keeps the status line moving until the returned function is called.
func animate(t *render.Text) (stop func()) {
	const rate = 125 * time.Millisecond
	ticker, done := time.NewTicker(rate), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				t.Tick()
			case <-done:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(done)
	}
}

package cmd

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"agentrun/lineedit"
	"agentrun/live"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

const chatLong = `Talk with an agent at a terminal: a live session (see ` + "`agentrun live`" + `) for a person.

A line is a message; while the agent works it goes into the running turn where the
vendor can take it, and waits for the next one elsewhere. Alt-Enter or Ctrl-J begins
another line of the same message, and a paste is one message however many lines it
has. What the agent asks is answered at the prompt. Ctrl-C aborts the turn, a second
one ends the session, and so does Ctrl-D on an empty line; Ctrl-Z and fg work. What
was typed is kept for the arrow keys in chat-history, in the state folder; not with
--no-record.

Commands:
  /model NAME     /access LEVEL     /effort LEVEL    for the next turns
  /abort          end the running turn
  /quit           end the session, after the running turn
  /help           this list
A message that is to begin with a slash has a space before it.`

func newChat(sys IO) *cobra.Command {
	f := &runFlags{live: true, chat: true}
	c := &cobra.Command{
		Use:     "chat PROVIDER",
		Short:   "Talk with an agent at a terminal",
		Long:    chatLong,
		Example: "  agentrun chat claude\n  agentrun chat codex --access edit --resume @last\n  agentrun chat claude --mock=tool",
		Args:    liveArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.checkChat(sys); err != nil {
				return err
			}
			return runOnce(c, sys, f, args)
		},
	}
	f.register(c.Flags())
	for _, name := range []string{"prompt-file", "stdin", "quiet", "schema", "timeout", "output", "deltas", "stamp", "markdown"} {
		_ = c.Flags().MarkHidden(name) // they have no meaning here
	}
	f.clocks.Total = 0
	return c
}

// checkChat makes sure that there is a terminal to talk at.
func (f *runFlags) checkChat(sys IO) error {
	if f.output != "" && f.output != outputText {
		return providers.Errorf(providers.Usage, "", "chat prints text, not --output %s", f.output).WithHint("`agentrun live` has the same session in JSON lines")
	}
	f.output = outputText
	_, file := sys.In.(*os.File)
	if !file || !sys.InTTY || !sys.OutTTY || providers.Lookup(sys.Env)("TERM") == "dumb" {
		return providers.Errorf(providers.Usage, "terminal", "chat needs a terminal for stdin and stdout").WithHint("`agentrun live` has the same session in JSON lines")
	}
	return nil
}

// chat is the person's side of a live session.
type chat struct {
	tty     *lineedit.Terminal
	editor  *lineedit.Editor
	inputs  chan live.Input
	done    chan struct{} // the session is over
	killed  func()        // as Ctrl-C would without us
	caps    providers.LiveCapabilities
	history *chatHistory
	text    *render.Text
	now     func() time.Time

	mu       sync.Mutex
	state    stream.LiveState
	began    time.Time         // of the turn that runs
	aborted  bool              // the running turn was
	leaving  bool              // Ctrl-C was pressed while nothing ran
	finished bool              // the inputs are closed
	asks     []*ask            // open, the oldest first
	rules    map[string]string // of the policy, by the request that is to come
}

// chatOutput takes the terminal over and begins to read it. The returned function
// gives it back, however the session ended.
func (p *runPlan) chatOutput(pauses *pauses) (output, func()) {
	in, _ := p.sys.In.(*os.File)
	screen := p.sys.Out
	c := &chat{inputs: make(chan live.Input), done: make(chan struct{}), killed: interruptSelf, state: stream.StateStarting, now: p.sys.Now, rules: map[string]string{}}
	if v, ok := p.job.Provider.(providers.Converser); ok {
		c.caps = v.Live()
	}
	var history lineedit.History
	if !p.flags.noRecord {
		c.history = openChatHistory(p.sys.StateDir)
		history = c.history
	}
	tty, err := lineedit.OpenTerminal(in, screen)
	c.tty = tty
	c.editor = lineedit.New(tty, screen, terminalSize(in), history, lineedit.Keys{Interrupt: c.interrupt, Suspend: suspend, Complete: completeCommand})
	restore := sync.OnceFunc(func() {
		close(c.done)
		c.editor.Leave(screen)
		if err == nil {
			_ = errors.Join(tty.Stop(), tty.Restore())
		}
	})
	opts := p.textOptions()
	opts.Size, opts.Markdown = terminalSize(in), false
	p.sys.Err = c.editor
	c.text = render.NewText(c.editor, c.editor, opts)
	p.job.Options.Watch = c.text.Watch
	p.chat = c
	if err != nil { // nobody can say anything
		c.finish()
	} else {
		pauses.before(c.pause)
		go c.read()
		go c.watch()
	}
	return output{
		emit: c.chunk,
		line: c.line,
		close: func(o providers.Outcome) error {
			restore()
			return c.text.Close(o)
		},
	}, restore
}

// interruptSelf does what Ctrl-C does at a terminal that is not raw.
func interruptSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Signal(os.Interrupt)
	}
}

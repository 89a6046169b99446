package cmd

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"agentrun/stream"
)

// watch follows the terminal's size, comes back after a stop, and keeps the
// status line moving.
func (c *chat) watch() {
	const rate = 125 * time.Millisecond
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGWINCH, syscall.SIGCONT)
	defer signal.Stop(signals)
	ticker := time.NewTicker(rate)
	defer ticker.Stop()
	for {
		select {
		case sig := <-signals:
			if sig == syscall.SIGCONT {
				_ = c.tty.Raw()
				c.editor.Show()
			}
			c.editor.Resize()
		case <-ticker.C:
			c.editor.Status(c.status())
		case <-c.done:
			return
		}
	}
}

// pause leaves the terminal to the shell.
func (c *chat) pause() {
	c.editor.Hide()
	_ = c.tty.Restore()
}

// suspend is Ctrl-Z, as a terminal that is not raw does it.
func suspend() { _ = syscall.Kill(0, syscall.SIGTSTP) }

// status is the status line while a turn runs and nobody is asked.
func (c *chat) status() string {
	c.mu.Lock()
	running, began := c.state == stream.StateRunning && c.asked() == nil, c.began
	c.mu.Unlock()
	if !running {
		return ""
	}
	return c.text.Status(began)
}

// refresh shows the prompt that fits what is going on.
func (c *chat) refresh() {
	c.mu.Lock()
	a := c.asked()
	prompt := "> "
	switch {
	case a != nil:
		prompt = a.prompt(c.caps.Session)
	case c.state == stream.StateRunning && c.caps.Steer:
		prompt = "steer> "
	case c.state == stream.StateRunning:
		prompt = "next> "
	}
	if c.history != nil {
		c.history.mute(a != nil)
	}
	c.mu.Unlock()
	c.editor.Prompt(prompt)
}

package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/term"

	"agentrun/live"
	"agentrun/providers"
	"agentrun/stream"
)

// read takes what is typed until the person has no more to say.
func (c *chat) read() {
	c.refresh()
	for {
		line, err := c.term.ReadLine()
		if err != nil && !errors.Is(err, term.ErrPasteIndicator) {
			c.finish()
			return
		}
		c.typed(line)
		c.refresh()
	}
}

// typed carries out a line.
func (c *chat) typed(line string) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	rest = strings.TrimSpace(rest)
	c.mu.Lock()
	c.leaving = false
	asked := c.asked()
	state := c.state
	c.mu.Unlock()
	switch {
	case word == "":
	case strings.HasPrefix(line, "/") && (asked == nil || slices.Contains(chatCommands(), word)):
		c.command(word, rest)
	case asked != nil:
		c.answer(asked, strings.TrimSpace(line))
	case c.caps.Steer && (state == stream.StateRunning || state == stream.StateWaiting):
		c.send(stream.LiveInput{Type: stream.LiveSteer, Text: strings.TrimSpace(line)})
	default:
		c.send(stream.LiveInput{Type: stream.LiveMessage, Text: strings.TrimSpace(line)})
	}
}

func chatCommands() []string {
	return []string{"/model", "/access", "/effort", "/abort", "/quit", "/help"}
}

func (c *chat) command(word, rest string) {
	in := stream.LiveInput{Type: stream.LiveUpdate}
	switch word {
	case "/model":
		in.Model = rest
	case "/access":
		in.Access = rest
	case "/effort":
		in.Effort = rest
	case "/abort":
		in.Type = stream.LiveAbort
	case "/quit":
		c.finish()
		return
	case "/help":
		_, help, _ := strings.Cut(chatLong, "Commands:\n")
		c.say(strings.Split(help, "\n")...)
		return
	default:
		hint := "the commands are: " + strings.Join(chatCommands(), ", ")
		if near := providers.Nearest(word, chatCommands()); near != "" {
			hint = "did you mean " + near + "?"
		}
		c.say("! there is no " + word + ": " + hint)
		return
	}
	if in.Type == stream.LiveUpdate && rest == "" {
		c.say("! " + word + " takes a word, like " + word + " NAME")
		return
	}
	c.send(in)
}

// interrupt is Ctrl-C: it aborts the turn, and the second one ends the session.
func (c *chat) interrupt() {
	c.mu.Lock()
	busy := c.state == stream.StateRunning || c.state == stream.StateWaiting
	first := busy && !c.aborted && c.caps.Abort
	again := c.leaving
	c.aborted, c.leaving = busy, !busy
	c.mu.Unlock()
	switch {
	case first:
		c.send(stream.LiveInput{Type: stream.LiveAbort})
	case busy:
		c.killed()
	case again:
		c.finish()
	default:
		c.say("Ctrl-C again ends the session")
	}
}

func (c *chat) send(in stream.LiveInput) {
	c.mu.Lock()
	finished := c.finished
	c.mu.Unlock()
	if finished {
		c.say("! the session is ending")
		return
	}
	select {
	case c.inputs <- live.Input{LiveInput: in}:
	case <-c.done:
	}
}

// finish says that the person has no more to say.
func (c *chat) finish() {
	c.mu.Lock()
	finished := c.finished
	c.finished = true
	c.mu.Unlock()
	if !finished {
		close(c.inputs)
	}
}

// line shows a line of the session, where a person wants to know.
func (c *chat) line(l stream.LiveLine) error {
	c.mu.Lock()
	var show []string
	switch l.Type {
	case stream.LiveStateLine:
		c.state = l.State
	case stream.LiveTurnStart:
		c.aborted = false
	case stream.LiveTurnEnd:
		c.state = stream.StateIdle // the line that says so is next
		show = []string{turnLine(l)}
	case stream.LiveAck:
		if l.Queued && c.state != stream.StateStarting {
			show = []string{"-- it waits for the running turn"}
		}
		if l.Input == stream.LiveUpdate {
			show = []string{"-- changed, from the next turn on"}
		}
	case stream.LiveRefused:
		show = []string{"! " + providers.Plain(l.Message)}
		c.reopen(l)
	case stream.LiveRequest:
		a := newAsk(l)
		c.asks = append(c.asks, a)
		show = a.words()
	case stream.LiveRequestEnd:
		c.asks = slices.DeleteFunc(c.asks, func(a *ask) bool { return a.id == l.ID })
		if l.By != "answer" {
			show = []string{"-- it does not ask any longer"}
		}
	}
	c.mu.Unlock()
	c.refresh()
	if len(show) == 0 {
		return nil
	}
	return c.out.say(show...)
}

func (c *chat) say(lines ...string) { _ = c.out.say(lines...) } // the session finds out by itself that nobody reads

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
	select {
	case <-c.done:
	default:
		c.term.SetPrompt(prompt)
		_, _ = c.out.Write(nil)
	}
}

// turnLine tells how a turn ended.
func turnLine(l stream.LiveLine) string {
	words := fmt.Sprintf("-- turn %d %s", l.Turn, l.Status)
	if l.Status == stream.TurnFailed {
		words += " (" + strings.TrimSuffix(l.Class+"/"+l.Reason, "/") + "): " + providers.Plain(l.Message)
	}
	if m := l.Metadata; m != nil {
		if u := m.Usage; u != nil && u.InputTokens != nil && u.OutputTokens != nil {
			words += fmt.Sprintf(", %d tokens in, %d out", *u.InputTokens, *u.OutputTokens)
		}
		if m.TotalCostUSD != nil {
			words += fmt.Sprintf(", $%.4f", *m.TotalCostUSD)
		}
	}
	return words
}

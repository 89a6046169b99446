package cmd

import (
	"fmt"
	"slices"
	"strings"

	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// read takes what is typed until the person has no more to say.
func (c *chat) read() {
	c.refresh()
	for {
		line, err := c.editor.ReadLine()
		if err != nil {
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

// completeCommand is the Tab key.
func completeCommand(line string) string {
	fits := slices.DeleteFunc(chatCommands(), func(word string) bool { return !strings.HasPrefix(word, line) })
	if line == "" || len(fits) != 1 {
		return line
	}
	return fits[0] + " "
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
// With no turn there it takes away what was typed, or ends the session by the second one.
func (c *chat) interrupt(typed bool) {
	c.mu.Lock()
	busy := c.state == stream.StateRunning || c.state == stream.StateWaiting
	first := busy && !c.aborted && c.caps.Abort
	again := c.leaving
	c.aborted, c.leaving = busy, !busy && !typed
	c.mu.Unlock()
	switch {
	case first:
		c.send(stream.LiveInput{Type: stream.LiveAbort})
	case busy:
		c.killed()
	case typed:
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

// chunk shows a chunk, and remembers which rule has a request asked.
func (c *chat) chunk(ch stream.Chunk) error {
	if m := ch.Metadata; m != nil && m.Notice == stream.NoticePolicy {
		var d struct {
			RequestID string `json:"request_id"`
			Action    string `json:"action"`
			Rule      string `json:"rule"`
			Reason    string `json:"reason"`
		}
		if ndjson.Unmarshal(m.Data, &d) == nil && d.Action == "ask" && d.RequestID != "" {
			rule := d.Rule
			if d.Reason != "" {
				rule += ", " + d.Reason
			}
			c.mu.Lock()
			c.rules[d.RequestID] = rule
			c.mu.Unlock()
		}
	}
	return c.text.Emit(ch)
}

// line shows a line of the session, where a person wants to know.
func (c *chat) line(l stream.LiveLine) error {
	c.mu.Lock()
	var show []string
	switch l.Type {
	case stream.LiveStateLine:
		c.state = l.State
	case stream.LiveTurnStart:
		c.aborted, c.began = false, c.now()
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
		a := newAsk(l, c.rules[l.ID])
		delete(c.rules, l.ID)
		c.asks = append(c.asks, a)
		show = a.words(false)
	case stream.LiveRequestEnd:
		asked := len(c.asks)
		c.asks = slices.DeleteFunc(c.asks, func(a *ask) bool { return a.id == l.ID })
		if l.By != "answer" && len(c.asks) < asked { // a policy's own answers were never asked for
			show = []string{"-- it does not ask any longer"}
		}
	}
	c.mu.Unlock()
	c.refresh()
	if len(show) == 0 {
		return nil
	}
	return c.editor.Say(show...)
}

func (c *chat) say(lines ...string) { _ = c.editor.Say(lines...) } // the session finds out by itself that nobody reads

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

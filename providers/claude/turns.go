package claude

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// turn is the turn that runs. One of ours begins with a message, and one of the
// CLI's own, after background work, with its init line. A result ends it, unless
// words wait that belong to it: the message itself, when the CLI was about to
// begin a turn of its own, or a steer that came too late for the last round.
type turn struct {
	runs     bool
	message  *words // nil in a turn of the CLI's own
	steers   []*words
	held     bool // a result came, and steers wait
	aborting bool // we asked for its end
}

// words are a message or a steer on its way.
type words struct {
	uuid    string
	known   bool // the CLI tells what becomes of it
	started bool // the model has it
}

// begins notes that the CLI works, in a turn that nobody asked for when none runs.
func (d *driver) begins(kind string, rec ndjson.Record, do func(providers.Effect)) {
	switch kind {
	case "system":
		var h head
		if rec.Decode(&h) != nil {
			return
		}
		if h.Subtype == "session_state_changed" {
			var line stateLine
			if rec.Decode(&line) == nil {
				d.leave.enter(line.State)
			}
		}
		if h.Subtype != "init" {
			return
		}
	case "assistant", "stream_event":
		var line parentLine
		if d.turn.runs || rec.Decode(&line) != nil || line.Parent != "" {
			return // a subagent in the background is no turn
		}
	default:
		return
	}
	if !d.turn.runs {
		d.begin(nil)
		do(providers.TurnStart{})
	}
}

func (d *driver) begin(message *words) {
	d.m.nextTurn()
	d.turn = turn{runs: true, message: message}
}

// lifecycle follows a message or steer.
func (d *driver) lifecycle(rec ndjson.Record, do func(providers.Effect)) error {
	var line lifecycleLine
	if err := rec.Decode(&line); err != nil {
		return providers.Unknown("command_lifecycle", rec.Raw, providers.Emitter(do))
	}
	t := &d.turn
	w := t.find(line.UUID)
	if w == nil || !t.runs {
		return nil
	}
	w.known = true
	switch line.State {
	case "started":
		w.started = true
		t.held = t.held && w == t.message
	case "cancelled", "discarded", "refused":
		d.dropped(w, do)
	}
	return nil
}

// dropped takes note that words never reached the model.
func (d *driver) dropped(w *words, do func(providers.Effect)) {
	t := &d.turn
	switch {
	case w.started: // a result tells
	case w == t.message:
		d.end(do)
	default:
		t.forget(w)
		if !t.aborting {
			do(providers.Emit{Chunk: notice(stream.NoticeWarning, "the vendor dropped words that were to steer the turn", nil)})
		}
		if t.held && !t.waits() {
			d.end(do)
		}
	}
}

// result takes the result that the mapper has taken.
func (d *driver) result(do func(providers.Effect)) {
	t := &d.turn
	switch {
	case !t.runs:
	case t.message != nil && t.message.known && !t.message.started && d.m.last.UserMessage != t.message.uuid:
		// Of a turn of the CLI's own, before ours.
	case t.waits():
		t.held = true
	default:
		d.end(do)
	}
}

// end says how the turn ended. What the main conversation asked is void.
func (d *driver) end(do func(providers.Effect)) {
	d.voidAsks(false, do)
	t, last := d.turn, d.m.last
	d.turn = turn{}
	v := d.m.Verdict(providers.Exit{})
	v.Metadata = d.m.turnMetadata(v.Metadata)
	e := providers.TurnEnd{Status: stream.TurnCompleted, Verdict: v}
	// 2.1.0 gives no reason.
	cut := last == nil || t.held || strings.HasPrefix(last.TerminalReason, "aborted") || last.Subtype == "error_during_execution"
	switch {
	case t.aborting && cut:
		e.Status, e.Verdict.Err = stream.TurnCancelled, nil
	case last == nil:
		e.Status, e.Verdict.Err = stream.TurnFailed, providers.Errorf(providers.Agent, "dropped", "claude dropped the message")
	case v.Err != nil:
		e.Status = stream.TurnFailed
	}
	do(e)
}

func (t *turn) find(uuid string) *words {
	if t.message != nil && t.message.uuid == uuid {
		return t.message
	}
	for _, w := range t.steers {
		if w.uuid == uuid {
			return w
		}
	}
	return nil
}

// waits reports whether a steer has not reached the model. A CLI that tells
// nothing of messages is not waited for.
func (t *turn) waits() bool {
	if t.message == nil || !t.message.known {
		return false
	}
	for _, w := range t.steers {
		if !w.started {
			return true
		}
	}
	return false
}

func (t *turn) forget(w *words) {
	for i, have := range t.steers {
		if have == w {
			t.steers = append(t.steers[:i], t.steers[i+1:]...)
			return
		}
	}
}

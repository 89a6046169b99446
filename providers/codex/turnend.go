package codex

import (
	"maps"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// mostCleans bounds how often the server is asked to end the commands of a turn.
const mostCleans = 3

// completed takes turn/completed. A turn of the server's own may end before ours begins.
func (d *driver) completed(t serverTurn) {
	if d.turn.runs && (d.turn.id == "" || d.turn.id == t.ID) {
		d.turn.done = &t
	}
}

// settleTurn goes on with what the last line made possible: to send what waits
// for the beginning of the turn, and to end it.
func (d *driver) settleTurn(do func(providers.Effect)) {
	d.sendWaiting(do)
	t := &d.turn
	switch {
	case t.done == nil || t.done.ID != t.id:
		return
	case t.done.Status == "interrupted" && d.commandsRun():
		// An interrupt leaves them running.
		if !t.cleaning {
			d.clean(do)
		}
	default:
		d.end(do)
	}
}

// commandsRun reports whether commands of the turn run that can be ended.
func (d *driver) commandsRun() bool {
	for id := range d.turn.commands {
		asked := slices.ContainsFunc(d.asks, func(a ask) bool { return a.item == id })
		if !asked && d.turn.refused[id] == "" && d.turn.cleaned < mostCleans {
			return true
		}
	}
	return false
}

type onlyThread struct {
	Thread string `json:"threadId"`
}

// clean asks the server to end the commands that run, and then which still do.
func (d *driver) clean(do func(providers.Effect)) {
	id := d.turn.id
	d.turn.cleaning = true
	d.turn.cleaned++
	d.rpc.Request("thread/backgroundTerminals/clean", onlyThread{d.m.thread}, do, func(line *jsonrpc.Message, do func(providers.Effect)) {
		switch {
		case d.turn.id != id: // it has ended meanwhile
		case line.Error != nil:
			d.turn.cleaned = mostCleans
		default:
			d.rpc.Request("thread/backgroundTerminals/list", onlyThread{d.m.thread}, do, d.cleaned(id))
		}
	})
}

// cleaned takes the list of the commands that still run.
func (d *driver) cleaned(id string) jsonrpc.Then {
	return func(line *jsonrpc.Message, _ func(providers.Effect)) {
		if d.turn.id != id {
			return
		}
		var running struct {
			Data []ndjson.RawMessage `json:"data"`
		}
		d.turn.cleaning = false
		if line.Error != nil || ndjson.Unmarshal(line.Result, &running) != nil || len(running.Data) == 0 {
			d.turn.cleaned = mostCleans
		}
	}
}

// end says how the turn ended.
func (d *driver) end(do func(providers.Effect)) {
	t := d.turn
	d.said.forget(d.m.thread)
	d.closeRefused(do)
	d.voidAsks(false, do)
	for _, in := range t.steers {
		do(providers.Settle{Input: in, Err: noTurn("the turn has ended")})
	}
	d.turn = turn{}
	do(d.turnEnd(&t, do))
}

func (d *driver) turnEnd(t *turn, do func(providers.Effect)) providers.TurnEnd {
	m := d.m
	e := providers.TurnEnd{Status: stream.TurnCompleted}
	repeated := ""
	switch t.done.Status {
	case "completed":
		m.completed = true
	case "failed":
		m.failed, e.Status = true, stream.TurnFailed
		if t.done.Error != nil {
			m.failure = t.done.Error.Message
			repeated = m.failure
		}
	default:
		e.Status = stream.TurnCancelled
	}
	if e.Status != stream.TurnCancelled {
		m.lateCause(repeated, providers.Emitter(do))
	}
	e.Verdict = m.Verdict(providers.Exit{})
	if t.fault != nil {
		e.Verdict.Err = t.fault
	}
	switch err := e.Verdict.Err; {
	case t.aborting && (e.Status == stream.TurnFailed || e.Status == stream.TurnCancelled), e.Status == stream.TurnCancelled:
		e.Status, e.Verdict.Err = stream.TurnCancelled, nil
	case t.own && err != nil && err.Reason == providers.ReasonEmpty:
		e.Verdict.Err = nil // it was not asked to say something
	case err != nil:
		e.Status = stream.TurnFailed
	}
	e.Verdict.Metadata.Model = d.model
	e.Verdict.Metadata.Usage, e.Verdict.Metadata.SessionUsage = d.spent.turn()
	return e
}

// closeRefused gives a result to the calls that were not allowed and that the
// server never closes.
func (d *driver) closeRefused(do func(providers.Effect)) {
	for _, a := range d.asks {
		if !a.background {
			d.turn.refused[a.item] = "not answered before the turn ended"
		}
	}
	for _, id := range slices.Sorted(maps.Keys(d.turn.refused)) {
		d.refuse(id, d.turn.refused[id], do)
	}
}

// refuse closes a call of the thread that was not allowed, if it is open.
func (d *driver) refuse(id, why string, do func(providers.Effect)) {
	name, open := d.m.open[id]
	if !open {
		return
	}
	delete(d.m.open, id)
	d.m.over.add(id)
	d.m.deny(stream.Denial{ToolName: name, ToolID: id, Message: why})
	do(providers.Emit{Chunk: stream.Chunk{
		Type: stream.ToolResult, ToolName: name, ToolID: id, ToolOutput: ndjson.Encode(why), IsError: true,
		Metadata: &stream.Metadata{Denied: true},
	}})
}

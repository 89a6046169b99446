package codex

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// driver holds a session of `codex app-server`: one thread, and what its
// subagents' threads say. The mapper of the one-way mode makes the chunks and
// the verdict of each turn.
type driver struct {
	req    providers.Request
	fields *fields
	m      *mapper            // of the thread
	others map[string]*mapper // of subagents' threads

	rpc   *jsonrpc.Client
	asks  []ask
	names providers.RequestIDs

	opened bool
	fault  *providers.Error // why there is no thread
	closed bool             // stdin is
	model  string
	next   sticky // what the next turn changes
	turn   turn
	spent  spent
	said   said
	agents agents
	open   calls
}

func newDriver(r providers.Request) *driver {
	f, _ := r.Fields.(*fields)
	if f == nil {
		f = &fields{Access: accessRead}
	}
	return &driver{
		req: r, fields: f, m: newMapper(r), others: map[string]*mapper{}, rpc: jsonrpc.NewClient("", 1), names: providers.RequestIDs{},
		next: firstSticky(r, f), said: said{}, agents: agents{parents: map[string]string{}, turns: map[string]string{}},
	}
}

// Receive takes one line of the server.
func (d *driver) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	if d.closed {
		do = providers.Unheard(do)
	}
	line := new(jsonrpc.Message)
	if err := rec.Decode(line); err != nil {
		return providers.Unknown("a line in another form", rec.Raw, providers.Emitter(do))
	}
	line.ID = ndjson.Present(line.ID)
	switch {
	case line.Method == "" && line.ID == nil:
		return providers.Unknown("a line without a method", rec.Raw, providers.Emitter(do))
	case line.Method == "":
		d.rpc.Receive(line, do)
	case line.ID != nil:
		d.asked(line, do)
	default:
		if err := d.notified(line, do); err != nil {
			return err
		}
	}
	d.settleTurn(do)
	return nil
}

// Close ends stdin: codex then leaves at once.
func (d *driver) Close(do func(providers.Effect)) {
	if !d.closed { // there was no thread
		d.voidAsks(true, do)
		d.closed = true
		do(providers.CloseStdin{})
	}
}

// Facts are the mapper's.
func (d *driver) Facts() providers.Facts {
	f := d.m.Facts()
	f.Model = d.model
	f.Settled = f.Settled || d.fault != nil
	f.Pending = !d.closed && len(d.agents.turns) > 0
	for _, m := range d.others {
		f.Progress += m.progress
	}
	return f
}

// Verdict judges a process that ended by itself, or that could not begin.
func (d *driver) Verdict(e providers.Exit) providers.Verdict {
	d.m.readLog(e.Stderr)
	return providers.Verdict{Err: d.ending(e), Metadata: stream.Metadata{
		SessionID: d.m.thread, Model: d.model, Usage: d.m.usage, Denials: d.m.denials, Warnings: d.m.warnings,
	}}
}

func (d *driver) ending(e providers.Exit) *providers.Error {
	switch {
	case d.fault != nil:
		return d.fault
	case e.Signal != "":
		return died(e)
	case !d.opened && e.Code > 0:
		if err := startup(e); err != nil {
			return err
		}
	case e.Code == statusPanic || d.turn.runs:
		return d.m.noRecord(e)
	}
	return providers.Errorf(providers.Process, providers.ReasonCrash, "codex ended the session with status %d", e.Code)
}

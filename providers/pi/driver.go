package pi

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// driver holds a session of `pi --mode rpc`. The mapper of the one-way mode
// makes the chunks and the verdict of each turn; the driver adds what goes the
// other way.
type driver struct {
	req    providers.Request
	fields *fields
	m      *mapper

	sent  int    // commands of ours, for their ids
	calls []call // those without a response, in order
	asks  []ask
	names providers.RequestIDs

	ready  bool
	closed bool            // stdin is
	vendor string          // of the model
	skills map[string]bool // as words call them: skill:NAME
	queued int             // words that pi has not given to the model
	stirs  int             // how often pi took up work
	turn   turn
}

func newDriver(r providers.Request) *driver {
	m := newMapper(r)
	return &driver{req: r, fields: m.given, m: m, names: providers.RequestIDs{}, skills: map[string]bool{}}
}

// Open asks for the state: its answer says that pi is up.
func (d *driver) Open(do func(providers.Effect)) {
	if guards(d.req, d.fields) && !d.fields.NoSkills {
		providers.SendLine(d.command("get_commands", func(r response, _ func(providers.Effect)) {
			var list commandList
			if ndjson.Unmarshal(r.Data, &list) != nil {
				return
			}
			for _, c := range list.Commands {
				if c.Source == "skill" {
					d.skills[c.Name] = true
				}
			}
		}), do)
	}
	providers.SendLine(d.command("get_state", func(r response, do func(providers.Effect)) {
		var s state
		if ndjson.Unmarshal(r.Data, &s) == nil {
			d.vendor = s.Model.Provider
			d.m.header(sessionEvent{ID: s.Session, Cwd: d.req.Cwd}, providers.Emitter(do))
		}
		d.ready = true
		do(providers.Ready{})
	}), do)
}

// Receive takes one line of pi.
func (d *driver) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	if d.closed {
		do = providers.Unheard(do)
	}
	var kind struct {
		Type string `json:"type"`
	}
	if err := rec.Decode(&kind); err != nil {
		return broken("event", err)
	}
	switch kind.Type {
	case "response":
		return d.answered(rec, do)
	case "extension_ui_request":
		return decode(rec, func(u uiRequest) { d.asked(u, do) })
	case "queue_update":
		return decode(rec, func(q queueUpdate) { d.queued = len(q.Steering) + len(q.FollowUp) })
	case "agent_start":
		d.started(do)
	}
	if err := d.m.Map(rec, func(c stream.Chunk) { d.emit(c, do) }); err != nil {
		return err
	}
	return d.moved(kind.Type, rec, do)
}

// queueUpdate lists the words that wait.
type queueUpdate struct {
	Steering []string `json:"steering"`
	FollowUp []string `json:"followUp"`
}

// emit passes a chunk on and keeps the turn's denials.
func (d *driver) emit(c stream.Chunk, do func(providers.Effect)) {
	if c.Type == stream.ToolResult && c.Metadata != nil && c.Metadata.Denied {
		text, _ := plainText(c.ToolOutput)
		d.turn.denials = append(d.turn.denials, stream.Denial{ToolName: c.ToolName, ToolID: c.ToolID, Message: text})
	}
	do(providers.Emit{Chunk: c})
}

// Close ends stdin: pi then leaves at once.
func (d *driver) Close(do func(providers.Effect)) {
	d.dropAsks(true, do)
	d.closed = true
	do(providers.CloseStdin{})
}

// Facts are the mapper's.
func (d *driver) Facts() providers.Facts { return d.m.Facts() }

// Verdict is that of the one-way mode, for a session that ended by itself.
func (d *driver) Verdict(exit providers.Exit) providers.Verdict {
	d.m.settled, d.m.ended = false, false
	idle := d.ready && !d.turn.runs
	v := d.m.Verdict(exit)
	if idle && exit.Code == 0 && exit.Signal == "" {
		v.Err = providers.Errorf(providers.Process, providers.ReasonCrash, "pi ended the session with status 0%s", exit.LastWords())
	}
	return v
}

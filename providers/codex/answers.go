package codex

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// The answers to the server's requests.
type (
	decision struct {
		Decision string `json:"decision"`
	}
	elicited struct {
		Action  stream.Action     `json:"action"`
		Content ndjson.RawMessage `json:"content"`
		Meta    any               `json:"_meta"`
	}
	granted struct {
		Permissions ndjson.RawMessage `json:"permissions"`
		Scope       string            `json:"scope"` // turn or session
	}
	persist struct {
		Persist string `json:"persist"`
	}
)

// Answer answers a request of the server.
func (d *driver) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	i := slices.IndexFunc(d.asks, func(a ask) bool { return a.name == in.RequestID })
	if i < 0 {
		return providers.Errorf(providers.Usage, "no_request", "no request %q is open", in.RequestID)
	}
	a := d.asks[i]
	if d.req.Asks && in.Action == stream.Accept && (in.For == "session" || a.params.GrantRoot != "") {
		return providers.Errorf(providers.Unsupported, "session", "codex would ask no more, and the policy could not decide").
			WithHint("answer for once, or allow it by a rule")
	}
	result, err := a.answer(in)
	if err != nil {
		return err
	}
	d.asks = slices.Delete(d.asks, i, i+1)
	d.rpc.Respond(a.id, result, do)
	d.answeredTool(&a, in, result, do)
	if in.Action == stream.Cancel && !a.background {
		d.cancelled(&a, do)
	}
	return nil
}

// answer is the result that the server takes for it.
func (a *ask) answer(in stream.LiveInput) (any, error) {
	accept, session := in.Action == stream.Accept, in.For == "session"
	if session && (!accept || a.method == askInput || a.method == askElicitation && !a.params.ofTool()) {
		return nil, providers.Errorf(providers.Usage, "", "only the permission of a tool can be given for the session")
	}
	switch a.method {
	case askPermissions:
		return a.permissions(in), nil
	case askInput:
		if !accept {
			return answers{map[string]oneAnswer{}}, nil
		}
		return answersOf(a.params.Questions, in.Data)
	case askElicitation:
		e := elicited{Action: in.Action}
		if accept {
			e.Content = in.Data
		}
		if session {
			e.Meta = persist{"session"}
		}
		return e, nil
	}
	if accept && session {
		return decision{"acceptForSession"}, nil
	}
	return decision{string(in.Action)}, nil
}

func (a *ask) permissions(in stream.LiveInput) granted {
	g := granted{ndjson.RawMessage("{}"), "turn"}
	if in.Action != stream.Accept {
		return g
	}
	g.Permissions = a.params.Permissions
	if len(in.Data) > 0 {
		g.Permissions = in.Data
	}
	if in.For == "session" {
		g.Scope = "session"
	}
	return g
}

// answeredTool closes a call that is nothing but its question, and notes a
// refused one: where the turn ends with it, the server never closes it.
func (d *driver) answeredTool(a *ask, in stream.LiveInput, result any, do func(providers.Effect)) {
	m, emit := d.of(a.params.Thread, do)
	refused := in.Action != stream.Accept
	if a.method != askInput && a.method != askPermissions {
		if refused && m == d.m && d.turn.runs && a.item != "" {
			d.turn.refused[a.item] = "declined"
		}
		return
	}
	name, open := m.open[a.item]
	if !open {
		return
	}
	c := stream.Chunk{Type: stream.ToolResult, ToolName: name, ToolID: a.item, ToolOutput: ndjson.Encode(result), IsError: refused}
	if refused {
		c.Metadata = &stream.Metadata{Denied: true}
		m.deny(stream.Denial{ToolName: name, ToolID: a.item, Message: "declined"})
	}
	delete(m.open, a.item)
	m.over.add(a.item)
	emit(c)
}

// cancelled ends the turn with the answer: the server does so by itself for a
// command or a change of files.
func (d *driver) cancelled(a *ask, do func(providers.Effect)) {
	d.turn.aborting = true
	if a.method == askCommand || a.method == askChange {
		d.turn.interrupted = true
	}
	d.sendWaiting(do)
}

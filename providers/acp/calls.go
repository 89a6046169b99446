package acp

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// callUpdate is a tool_call or tool_call_update: what it leaves out stays as it was.
type callUpdate struct {
	ID        string            `json:"toolCallId"`
	Title     string            `json:"title"`
	Kind      string            `json:"kind"`
	Status    string            `json:"status"`
	Content   ndjson.RawMessage `json:"content"`
	Input     ndjson.RawMessage `json:"rawInput"`
	Output    ndjson.RawMessage `json:"rawOutput"`
	Locations []struct {
		Path string `json:"path"`
	} `json:"locations"`
}

// call is a tool call without a result.
type call struct {
	callUpdate
	name      string
	announced bool // a tool_use chunk told of it
	declined  bool // we did not allow it
}

// calls are the tool calls of the turn.
type calls struct {
	open   []*call
	closed map[string]bool // ids of those that are over
	before map[string]bool // the same of the turn before: news of a cancelled call may be late
}

func (cs *calls) find(id string) *call {
	for _, c := range cs.open {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// know is the call of an update, new or open; nil when it has its result.
func (cs *calls) know(u callUpdate) *call {
	c := cs.find(u.ID)
	switch {
	case c == nil && (cs.closed[u.ID] || cs.before[u.ID]):
		return nil
	case c == nil:
		c = &call{callUpdate: callUpdate{ID: u.ID}}
		cs.open = append(cs.open, c)
	}
	c.merge(u)
	return c
}

func (c *call) merge(u callUpdate) {
	for _, s := range []struct {
		to *string
		by string
	}{{&c.Title, u.Title}, {&c.Kind, u.Kind}, {&c.Status, u.Status}} {
		if s.by != "" {
			*s.to = s.by
		}
	}
	for _, r := range []struct {
		to *ndjson.RawMessage
		by ndjson.RawMessage
	}{{&c.Content, u.Content}, {&c.Input, u.Input}, {&c.Output, u.Output}} {
		if ndjson.Present(r.by) != nil {
			*r.to = r.by
		}
	}
	if u.Locations != nil {
		c.Locations = u.Locations
	}
}

// take takes an update. A call that is only pending may get its input by a
// later one, so that it is announced when there is more to say.
func (cs *calls) take(u callUpdate, first bool, d *driver, do func(providers.Effect)) {
	c := cs.know(u)
	if c == nil {
		return // late or twice
	}
	switch {
	case u.Status == "completed" || u.Status == "failed":
		cs.announce(c, d, do)
		cs.result(c, d, do)
	case !c.announced && (c.Status == "pending" || c.Status == "") && first && !given(c.Input):
		cs.settle(c, d, do)
	default:
		cs.announce(c, d, do)
	}
}

// given reports whether an input says something.
func given(input ndjson.RawMessage) bool {
	return ndjson.Present(input) != nil && string(input) != "{}"
}

// settle makes known what is held back, before something else is told: calls
// that are announced nowhere, and the results of those that were declined, for
// not every agent tells of those. The call itself is left alone.
func (cs *calls) settle(but *call, d *driver, do func(providers.Effect)) {
	for _, c := range slices.Clone(cs.open) {
		switch {
		case c == but:
		case c.declined:
			cs.deny(c, d, do)
		case !c.announced:
			cs.tell(c, d, do)
		}
	}
}

func (cs *calls) announce(c *call, d *driver, do func(providers.Effect)) {
	if !c.announced {
		cs.settle(c, d, do)
		cs.tell(c, d, do)
	}
}

func (cs *calls) tell(c *call, d *driver, do func(providers.Effect)) {
	c.announced = true
	d.turn.did = true
	input := c.Input
	c.name = c.Kind
	if own := d.cfg.Dialect.Tool; own != nil {
		name, in := own(Tool{c.ID, c.Kind, c.Title})
		if c.name = name; ndjson.Present(input) == nil {
			input = in
		}
	}
	if c.name == "" {
		c.name = "other"
	}
	use := stream.Chunk{Type: stream.ToolUse, ToolName: c.name, ToolID: c.ID}
	if ndjson.Present(input) != nil {
		use.ToolInput = input
	}
	if data := c.data(); data != nil {
		use.Metadata = &stream.Metadata{Data: data}
	}
	emit(use, do)
}

// data is what the protocol tells of a call beside its input.
func (c *call) data() ndjson.RawMessage {
	v := struct {
		Title string   `json:"title,omitempty"`
		Kind  string   `json:"kind,omitempty"`
		Paths []string `json:"paths,omitempty"`
	}{c.Title, c.Kind, c.paths()}
	if data := ndjson.Encode(v); string(data) != "{}" {
		return data
	}
	return nil
}

func (c *call) paths() []string {
	var list []string
	for _, l := range c.Locations {
		if l.Path != "" && !slices.Contains(list, l.Path) {
			list = append(list, l.Path)
		}
	}
	return list
}

func (cs *calls) result(c *call, d *driver, do func(providers.Effect)) {
	output, text := c.output()
	r := stream.Chunk{Type: stream.ToolResult, ToolName: c.name, ToolID: c.ID, ToolOutput: output, IsError: c.Status == "failed"}
	denied := c.declined && r.IsError
	if own := d.cfg.Dialect.Result; own != nil {
		failed, forbidden := own(text)
		r.IsError, denied = r.IsError || failed, denied || forbidden
	}
	if denied {
		r.Metadata = &stream.Metadata{Denied: true}
	}
	cs.close(c)
	emit(r, do)
}

// deny is the result of a call that was declined and of which nothing came.
func (cs *calls) deny(c *call, d *driver, do func(providers.Effect)) {
	if !c.announced {
		cs.tell(c, d, do)
	}
	cs.close(c)
	emit(stream.Chunk{
		Type: stream.ToolResult, ToolName: c.name, ToolID: c.ID, IsError: true, Metadata: &stream.Metadata{Denied: true},
	}, do)
}

func (cs *calls) close(c *call) {
	if cs.closed == nil {
		cs.closed = map[string]bool{}
	}
	cs.closed[c.ID] = true
	cs.open = slices.DeleteFunc(cs.open, func(o *call) bool { return o == c })
}

// decline notes that a call was not allowed.
func (cs *calls) decline(id string) {
	if c := cs.find(id); c != nil {
		c.declined = true
	}
}

// finish ends the turn's calls. Those open in a cancelled turn are cancelled, as
// the protocol has it; any other one has no result, and none is made up.
func (cs *calls) finish(cancelled bool, d *driver, do func(providers.Effect)) {
	cs.settle(nil, d, do)
	for _, c := range slices.Clone(cs.open) {
		cs.close(c)
		if cancelled {
			emit(stream.Chunk{Type: stream.ToolResult, ToolName: c.name, ToolID: c.ID, IsError: true}, do)
		}
	}
	*cs = calls{before: cs.closed}
}

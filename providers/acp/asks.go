package acp

import (
	"slices"
	"strconv"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// ask is a request of the agent that is open.
type ask struct {
	name    string            // ours
	id      ndjson.RawMessage // the agent's
	tool    string            // the id of a call, of a permission
	options []choice          // of a permission
	turn    bool              // it belongs to the turn that runs
}

// choice is an answer that the agent offers.
type choice struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"` // allow_once, allow_always, reject_once, reject_always
}

const (
	allowOnce   = "allow_once"
	allowAlways = "allow_always"
)

type permission struct {
	Session string     `json:"sessionId"`
	Options []choice   `json:"options"`
	Call    callUpdate `json:"toolCall"`
}

// elicitation is a question: a form to fill in, or a page to visit.
type elicitation struct {
	Message string            `json:"message"`
	Schema  ndjson.RawMessage `json:"requestedSchema"`
	URL     string            `json:"url"`
	Call    string            `json:"toolCallId"`
}

// question takes a request of the agent. One that nobody here can answer gets
// an error at once, so that the agent does not wait for ever.
func (d *driver) question(m *jsonrpc.Message, do func(providers.Effect)) error {
	if d.closed || slices.ContainsFunc(d.asks, func(a ask) bool { return string(a.id) == string(m.ID) }) {
		return nil // nobody can answer, or it is the same again
	}
	a := ask{id: m.ID, turn: d.turn.runs}
	var r providers.AgentRequest
	switch m.Method {
	case "session/request_permission":
		var p permission
		if err := ndjson.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		if d.cfg.Asks { // an agent that is allowed for good would ask no more
			p.Options = slices.DeleteFunc(p.Options, func(c choice) bool { return c.Kind == allowAlways })
		}
		a.tool, a.options = p.Call.ID, p.Options
		r = d.permission(p, do)
	case "elicitation/create":
		var e elicitation
		if err := ndjson.Unmarshal(m.Params, &e); err != nil {
			return err
		}
		r = providers.AgentRequest{Kind: stream.AskQuestion, Message: e.Message, Schema: e.Schema}
		r.Context.ToolID = e.Call
		if e.URL != "" {
			r.Kind, r.Message, r.Schema = stream.AskAuth, e.Message+" ("+e.URL+")", nil
		}
	default:
		emit(stream.Notice(stream.NoticeWarning, d.cfg.Agent+" asked for "+m.Method+", which agentrun does not do"), do)
		d.rpc.Refuse(m.ID, "agentrun does not do "+m.Method, do)
		return nil
	}
	d.asked++
	a.name = strconv.Itoa(d.asked)
	r.ID, r.Background = a.name, !a.turn
	d.asks = append(d.asks, a)
	do(r)
	return nil
}

// permission announces the call that is asked about, which some agents tell of nowhere else.
func (d *driver) permission(p permission, do func(providers.Effect)) providers.AgentRequest {
	r := providers.AgentRequest{Kind: stream.AskToolPermission, Message: p.Call.Title, Schema: offered(p.Options)}
	if r.Message == "" {
		r.Message = "allow " + p.Call.Kind + "?"
	}
	c := &call{callUpdate: p.Call} // of no call, or of one that is over
	if p.Call.ID != "" {
		if known := d.calls.know(p.Call); known != nil {
			c = known
			d.calls.announce(c, d, do)
		}
	}
	r.Context = stream.AskContext{ToolName: c.name, ToolID: c.ID, ToolInput: c.Input, Paths: c.paths()}
	if own := d.cfg.Dialect.Tool; own != nil && ndjson.Present(c.Input) == nil {
		r.Context.ToolName, r.Context.ToolInput = own(Tool{c.ID, c.Kind, c.Title})
	}
	if len(r.Context.ToolInput) == 0 {
		r.Context.Content = contents(c.Content)
	}
	r.Context.Command = commandOf(r.Context.ToolInput)
	if r.Context.Command == "" && c.Kind == "execute" {
		r.Context.Command = c.Title
	}
	return r
}

// contents is a list of contents, or nil where it is none or empty.
func contents(raw ndjson.RawMessage) ndjson.RawMessage {
	var list []struct{}
	if ndjson.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return nil
	}
	return raw
}

func commandOf(input ndjson.RawMessage) string {
	var in struct {
		Command string `json:"command"`
	}
	_ = ndjson.Unmarshal(input, &in) // another tool's input, or a command that is a list
	return in.Command
}

// offered is the schema of an accepting answer's data: which of the agent's own ways to allow.
func offered(options []choice) ndjson.RawMessage {
	type value struct {
		Const string `json:"const"`
		Title string `json:"title,omitempty"`
	}
	var schema struct {
		Type       string `json:"type"`
		Properties struct {
			Option struct {
				Description string  `json:"description"`
				OneOf       []value `json:"oneOf"`
			} `json:"option"`
		} `json:"properties"`
		Additional bool `json:"additionalProperties"`
	}
	schema.Type, schema.Properties.Option.Description = "object", "one of the agent's own ways to allow it"
	for _, o := range options {
		if o.allows() {
			schema.Properties.Option.OneOf = append(schema.Properties.Option.OneOf, value{o.ID, o.Name})
		}
	}
	if len(schema.Properties.Option.OneOf) == 0 {
		return nil
	}
	return ndjson.Encode(schema)
}

func (c choice) allows() bool { return c.Kind == allowOnce || c.Kind == allowAlways }

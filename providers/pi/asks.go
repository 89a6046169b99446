package pi

import (
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// uiRequest is what an extension wants of the user: a dialog, or a notice that
// takes no answer.
type uiRequest struct {
	ID          string   `json:"id"`
	Method      string   `json:"method"`
	Title       string   `json:"title"`
	Message     string   `json:"message"`
	NotifyType  string   `json:"notifyType"` // info, warning or error
	Options     []string `json:"options"`
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
}

// ask is a dialog without an answer.
type ask struct {
	name       string // ours
	id, method string
	tool       string // id of the call that our own extension asks about
	background bool   // it was asked while no turn ran
}

// asked takes a request of an extension, ours or another one.
func (d *driver) asked(u uiRequest, do func(providers.Effect)) {
	switch u.Method {
	case "select", "confirm", "input", "editor":
	case "notify":
		kind := stream.NoticeInfo
		if u.NotifyType == "warning" || u.NotifyType == "error" {
			kind = stream.NoticeWarning
		}
		do(providers.Emit{Chunk: stream.Notice(kind, u.Message)})
		return
	default: // what a terminal shows
		return
	}
	if u.ID == "" || slices.ContainsFunc(d.asks, func(a ask) bool { return a.id == u.ID }) {
		return
	}
	a := ask{id: u.ID, method: u.Method, background: !d.turn.runs}
	r := question(u)
	if call, ok := u.gate(); ok && d.req.Asks {
		a.tool = call.ID
		r = call.request()
	}
	if d.turn.told || d.closed {
		sendAnswer(uiAnswer{ID: a.id, Cancelled: true}, do)
		return
	}
	a.name = d.names.Name(u.ID)
	r.ID, r.Background = a.name, a.background
	d.asks = append(d.asks, a)
	do(r)
}

// gate is the tool call that our own extension asks about.
func (u uiRequest) gate() (call gateAsk, ok bool) {
	ok = u.Method == "input" && u.Title == gateTitle && ndjson.Unmarshal([]byte(u.Placeholder), &call) == nil && call.ID != ""
	return call, ok
}

// toolInput is what the inputs of pi's tools have in common.
type toolInput struct {
	Command string `json:"command"`
	Path    string `json:"path"`
}

func (c gateAsk) request() providers.AgentRequest {
	var in toolInput
	_ = ndjson.Unmarshal(c.Input, &in) // another tool's input has other fields
	r := providers.AgentRequest{
		Kind: stream.AskToolPermission, Message: "allow " + c.Name + "?", Rewritable: true,
		Schema: ndjson.RawMessage(`{"type":"object","description":"input for the tool in place of tool_input"}`),
		Context: stream.AskContext{
			ToolName: c.Name, ToolID: c.ID, ToolInput: c.Input, ParentToolID: c.Parent, Command: in.Command,
		},
	}
	if in.Path != "" {
		r.Context.Paths = []string{in.Path}
	}
	return r
}

// valueSchema is the schema of the answer to a dialog.
type valueSchema struct {
	Type       string `json:"type"`
	Properties struct {
		Value struct {
			Type    string   `json:"type"`
			Enum    []string `json:"enum,omitempty"`
			Default string   `json:"default,omitempty"`
		} `json:"value"`
	} `json:"properties"`
	Required []string `json:"required"`
}

// question is an extension's question. One to confirm is accepted or declined; the
// others take a value.
func question(u uiRequest) providers.AgentRequest {
	r := providers.AgentRequest{Kind: stream.AskQuestion, Message: strings.Trim(u.Title+"\n"+u.Message, "\n")}
	if u.Method == "confirm" {
		return r
	}
	s := valueSchema{Type: "object", Required: []string{"value"}}
	s.Properties.Value.Type, s.Properties.Value.Enum, s.Properties.Value.Default = "string", u.Options, u.Prefill
	r.Schema = ndjson.Encode(s)
	if u.Placeholder != "" {
		r.Message += " (" + u.Placeholder + ")"
	}
	return r
}

// dropAsks closes what was asked within the turn, and with all what was asked
// beside it. pi takes an answer to a question that is closed already without a word.
func (d *driver) dropAsks(all bool, do func(providers.Effect)) {
	for _, a := range slices.Clone(d.asks) {
		if a.background && !all {
			continue
		}
		d.forget(a.id)
		sendAnswer(uiAnswer{ID: a.id, Cancelled: true}, do)
		do(providers.Withdraw{ID: a.name})
	}
}

func (d *driver) forget(id string) {
	d.asks = slices.DeleteFunc(d.asks, func(a ask) bool { return a.id == id })
}

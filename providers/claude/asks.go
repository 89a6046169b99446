package claude

import (
	"maps"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// The tools whose permission is an answer of its own.
const (
	toolPlan     = "ExitPlanMode"
	toolQuestion = "AskUserQuestion"
)

// toolAsk is the body of a request of the CLI: of can_use_tool, or, with the
// fields below, of an MCP server's elicitation (those from the program of 2.1.332).
type toolAsk struct {
	Tool        string            `json:"tool_name"`
	ToolUseID   string            `json:"tool_use_id"`
	Input       ndjson.RawMessage `json:"input"`
	Suggestions []suggestion      `json:"permission_suggestions"`
	BlockedPath string            `json:"blocked_path"`
	Reason      string            `json:"decision_reason"`
	AgentID     string            `json:"agent_id"` // of the subagent that asks

	Server  string            `json:"mcp_server_name"`
	Message string            `json:"message"`
	URL     string            `json:"url"`
	Schema  ndjson.RawMessage `json:"requested_schema"`
}

// toolInput is what the inputs of the built-in tools have in common.
type toolInput struct {
	Command  string `json:"command"`
	File     string `json:"file_path"`
	Notebook string `json:"notebook_path"`
	Path     string `json:"path"`
	URL      string `json:"url"`
}

// asked takes a request of the CLI. One that nobody can answer gets an error at
// once, so that the CLI does not wait for ever.
func (d *driver) asked(rec ndjson.Record, do func(providers.Effect)) error {
	var line cliRequest
	if err := rec.Decode(&line); err != nil || line.RequestID == "" {
		return providers.Unknown("control_request", rec.Raw, providers.Emitter(do))
	}
	if _, open := d.named(line.RequestID); open || d.leave.left {
		return nil
	}
	var r providers.AgentRequest
	switch ask := &line.Request; ask.Subtype {
	case "can_use_tool":
		d.announce(&ask.toolAsk, do)
		r = d.toolRequest(&ask.toolAsk)
	case "hook_callback":
		providers.SendLine(controlResponse{"control_response", responseBody{Subtype: "success", RequestID: line.RequestID, Response: askAbout()}}, do)
		return nil
	case "elicitation":
		r = elicitation(&ask.toolAsk)
	default:
		do(providers.Emit{Chunk: notice(stream.NoticeWarning, "the vendor asked for "+ask.Subtype+", which agentrun does not do", nil)})
		providers.SendLine(controlResponse{"control_response", responseBody{
			Subtype: "error", RequestID: line.RequestID, Error: "agentrun does not do " + ask.Subtype,
		}}, do)
		return nil
	}
	r.ID = d.names.Name(line.RequestID)
	d.asks[r.ID] = line
	do(r)
	return nil
}

// announce makes the tool call of a request known that no line told of.
func (d *driver) announce(ask *toolAsk, do func(providers.Effect)) {
	if _, open := d.m.open[ask.ToolUseID]; open || ask.ToolUseID == "" || ask.Tool == "" {
		return
	}
	d.m.open[ask.ToolUseID] = call{name: ask.Tool, asked: true}
	do(providers.Emit{Chunk: stream.Chunk{
		Type: stream.ToolUse, ToolName: ask.Tool, ToolID: ask.ToolUseID, ToolInput: ask.Input, Metadata: &stream.Metadata{},
	}})
}

func (d *driver) toolRequest(ask *toolAsk) providers.AgentRequest {
	opened := d.m.open[ask.ToolUseID]
	var in toolInput
	_ = ndjson.Unmarshal(ask.Input, &in) // another tool's input has other fields
	r := providers.AgentRequest{
		Kind: stream.AskToolPermission, Message: "allow " + ask.Tool + "?", Schema: anyObject(), Rewritable: true,
		Background: ask.AgentID != "",
		Context: stream.AskContext{
			ToolName: ask.Tool, ToolID: ask.ToolUseID, ToolInput: ask.Input, ParentToolID: opened.parent,
			Command: in.Command, Reason: ask.Reason,
		},
	}
	seen := map[string]bool{"": true}
	for _, path := range []string{ask.BlockedPath, in.File, in.Notebook, in.Path} {
		if !seen[path] {
			seen[path] = true
			r.Context.Paths = append(r.Context.Paths, path)
		}
	}
	switch ask.Tool {
	case toolPlan:
		r.Kind, r.Message, r.Schema, r.Rewritable = stream.AskPlan, "carry this plan out?", nil, false
		if len(opened.plan) > 0 {
			r.Context.ToolInput = opened.plan
		}
	case toolQuestion:
		r.Kind, r.Rewritable = stream.AskQuestion, false
		r.Message, r.Schema = questions(ask.Input)
	}
	return r
}

// anyObject is the schema of a tool's changed input.
func anyObject() ndjson.RawMessage {
	return ndjson.RawMessage(`{"type":"object","description":"input for the tool in place of tool_input"}`)
}

// elicitation is a question of an MCP server.
func elicitation(ask *toolAsk) providers.AgentRequest {
	r := providers.AgentRequest{Kind: stream.AskQuestion, Message: ask.Server + " asks: " + ask.Message, Schema: ask.Schema, Background: true}
	if ask.URL != "" {
		r.Kind, r.Message, r.Schema = stream.AskAuth, ask.Server+" asks: "+ask.Message+" ("+ask.URL+")", nil
	}
	return r
}

// withdrawn takes a request back.
func (d *driver) withdrawn(rec ndjson.Record, do func(providers.Effect)) error {
	var line cancelLine
	if err := rec.Decode(&line); err != nil {
		return providers.Unknown("control_cancel_request", rec.Raw, providers.Emitter(do))
	}
	if name, open := d.named(line.RequestID); open {
		d.void(name, do)
	}
	return nil
}

// named is our name of the open request that the CLI calls so.
func (d *driver) named(id string) (name string, open bool) {
	for name, have := range d.asks {
		if have.RequestID == id {
			return name, true
		}
	}
	return "", false
}

func (d *driver) void(name string, do func(providers.Effect)) {
	delete(d.asks, name)
	do(providers.Withdraw{ID: name})
}

// voidAsks takes back what the main conversation asked, and with all what was
// asked beside it, in the order of the names.
func (d *driver) voidAsks(all bool, do func(providers.Effect)) {
	for _, name := range slices.Sorted(maps.Keys(d.asks)) {
		if ask := d.asks[name].Request; all || ask.Subtype == "can_use_tool" && ask.AgentID == "" {
			d.void(name, do)
		}
	}
}

// answered takes the CLI's answer to a request of ours. One to nothing is harmless.
func (d *driver) answered(rec ndjson.Record, do func(providers.Effect)) error {
	var line answerLine
	if err := rec.Decode(&line); err != nil {
		return providers.Unknown("control_response", rec.Raw, providers.Emitter(do))
	}
	id := line.Response.RequestID
	if then := d.waiting[id]; then != nil {
		delete(d.waiting, id)
		then(line.Response, do)
	}
	return nil
}

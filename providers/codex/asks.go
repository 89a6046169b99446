package codex

import (
	"bytes"
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// ask is a request of the server that waits for an answer.
type ask struct {
	name       string // ours
	id         ndjson.RawMessage
	method     string
	item       string
	background bool // a subagent asks
	params     askParams
}

// The requests of the server that somebody can answer.
const (
	askCommand     = "item/commandExecution/requestApproval"
	askChange      = "item/fileChange/requestApproval"
	askPermissions = "item/permissions/requestApproval"
	askInput       = "item/tool/requestUserInput"
	askElicitation = "mcpServer/elicitation/request"

	toolInputName       = "request_user_input"
	toolPermissionsName = "request_permissions"
)

// askParams are the members of all of them.
type askParams struct {
	Thread string `json:"threadId"`
	Item   string `json:"itemId"`
	Reason string `json:"reason"`

	Kind    string `json:"kind"` // command approval: command or writeStdin
	Command string `json:"command"`
	Network *struct {
		Host string `json:"host"`
	} `json:"networkApprovalContext"`

	GrantRoot   string            `json:"grantRoot"`   // file change
	Permissions ndjson.RawMessage `json:"permissions"` // permissions

	Questions []question `json:"questions"` // user input

	Server  string            `json:"serverName"` // elicitation
	Mode    string            `json:"mode"`
	Message string            `json:"message"`
	URL     string            `json:"url"`
	Schema  ndjson.RawMessage `json:"requestedSchema"`
	Meta    struct {
		Approval string            `json:"codex_approval_kind"`
		Tool     string            `json:"tool_name"`
		Params   ndjson.RawMessage `json:"tool_params"`
	} `json:"_meta"`
}

// ofTool reports whether an elicitation is codex's own question about a tool.
func (p *askParams) ofTool() bool { return p.Meta.Approval == "mcp_tool_call" }

// asked takes a request of the server. One that nobody can answer gets an error
// at once: the server would wait for ever.
func (d *driver) asked(line *jsonrpc.Message, do func(providers.Effect)) {
	if d.closed || d.find(line.ID) >= 0 {
		return // nobody can answer, or it is the same again
	}
	a := ask{id: line.ID, method: line.Method}
	if err := ndjson.Unmarshal(line.Params, &a.params); err != nil {
		d.decline(line, "agentrun does not understand the request", do)
		return
	}
	a.item = a.params.Item
	a.background = d.parent(a.params.Thread) != ""
	r, ok := d.requestOf(&a, do)
	if !ok {
		d.decline(line, "agentrun does not do "+line.Method, do)
		return
	}
	a.name = d.names.Name(strings.Trim(string(a.id), `"`))
	r.ID = a.name
	d.asks = append(d.asks, a)
	do(r)
}

func (d *driver) decline(line *jsonrpc.Message, words string, do func(providers.Effect)) {
	do(providers.Emit{Chunk: stream.Notice(stream.NoticeWarning, "codex asked for "+line.Method+", which agentrun does not do")})
	d.rpc.Refuse(line.ID, words, do)
}

func (d *driver) requestOf(a *ask, do func(providers.Effect)) (providers.AgentRequest, bool) {
	p := &a.params
	r := providers.AgentRequest{
		Kind: stream.AskToolPermission, Background: a.background,
		Context: stream.AskContext{ToolID: p.Item, ParentToolID: d.parent(p.Thread), Reason: p.Reason},
	}
	switch a.method {
	case askCommand:
		d.askedCommand(p, &r, do)
	case askChange:
		r.Message = "allow these changes of files?"
		r.Context.ToolName = itemChange
		r.Context.ToolInput, r.Context.Paths = d.open.changesOf(p.Item)
		if p.GrantRoot != "" {
			r.Message = "allow changes of files below " + p.GrantRoot + "?"
		}
		d.announce(p, &item{Type: itemChange, ID: p.Item}, do)
	case askPermissions:
		r.Message, r.Schema, r.Rewritable = "give these permissions?", anyObject(), true
		r.Context.ToolName, r.Context.ToolInput = toolPermissionsName, p.Permissions
		d.announce(p, &item{Type: itemOther, ID: p.Item, Tool: toolPermissionsName, Arguments: p.Permissions}, do)
	case askInput:
		r.Kind, r.Context.ToolName = stream.AskQuestion, toolInputName
		r.Message, r.Schema = questionsOf(p.Questions)
		r.Context.ToolInput = ndjson.Encode(map[string]any{"questions": p.Questions})
		d.announce(p, &item{Type: itemOther, ID: p.Item, Tool: toolInputName, Arguments: r.Context.ToolInput}, do)
	case askElicitation:
		d.askedByServer(a, &r)
	default:
		return r, false
	}
	return r, true
}

func (d *driver) askedCommand(p *askParams, r *providers.AgentRequest, do func(providers.Effect)) {
	it := &item{Type: itemCommand, ID: p.Item, Command: p.Command}
	r.Context.ToolName, r.Context.ToolInput = itemCommand, toolInput(it)
	r.Context.Command = script(p.Command)
	r.Message = "run this command?"
	switch {
	case p.Network != nil:
		r.Message = "let the command reach " + p.Network.Host + "?"
	case p.Kind == "writeStdin":
		r.Message = "send this to the running command?"
	}
	d.announce(p, it, do)
}

// askedByServer is a question of an MCP server, or codex's own about one of its tools.
func (d *driver) askedByServer(a *ask, r *providers.AgentRequest) {
	p := &a.params
	r.Message = p.Message
	switch {
	case p.ofTool():
		r.Context.ToolName, r.Context.ToolInput = p.Server+"/"+p.Meta.Tool, p.Meta.Params
		a.item = d.open.find(r.Context.ToolName, p.Meta.Params)
		r.Context.ToolID = a.item
	case p.Mode == "url":
		r.Kind, r.Message = stream.AskAuth, p.Server+" asks: "+p.Message+" ("+p.URL+")"
	default:
		r.Kind, r.Message, r.Schema = stream.AskQuestion, p.Server+" asks: "+p.Message, ndjson.Present(p.Schema)
	}
}

// announce makes a call known that no item told of.
func (d *driver) announce(p *askParams, it *item, do func(providers.Effect)) {
	m, emit := d.of(p.Thread, do)
	if _, open := m.open[it.ID]; !open && it.ID != "" {
		m.tool(it, false, emit)
	}
}

// resolved takes back a request that was answered otherwise, or is void.
func (d *driver) resolved(line *jsonrpc.Message, do func(providers.Effect)) error {
	var e struct {
		ID ndjson.RawMessage `json:"requestId"`
	}
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	i := d.find(e.ID)
	if i < 0 {
		return nil
	}
	a := d.asks[i]
	if !a.background && d.turn.runs {
		d.turn.refused[a.item] = "the question was taken back"
	}
	d.asks = slices.Delete(d.asks, i, i+1)
	do(providers.Withdraw{ID: a.name})
	return nil
}

// find is the index of the open request of the server's id, or -1.
func (d *driver) find(id ndjson.RawMessage) int {
	return slices.IndexFunc(d.asks, func(a ask) bool { return bytes.Equal(a.id, id) })
}

// voidAsks takes back what the thread itself asked, whose turn has ended, and
// with all what its subagents did.
func (d *driver) voidAsks(all bool, do func(providers.Effect)) {
	var left []ask
	for _, a := range d.asks {
		if a.background && !all {
			left = append(left, a)
			continue
		}
		do(providers.Withdraw{ID: a.name})
	}
	d.asks = left
}

// anyObject is the schema of permissions other than those asked for.
func anyObject() ndjson.RawMessage {
	return ndjson.RawMessage(`{"type":"object","description":"permissions to give in place of those asked for"}`)
}

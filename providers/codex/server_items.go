package codex

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// serverItem is an item as the app server tells of it: the kinds of exec in
// other words, and some more.
type serverItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`

	Text    string   `json:"text"`    // agentMessage, plan
	Summary []string `json:"summary"` // reasoning

	Command  string            `json:"command"` // commandExecution
	Output   ndjson.RawMessage `json:"aggregatedOutput"`
	ExitCode *int              `json:"exitCode"`

	Changes ndjson.RawMessage `json:"changes"` // fileChange

	Server    string            `json:"server"` // mcpToolCall
	Tool      string            `json:"tool"`   // mcpToolCall, collabAgentToolCall, dynamicToolCall
	Arguments ndjson.RawMessage `json:"arguments"`
	Result    ndjson.RawMessage `json:"result"`
	Error     *fault            `json:"error"`
	Content   ndjson.RawMessage `json:"contentItems"` // dynamicToolCall

	Sender    ndjson.RawMessage `json:"senderThreadId"` // collabAgentToolCall
	Receivers []string          `json:"receiverThreadIds"`
	Prompt    ndjson.RawMessage `json:"prompt"`
	States    ndjson.RawMessage `json:"agentsStates"`

	Query  ndjson.RawMessage `json:"query"` // webSearch
	Action ndjson.RawMessage `json:"action"`

	Path      ndjson.RawMessage `json:"path"`       // imageView
	Duration  ndjson.RawMessage `json:"durationMs"` // sleep
	SavedPath ndjson.RawMessage `json:"savedPath"`  // imageGeneration

	Kind      string `json:"kind"` // subAgentActivity
	Agent     string `json:"agentThreadId"`
	AgentPath string `json:"agentPath"`
}

// The kinds of items that exec has no like for, or that matter to a session.
const (
	serverCommand    = "commandExecution"
	serverMessage    = "agentMessage"
	serverReasoning  = "reasoning"
	serverUser       = "userMessage"
	serverCompaction = "contextCompaction"
	serverActivity   = "subAgentActivity"
)

// asExec is the item in exec's words, or nil for one that is no item of exec's.
func (s *serverItem) asExec() *item {
	it := &item{
		ID: s.ID, Status: s.Status, Text: s.Text, Command: s.Command, Output: s.Output, ExitCode: s.ExitCode, Changes: s.Changes,
		Server: s.Server, Tool: s.Tool, Arguments: s.Arguments, Result: s.Result, Error: s.Error,
		Sender: s.Sender, Prompt: s.Prompt, States: s.States, Query: s.Query, Action: s.Action,
	}
	switch s.Type {
	case serverMessage, "plan":
		it.Type = itemMessage
	case serverReasoning:
		it.Type, it.Text = itemReasoning, strings.Join(s.Summary, "\n")
	case serverCommand:
		it.Type = itemCommand
	case "fileChange":
		it.Type = itemChange
	case "mcpToolCall":
		it.Type = itemMCP
	case "collabAgentToolCall":
		it.Type, it.Tool = itemCollab, snake(s.Tool)
		if len(s.Receivers) > 0 {
			it.Receivers = ndjson.Encode(s.Receivers)
		}
	case "webSearch":
		it.Type = itemSearch
	default:
		return s.asOther(it)
	}
	return it
}

// asOther are the tools that exec does not tell of.
func (s *serverItem) asOther(it *item) *item {
	it.Type = itemOther
	var arguments any
	switch s.Type {
	case "dynamicToolCall":
		it.Result = s.Content
		return it
	case "imageView":
		arguments = map[string]ndjson.RawMessage{"path": s.Path}
	case "sleep":
		arguments = map[string]ndjson.RawMessage{"duration_ms": s.Duration}
	case "imageGeneration":
		it.Result = s.SavedPath
	default:
		return nil
	}
	it.Tool = snake(s.Type)
	if arguments != nil {
		it.Arguments = ndjson.Encode(arguments)
	}
	return it
}

// snake writes a name of the app server as exec does.
func snake(name string) string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// itemEvent is item/started and item/completed.
type itemEvent struct {
	Thread string      `json:"threadId"`
	Item   *serverItem `json:"item"`
}

// item takes an item of the thread or of a subagent's.
func (d *driver) item(line *jsonrpc.Message, done bool, do func(providers.Effect)) error {
	var e itemEvent
	if err := ndjson.Unmarshal(line.Params, &e); err != nil || e.Item == nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	m, emit := d.of(e.Thread, do)
	d.open.watch(e.Item, done)
	if m == d.m {
		d.watch(e.Item, done)
	}
	s := e.Item
	if m.over.has(s.ID) {
		return nil
	}
	if done {
		m.over.add(s.ID)
	}
	switch s.Type {
	case serverUser:
		d.said.retract(e.Thread, emit) // a steer: what was being said is dropped
		return nil
	case "hookPrompt", "enteredReviewMode", "exitedReviewMode", "functionCallOutput": // exec tells nothing of them
		return nil
	case serverCompaction:
		if done {
			emit(stream.Notice(stream.NoticeCompaction, "codex shortened its history"))
			m.moved()
		}
		return nil
	case serverActivity:
		d.agents.activity(s, done, emit)
		m.moved()
		return nil
	case serverMessage, serverReasoning:
		if done && d.said.whole(e.Thread, s, m, emit) {
			m.moved()
			return nil
		}
	}
	it := s.asExec()
	if it == nil {
		return unknownItem(&event{Type: line.Method, Item: &item{Type: s.Type}}, line.Params, emit)
	}
	m.known(it, done, emit)
	return nil
}

// watch notes what of the thread's own items the session goes by.
func (d *driver) watch(s *serverItem, done bool) {
	if s.Type == serverCommand && d.turn.runs {
		if done {
			delete(d.turn.commands, s.ID)
		} else {
			d.turn.commands[s.ID] = true
		}
	}
	if s.Type == "collabAgentToolCall" {
		d.agents.spawned(s)
	}
}

package gemini

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// mapper turns one run's events into chunks. Thoughts, retries, hooks,
// compaction and the inside of subagents are not in the CLI's stream.
type mapper struct {
	wants   wants
	session string
	model   string
	records int               // known ones, all of them progress
	open    map[string]string // ids of tool calls without a result, with their names
	said    bool              // the assistant said something
	tools   int               // tool calls seen
	// held is the last error event, until what follows says whether it was the end.
	held *event
	// stopped is a hook's word that ended the agent, until something follows.
	stopped string
	result  *event
	line    event // of the current record, here so that none needs memory of its own
}

// Map maps one event.
func (m *mapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	m.line = event{}
	e, f := &m.line, rec.Fields()
	if e.read(&f); f.Err() != nil {
		var head struct {
			Type string `json:"type"`
		}
		if rec.Decode(&head) != nil || known(head.Type) {
			return f.Err()
		}
		return providers.Unknown(head.Type, rec.Raw, emit)
	}
	switch e.Type {
	case "init":
		m.begin(*e, emit)
	case "message":
		if !m.message(e, emit) {
			return providers.Unknown("message of role "+e.Role, rec.Raw, emit)
		}
	case "tool_use":
		if !m.toolUse(e, emit) {
			return providers.Unknown("tool_use without an id of its own", rec.Raw, emit)
		}
	case "tool_result":
		if !m.toolResult(e, emit) {
			return providers.Unknown("tool_result without its tool_use", rec.Raw, emit)
		}
	case "error":
		m.problem(*e, emit)
	case "result":
		m.end(*e, emit)
	default:
		return providers.Unknown(e.Type, rec.Raw, emit)
	}
	m.records++
	return nil
}

func known(kind string) bool {
	switch kind {
	case "init", "message", "tool_use", "tool_result", "error", "result":
		return true
	}
	return false
}

// Noise knows no harmless line: what hooks and commands print there is told.
func (m *mapper) Noise([]byte) bool { return false }

// Facts is what is known so far.
func (m *mapper) Facts() providers.Facts {
	f := providers.Facts{
		SessionID: m.session, Model: m.model, Progress: m.records, Settled: m.result != nil,
		Unsaved: m.wants.private || m.rolledBack(),
	}
	if m.result != nil {
		f.Usage = usageOf(m.result.Stats)
	}
	return f
}

// rolledBack reports whether the CLI took back the only turn of the session, which
// is then not found again (0.61.0): one that failed or said nothing, before any
// tool call. At the limit of turns it is kept.
func (m *mapper) rolledBack() bool {
	if m.result == nil || m.tools > 0 || m.wants.resume || m.wants.last {
		return false
	}
	if e := m.result.Error; e != nil {
		return e.Type != "FatalTurnLimitedError"
	}
	return !m.said
}

func (m *mapper) begin(e event, emit func(stream.Chunk)) {
	if e.SessionID != "" {
		m.session = e.SessionID
	}
	if e.Model != "" {
		m.model = e.Model
	}
	emit(stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{
		Notice: stream.NoticeSession, SessionID: m.session, Model: m.model,
	}})
}

// message maps what was said; the user's role only echoes the prompt.
func (m *mapper) message(e *event, emit func(stream.Chunk)) bool {
	switch e.Role {
	case "user":
	case "assistant":
		if e.Content == "" {
			break
		}
		m.goesOn(emit)
		m.said = true
		emit(stream.Chunk{Type: stream.Text, Content: e.Content, IsDelta: e.Delta})
	default:
		return false
	}
	return true
}

func (m *mapper) toolUse(e *event, emit func(stream.Chunk)) bool {
	if _, again := m.open[e.ToolID]; again || e.ToolID == "" || e.ToolName == "" {
		return false
	}
	m.goesOn(emit)
	m.tools++
	m.open[e.ToolID] = e.ToolName
	emit(stream.Chunk{Type: stream.ToolUse, ToolName: e.ToolName, ToolID: e.ToolID, ToolInput: ndjson.Present(e.Parameters)})
	return true
}

// toolResult maps the display form of what a tool gave: the CLI leaves it empty
// for reads, and out for writes, lists and subagents.
func (m *mapper) toolResult(e *event, emit func(stream.Chunk)) bool {
	name, ok := m.open[e.ToolID]
	if !ok {
		return false
	}
	m.goesOn(emit)
	delete(m.open, e.ToolID)
	c := stream.Chunk{Type: stream.ToolResult, ToolName: name, ToolID: e.ToolID, ToolOutput: ndjson.Present(e.Output), IsError: e.Status == "error"}
	if e.Error != nil {
		c.Metadata = &stream.Metadata{Denied: denied(name, e.Error.Type), Data: ndjson.Encode(e.Error)}
		if c.ToolOutput == nil {
			c.ToolOutput = ndjson.Encode(e.Error.Message)
		}
		if e.Error.Type == "stop_execution" {
			m.stopped = e.Error.Message
		}
	}
	emit(c)
	return true
}

// denied reports whether a tool was not allowed to run. In the modes that do not
// allow them the CLI does not register its writing tools at all.
func denied(tool, kind string) bool {
	switch kind {
	case "policy_violation":
		return true
	case "tool_not_registered":
		switch tool {
		case "run_shell_command", "write_file", "replace", "web_fetch", "activate_skill", "google_web_search",
			"read_file", "read_many_files", "list_directory", "glob", "grep_search", "invoke_agent":
			return true
		}
	}
	return false
}

// problem holds what may be the cause of the end, and tells the rest.
func (m *mapper) problem(e event, emit func(stream.Chunk)) {
	m.tell(emit)
	if e.Severity == "error" || stops(e.Message) {
		m.held = &e
		return
	}
	emit(stream.Notice(stream.NoticeWarning, e.Message))
}

// stops reports whether a warning says that the CLI stopped the agent.
func stops(message string) bool {
	return strings.HasPrefix(message, "Loop detected") || strings.HasPrefix(message, "Agent execution blocked")
}

// goesOn is told when the agent does more: then nothing before was the end.
func (m *mapper) goesOn(emit func(stream.Chunk)) {
	m.tell(emit)
	m.stopped = ""
}

// tell lets go of a held error that turned out not to be the end.
func (m *mapper) tell(emit func(stream.Chunk)) {
	if m.held != nil {
		emit(stream.Notice(stream.NoticeWarning, m.held.Message))
		m.held = nil
	}
}

func (m *mapper) end(e event, emit func(stream.Chunk)) {
	if e.Error != nil {
		m.tell(emit)
	}
	m.result = &e
	m.model = modelOf(m.model, e.Stats)
}

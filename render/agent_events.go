package render

import (
	"cmp"
	"reflect"

	"agentrun/ndjson"
	"agentrun/stream"
)

// agentEvents is the model of typed events: initialize, message, tool_request, …,
// named as in Gemini CLI's packages/core/src/agent/types.ts. It has no event of
// its own for what is in custom.
type agentEvents struct {
	*dialectLines
	stream string // id of the stream that runs
	asked  map[string]bool
	live   bool
	ended  bool
}

// agentEvent is any event: each type has its own fields.
type agentEvent struct {
	ID        string     `json:"id"`
	Timestamp string     `json:"timestamp"`
	Type      string     `json:"type"`
	ThreadID  string     `json:"threadId,omitempty"`
	StreamID  string     `json:"streamId,omitempty"`
	Meta      *agentMeta `json:"_meta,omitempty"`

	SessionID       string            `json:"sessionId,omitempty"`
	Workspace       string            `json:"workspace,omitempty"`
	AgentID         string            `json:"agentId,omitempty"`
	Model           string            `json:"model,omitempty"`
	Config          any               `json:"config,omitempty"`
	Role            string            `json:"role,omitempty"`
	Content         any               `json:"content,omitempty"` // parts; of an elicitation_response an object
	RequestID       string            `json:"requestId,omitempty"`
	Name            string            `json:"name,omitempty"`
	Args            any               `json:"args,omitempty"`
	DisplayContent  []agentPart       `json:"displayContent,omitempty"`
	Data            any               `json:"data,omitempty"`
	IsError         bool              `json:"isError,omitempty"`
	Display         string            `json:"display,omitempty"`
	Title           string            `json:"title,omitempty"`
	Message         string            `json:"message,omitempty"`
	RequestedSchema ndjson.RawMessage `json:"requestedSchema,omitempty"`
	Action          string            `json:"action,omitempty"`
	Status          string            `json:"status,omitempty"`
	Fatal           *bool             `json:"fatal,omitempty"`
	InputTokens     *int64            `json:"inputTokens,omitempty"`
	OutputTokens    *int64            `json:"outputTokens,omitempty"`
	CachedTokens    *int64            `json:"cachedTokens,omitempty"`
	Cost            *agentCost        `json:"cost,omitempty"`
	Reason          string            `json:"reason,omitempty"`
	Kind            string            `json:"kind,omitempty"`
}

type agentPart struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitempty"`
	Thought  string `json:"thought,omitempty"`
	URI      string `json:"uri,omitempty"`
	Data     string `json:"data,omitempty"`
	MimeType string `json:"mimeType,omitempty"`
}

type agentCost struct {
	Amount   float64 `json:"amount"`
	Currency string  `json:"currency"`
}

// agentMeta is what the model has no field for.
type agentMeta struct {
	Source   string           `json:"source"` // agent, host, user or policy
	Delta    bool             `json:"delta,omitempty"`
	Steer    bool             `json:"steer,omitempty"`
	Chunk    *stream.Metadata `json:"chunk,omitempty"`
	ToolName string           `json:"toolName,omitempty"`
	ToolID   string           `json:"toolId,omitempty"`
	Line     *stream.LiveLine `json:"line,omitempty"`
}

func (a *agentEvents) put(e agentEvent, meta *agentMeta) {
	e.ID, e.Timestamp, e.Meta = a.id(), stream.StampTime(a.opts.Now()), meta
	if e.StreamID == "" {
		e.StreamID = a.stream
	}
	if meta != nil && meta.Chunk != nil {
		e.ThreadID = meta.Chunk.ParentToolID
		if reflect.ValueOf(*meta.Chunk).IsZero() {
			meta.Chunk = nil
		}
	}
	a.write(e)
}

func (a *agentEvents) chunk(c stream.Chunk) {
	meta := &agentMeta{Source: "agent", Delta: c.IsDelta, Chunk: c.Metadata}
	switch c.Type {
	case stream.System:
		a.notice(c, meta)
	case stream.Text:
		a.put(agentEvent{Type: "message", Role: "agent", Content: []agentPart{{Type: "text", Text: c.Content}}}, meta)
	case stream.Thinking:
		a.put(agentEvent{Type: "message", Role: "agent", Content: []agentPart{{Type: "thought", Thought: c.Content}}}, meta)
	case stream.ToolUse:
		a.put(agentEvent{Type: "tool_request", RequestID: c.ToolID, Name: c.ToolName, Args: asObject(c.ToolInput)}, meta)
	case stream.ToolResult:
		e := agentEvent{Type: "tool_response", RequestID: c.ToolID, Name: c.ToolName, IsError: c.IsError}
		var text string
		if len(c.ToolOutput) == 0 || ndjson.Unmarshal(c.ToolOutput, &text) == nil {
			e.Content = []agentPart{{Type: "text", Text: text}}
		} else {
			e.Data = map[string]ndjson.RawMessage{"output": c.ToolOutput}
		}
		a.put(e, meta)
	case stream.Result, stream.Error:
		a.terminal(c, meta)
	default:
		meta.ToolName, meta.ToolID = c.ToolName, c.ToolID
		a.put(agentEvent{Type: "custom", Kind: cmp.Or(string(c.Type), "chunk"), Data: map[string]string{"text": c.Content}}, meta)
	}
}

func (a *agentEvents) notice(c stream.Chunk, meta *agentMeta) {
	m := c.Metadata
	meta.ToolName = c.ToolName
	switch {
	case m.Notice == stream.NoticeRunStart:
		a.began(c)
		a.live = a.opts.Live
		if !a.live {
			a.stream = a.turn(1)
		}
		meta.Source = "host"
		a.put(agentEvent{Type: "initialize", SessionID: m.RunID, Workspace: m.Cwd, AgentID: m.Provider}, meta)
	case m.Notice == stream.NoticeSession, m.Notice == stream.NoticeModel:
		a.put(agentEvent{Type: "session_update", Model: m.Model}, meta)
	case m.Notice == stream.NoticeTask && c.ToolID != "":
		a.put(agentEvent{Type: "tool_update", RequestID: c.ToolID, DisplayContent: []agentPart{{Type: "text", Text: c.Content}}}, meta)
	default:
		if m.Notice == stream.NoticePolicy {
			meta.Source = "policy"
		}
		meta.ToolID = c.ToolID
		a.put(agentEvent{Type: "custom", Kind: cmp.Or(m.Notice, "notice"), Data: map[string]string{"text": c.Content}}, meta)
	}
}

// terminal tells the end of a run, or that of a live session, whose turns have ended before.
func (a *agentEvents) terminal(c stream.Chunk, meta *agentMeta) {
	if c.Content != "" && c.Type == stream.Result {
		a.put(agentEvent{Type: "message", Role: "agent", Content: []agentPart{{Type: "text", Text: c.Content}}}, &agentMeta{Source: "agent"})
	}
	if c.Type == stream.Error {
		fatal := true
		a.put(agentEvent{Type: "error", Status: errorStatus(c.Metadata.Class), Message: c.Content, Fatal: &fatal}, &agentMeta{Source: cmp.Or(c.Metadata.Origin, "host")})
	}
	if a.live {
		a.put(agentEvent{Type: "custom", Kind: "session_end"}, meta)
		return
	}
	a.usage(c.Metadata)
	reason := "completed"
	if c.Type == stream.Error {
		reason = endReason(c.Metadata.Class, c.Metadata.Reason)
	}
	a.ended = true
	a.put(agentEvent{Type: "stream_end", Reason: reason}, meta)
}

func (a *agentEvents) usage(m *stream.Metadata) {
	if m.Usage == nil && m.TotalCostUSD == nil {
		return
	}
	e := agentEvent{Type: "usage", Model: m.Model}
	if u := m.Usage; u != nil {
		e.InputTokens, e.OutputTokens, e.CachedTokens = u.InputTokens, u.OutputTokens, u.CachedInputTokens
	}
	if m.TotalCostUSD != nil {
		e.Cost = &agentCost{*m.TotalCostUSD, "USD"}
	}
	a.put(e, &agentMeta{Source: "agent", Chunk: &stream.Metadata{Usage: m.Usage, CostScope: m.CostScope}})
}

func (a *agentEvents) end() {
	if !a.ended && !a.live && a.stream != "" {
		a.put(agentEvent{Type: "stream_end", Reason: "aborted"}, &agentMeta{Source: "host"})
	}
}

// endReason is the reason of a stream_end for a failure.
func endReason(class, reason string) string {
	switch {
	case class == "limit" && reason == "max_turns":
		return "max_turns"
	case class == "limit" && reason == "max_cost":
		return "max_budget"
	case class == "timeout":
		return "max_time"
	case class == "refusal":
		return "refusal"
	}
	return "failed"
}

// errorStatus is the google.rpc code for an error class.
func errorStatus(class string) string {
	switch class {
	case "usage":
		return "INVALID_ARGUMENT"
	case "unsupported":
		return "UNIMPLEMENTED"
	case "auth":
		return "UNAUTHENTICATED"
	case "permission", "refusal":
		return "PERMISSION_DENIED"
	case "quota", "limit":
		return "RESOURCE_EXHAUSTED"
	case "context":
		return "OUT_OF_RANGE"
	case "protocol":
		return "DATA_LOSS"
	case "process":
		return "INTERNAL"
	case "session", "structured_output":
		return "FAILED_PRECONDITION"
	case "not_found":
		return "NOT_FOUND"
	case "unavailable":
		return "UNAVAILABLE"
	case "timeout":
		return "DEADLINE_EXCEEDED"
	}
	return "UNKNOWN"
}

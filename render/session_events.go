package render

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"agentrun/ndjson"
	"agentrun/stream"
)

// sessionEvents is the model of envelopes around a small set of events, named as
// in the drafts of Happy's session protocol (docs/session-protocol.md and its
// unification, second version). Output and failure of tools, and all else that
// the drafts have no field for, are in added ones.
type sessionEvents struct {
	*dialectLines
	now     string // id of the turn that runs
	agents  map[string]bool
	calls   map[string]string // of the open requests, by their ids
	live    bool
	pending func(request string) (stream.LiveInput, bool)
}

type envelope struct {
	ID       string       `json:"id"`
	Time     int64        `json:"time"` // milliseconds of Unix time
	Role     string       `json:"role"` // user or agent
	Turn     string       `json:"turn,omitempty"`
	Subagent string       `json:"subagent,omitempty"`
	Ev       sessionEvent `json:"ev"`
}

// sessionEvent is any event: each T has its own fields.
type sessionEvent struct {
	T              string         `json:"t"`
	Text           string         `json:"text,omitempty"`
	Thinking       bool           `json:"thinking,omitempty"`
	Steer          bool           `json:"steer,omitempty"`
	Ref            string         `json:"ref,omitempty"`
	Status         string         `json:"status,omitempty"`
	Usage          *sessionUsage  `json:"usage,omitempty"`
	Call           string         `json:"call,omitempty"`
	Name           string         `json:"name,omitempty"`
	ToolName       string         `json:"toolName,omitempty"`
	Title          string         `json:"title,omitempty"`
	Description    string         `json:"description,omitempty"`
	Args           any            `json:"args,omitempty"`
	AgentID        string         `json:"agentId,omitempty"`
	ClientType     string         `json:"clientType,omitempty"`
	Decision       string         `json:"decision,omitempty"`
	Model          string         `json:"model,omitempty"`
	ThinkingLevel  string         `json:"thinkingLevel,omitempty"`
	PermissionMode string         `json:"permissionMode,omitempty"`
	Agentrun       *sessionExtras `json:"agentrun,omitempty"`
}

type sessionUsage struct {
	InputTokens  *int64   `json:"inputTokens,omitempty"`
	OutputTokens *int64   `json:"outputTokens,omitempty"`
	Cost         *float64 `json:"cost,omitempty"`
}

// sessionExtras are what the drafts have no field for.
type sessionExtras struct {
	Delta    bool              `json:"delta,omitempty"`
	Output   ndjson.RawMessage `json:"output,omitempty"`
	IsError  bool              `json:"isError,omitempty"`
	ToolName string            `json:"toolName,omitempty"`
	ToolID   string            `json:"toolId,omitempty"`
	Chunk    *stream.Metadata  `json:"chunk,omitempty"`
	Line     *stream.LiveLine  `json:"line,omitempty"`
}

func (s *sessionEvents) put(role string, ev sessionEvent) {
	var subagent string
	if x := ev.Agentrun; x != nil && x.Chunk != nil {
		subagent = x.Chunk.ParentToolID
		if reflect.ValueOf(*x.Chunk).IsZero() {
			x.Chunk = nil
		}
	}
	if x := ev.Agentrun; x != nil && x.empty() {
		ev.Agentrun = nil
	}
	s.write(envelope{ID: s.id(), Time: s.opts.Now().UnixMilli(), Role: role, Turn: s.now, Subagent: subagent, Ev: ev})
}

func (x *sessionExtras) empty() bool {
	return !x.Delta && len(x.Output) == 0 && !x.IsError && x.ToolName == "" && x.ToolID == "" && x.Chunk == nil && x.Line == nil
}

func (s *sessionEvents) chunk(c stream.Chunk) {
	if id := c.Metadata.ParentToolID; id != "" && !s.agents[id] {
		s.agents[id] = true
		s.put("agent", sessionEvent{T: "subagent-start", AgentID: id, Title: c.Metadata.AgentType})
	}
	x := &sessionExtras{Delta: c.IsDelta, Chunk: c.Metadata}
	switch c.Type {
	case stream.System:
		s.notice(c, x)
	case stream.Text, stream.Thinking:
		s.put("agent", sessionEvent{T: "text", Text: c.Content, Thinking: c.Type == stream.Thinking, Agentrun: x})
	case stream.ToolUse:
		title := describe(c)
		s.put("agent", sessionEvent{
			T: "tool-call-start", Call: c.ToolID, Name: c.ToolName, Title: fit(title, 80), Description: title, Args: asObject(c.ToolInput), Agentrun: x,
		})
	case stream.ToolResult:
		if s.agents[c.ToolID] {
			s.stopAgent(c.ToolID)
		}
		x.Output, x.IsError, x.ToolName = c.ToolOutput, c.IsError, c.ToolName
		s.put("agent", sessionEvent{T: "tool-call-end", Call: c.ToolID, Agentrun: x})
	case stream.Result, stream.Error:
		s.terminal(c, x)
	default:
		x.ToolName, x.ToolID = c.ToolName, c.ToolID
		s.put("agent", sessionEvent{T: "service", Text: cmp.Or(c.Content, string(c.Type), "chunk"), Agentrun: x})
	}
}

func (s *sessionEvents) stopAgent(id string) {
	delete(s.agents, id)
	s.put("agent", sessionEvent{T: "subagent-stop", AgentID: id})
}

func (s *sessionEvents) notice(c stream.Chunk, x *sessionExtras) {
	m := c.Metadata
	x.ToolName, x.ToolID = c.ToolName, c.ToolID
	switch m.Notice {
	case stream.NoticeRunStart:
		s.began(c)
		s.live = s.opts.Live
		s.put("agent", sessionEvent{T: "session-control-changed", ClientType: "cli", Agentrun: x})
		if !s.live {
			s.now = s.turn(1)
			s.put("agent", sessionEvent{T: "turn-start"})
		}
	case stream.NoticeSession, stream.NoticeModel:
		s.put("agent", sessionEvent{T: "agent-configuration-changed", Model: m.Model, Agentrun: x})
	default:
		s.put("agent", sessionEvent{T: "service", Text: cmp.Or(c.Content, m.Notice, "notice"), Agentrun: x})
	}
}

func (s *sessionEvents) terminal(c stream.Chunk, x *sessionExtras) {
	if c.Type == stream.Error {
		s.put("agent", sessionEvent{T: "service", Text: c.Content, Agentrun: &sessionExtras{IsError: true}})
	} else if c.Content != "" {
		s.put("agent", sessionEvent{T: "text", Text: c.Content})
	}
	if s.live {
		s.put("agent", sessionEvent{T: "service", Text: "the session has ended", Agentrun: x})
		return
	}
	status := stream.TurnCompleted
	if c.Type == stream.Error {
		status = stream.TurnFailed
	}
	s.endTurn(status, c.Metadata, x)
}

func (s *sessionEvents) endTurn(status stream.TurnStatus, m *stream.Metadata, x *sessionExtras) {
	for _, id := range slices.Sorted(maps.Keys(s.agents)) {
		s.stopAgent(id)
	}
	ev := sessionEvent{T: "turn-end", Status: string(status), Agentrun: x}
	if m != nil && (m.Usage != nil || m.TotalCostUSD != nil) {
		ev.Usage = &sessionUsage{Cost: m.TotalCostUSD}
		if m.Usage != nil {
			ev.Usage.InputTokens, ev.Usage.OutputTokens = m.Usage.InputTokens, m.Usage.OutputTokens
		}
	}
	s.put("agent", ev)
	s.now = ""
}

func (s *sessionEvents) end() {
	if !s.live && s.now != "" {
		s.endTurn(stream.TurnCancelled, nil, nil)
	}
}

func (s *sessionEvents) line(l stream.LiveLine) {
	x := &sessionExtras{Line: &l}
	switch l.Type {
	case stream.LiveTurnStart:
		s.now = s.turn(l.Turn)
		s.put("agent", sessionEvent{T: "turn-start", Agentrun: x})
	case stream.LiveTurnEnd:
		if l.Content != "" {
			s.put("agent", sessionEvent{T: "text", Text: l.Content})
		}
		s.endTurn(l.Status, l.Metadata, x)
	case stream.LiveRequest:
		ev := sessionEvent{T: "permission-request", Call: l.ID, Title: l.Message, Description: l.Message, Agentrun: x}
		if c := l.Context; c != nil {
			ev.Call, ev.ToolName, ev.Args = cmp.Or(c.ToolID, l.ID), c.ToolName, asObject(c.ToolInput)
		}
		s.calls[l.ID] = ev.Call
		s.put("agent", ev)
	case stream.LiveRequestEnd:
		s.response(l, x)
	case stream.LiveAck, stream.LiveRefused, stream.LiveStateLine:
		s.put("agent", sessionEvent{T: "service", Text: cmp.Or(l.Message, string(l.State), string(l.Type)), Agentrun: x})
	default:
		s.put("agent", sessionEvent{T: "service", Text: cmp.Or(string(l.Type), "line"), Agentrun: x})
	}
}

// response tells how a request ended; one that was decided without asking anybody
// has no permission-request, and so no response.
func (s *sessionEvents) response(l stream.LiveLine, x *sessionExtras) {
	role, decision := "agent", "withdrawn"
	if l.By == "answer" || l.By == "abort" {
		role = "user"
	}
	switch l.Action {
	case stream.Accept:
		decision = "allow-once"
		if in, ok := s.pending(l.ID); ok && in.For == "session" {
			decision = "allow-always"
		}
	case stream.Decline:
		decision = "deny"
	case stream.Cancel:
		decision = "abort"
	}
	call, asked := s.calls[l.ID]
	if !asked {
		s.put("agent", sessionEvent{T: "service", Text: cmp.Or(string(l.Action), string(l.Type)), Agentrun: x})
		return
	}
	delete(s.calls, l.ID)
	s.put(role, sessionEvent{T: "permission-response", Call: call, Decision: decision, Agentrun: x})
}

func (s *sessionEvents) said(in stream.LiveInput) {
	switch in.Type {
	case stream.LiveMessage, stream.LiveSteer:
		steer := in.Type == stream.LiveSteer
		if in.Text != "" {
			s.put("user", sessionEvent{T: "text", Text: in.Text, Steer: steer})
		}
		for _, p := range in.Parts {
			if p.Type == "text" {
				s.put("user", sessionEvent{T: "text", Text: p.Text, Steer: steer})
				continue
			}
			s.put("user", sessionEvent{T: "file", Ref: p.Path, Name: cmp.Or(p.Path, p.MediaType, "image")})
		}
	case stream.LiveUpdate:
		s.put("user", sessionEvent{T: "agent-configuration-changed", Model: in.Model, ThinkingLevel: in.Effort, PermissionMode: in.Access})
	case stream.LiveAbort:
		s.put("user", sessionEvent{T: "abort"})
	case stream.LiveAnswer, stream.LiveClose: // their lines tell
	}
}

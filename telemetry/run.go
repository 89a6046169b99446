package telemetry

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// About is what is known of a run before it begins.
type About struct {
	ID       string // agentrun's
	Provider string // agentrun's name of it
	Service  string // whose models it asks, in the words of the GenAI conventions; "" is unknown
	Title    string // of the vendor's program
	Version  string // of that
	Model    string // that was asked for
	Prompt   string // "" in a live session
	Live     bool   // its lines say where turns begin and end
	Self     string // agentrun's version
}

// Run watches one run. Its methods, but for Heard, are for one goroutine at a time.
type Run struct {
	cfg   Config
	about About
	now   func() time.Time
	began time.Time
	trace string
	run   *span
	turn  *span
	tools map[string]*span  // that are open, by the vendor's id
	calls map[string]string // spans of the turn's tool calls, by the vendor's id
	done  []*span           // and not yet sent
	said  []part            // words of the turn, where they are wanted
	piece bool              // the last of them came in pieces

	session, model string
	usage          *stream.Usage
	cost           *float64
	costScope      stream.Scope

	asked []part // words of the user in the turn, where they are wanted

	sends sync.WaitGroup
	mu    sync.Mutex         // of what follows
	err   error              // the first of sending
	heard []stream.LiveInput // and not yet acknowledged or refused
}

// Start begins to watch.
func Start(cfg Config, about About, now func() time.Time) *Run {
	r := &Run{cfg: cfg, about: about, now: now, began: now(), trace: cmp.Or(cfg.Parent.Trace, newID(16)), tools: map[string]*span{}, calls: map[string]string{}, model: about.Model}
	r.run = r.open("invoke_agent "+about.Title, cfg.Parent.Span, append(r.common(), text("agentrun.run.id", about.ID)))
	if !about.Live {
		r.beginTurn(1)
	}
	return r
}

// Traceparent is what the vendor is told: the run's span as its parent.
func (r *Run) Traceparent() string {
	flags := "01"
	if r.cfg.Traces.URL == "" {
		flags = "00"
	}
	return "00-" + r.trace + "-" + r.run.SpanID + "-" + flags
}

func newID(bytes int) string {
	id := make([]byte, bytes)
	_, _ = rand.Read(id) // it never fails
	return hex.EncodeToString(id)
}

// common is what all that a run tells has, in the words of the GenAI conventions.
func (r *Run) common() []attribute {
	list := []attribute{
		text("gen_ai.operation.name", "invoke_agent"), text("gen_ai.provider.name", cmp.Or(r.about.Service, r.about.Provider)),
		text("gen_ai.agent.name", r.about.Title), text("agentrun.provider", r.about.Provider),
	}
	if r.about.Version != "" {
		list = append(list, text("gen_ai.agent.version", r.about.Version))
	}
	if r.about.Model != "" {
		list = append(list, text("gen_ai.request.model", r.about.Model))
	}
	return list
}

func (r *Run) open(name, parent string, attributes []attribute) *span {
	return &span{TraceID: r.trace, SpanID: newID(8), ParentID: parent, Name: name, Kind: 1, Start: nano(r.now()), Attributes: attributes}
}

func (r *Run) finish(s *span) {
	s.End = nano(r.now())
	r.done = append(r.done, s)
}

func (s *span) fail(class, reason string) {
	kind := class
	if reason != "" {
		kind += "/" + reason
	}
	s.Status = status{2}
	s.Attributes = append(s.Attributes, text("error.type", cmp.Or(kind, "_OTHER")))
}

func (r *Run) beginTurn(n int) {
	r.turn = r.open(fmt.Sprintf("turn %d", n), r.run.SpanID, []attribute{integer("agentrun.turn", int64(n))})
	r.said, r.piece = nil, false
}

// Chunk takes a chunk on its way out.
func (r *Run) Chunk(c stream.Chunk) {
	m := c.Metadata
	if m == nil {
		m = &stream.Metadata{}
	}
	switch c.Type {
	case stream.System:
		r.session, r.model = cmp.Or(m.SessionID, r.session), cmp.Or(m.Model, r.model)
	case stream.Text:
		if r.cfg.Content && m.ParentToolID == "" {
			r.say(c)
		}
	case stream.ToolUse:
		r.toolUse(c, m)
	case stream.ToolResult:
		r.toolResult(c, m)
	case stream.Result, stream.Error:
		if c.Type == stream.Result && c.Content != "" && r.cfg.Content {
			r.say(c)
		}
		r.session, r.model = cmp.Or(m.SessionID, r.session), cmp.Or(m.Model, r.model)
		r.usage, r.cost, r.costScope = m.Usage, m.TotalCostUSD, m.CostScope
	case stream.Thinking:
	}
}

// say keeps what was said: each unit is a part, whose pieces are joined.
func (r *Run) say(c stream.Chunk) {
	if c.IsDelta && r.piece {
		r.said[len(r.said)-1].Content += c.Content
		return
	}
	r.said, r.piece = append(r.said, words(c.Content)), c.IsDelta
}

func (r *Run) toolUse(c stream.Chunk, m *stream.Metadata) {
	parent := r.run.SpanID
	if r.turn != nil {
		parent = r.turn.SpanID
	}
	if up := r.calls[m.ParentToolID]; m.ParentToolID != "" && up != "" {
		parent = up // which may have ended: a subagent in the background
	}
	s := r.open("execute_tool "+c.ToolName, parent, []attribute{text("gen_ai.operation.name", "execute_tool"), text("gen_ai.tool.name", c.ToolName)})
	if c.ToolID != "" {
		s.Attributes = append(s.Attributes, text("gen_ai.tool.call.id", c.ToolID))
	}
	if r.cfg.Content && len(c.ToolInput) > 0 {
		s.Attributes = append(s.Attributes, text("gen_ai.tool.call.arguments", string(c.ToolInput)))
	}
	r.tools[c.ToolID], r.calls[c.ToolID] = s, s.SpanID
	r.piece = false
}

func (r *Run) toolResult(c stream.Chunk, m *stream.Metadata) {
	s := r.tools[c.ToolID]
	if s == nil {
		return
	}
	delete(r.tools, c.ToolID)
	if r.cfg.Content && len(c.ToolOutput) > 0 {
		s.Attributes = append(s.Attributes, text("gen_ai.tool.call.result", string(c.ToolOutput)))
	}
	switch {
	case m.Denied:
		s.fail("denied", "")
	case c.IsError:
		s.fail("tool_error", "")
	}
	r.finish(s)
}

// Line takes a line of a live session. The end of a turn is sent at once.
func (r *Run) Line(l stream.LiveLine) {
	switch l.Type {
	case stream.LiveAck, stream.LiveRefused:
		r.settle(l)
	case stream.LiveTurnStart:
		r.beginTurn(l.Turn)
	case stream.LiveTurnEnd:
		m := l.Metadata
		if m == nil {
			m = &stream.Metadata{}
		}
		r.endTurn(m.Usage, m.TotalCostUSD, string(l.Status), l.Class, l.Reason)
		r.send()
	default:
	}
}

// endTurn ends the turn and the tool calls that have no result.
func (r *Run) endTurn(usage *stream.Usage, cost *float64, state, class, reason string) {
	if r.turn == nil {
		return
	}
	for _, s := range r.openTools() {
		s.fail("no_result", "")
		r.finish(s)
	}
	clear(r.tools)
	clear(r.calls)
	s := r.turn
	r.turn = nil
	s.Attributes = append(append(s.Attributes, text("agentrun.turn.status", state)), r.totals(usage, cost)...)
	if len(r.asked) > 0 {
		s.Attributes = append(s.Attributes, text("gen_ai.input.messages", messages(message{Role: "user", Parts: r.asked})))
		r.asked = nil
	}
	if len(r.said) > 0 {
		finish := "stop"
		if state != string(stream.TurnCompleted) {
			finish = "error"
		}
		s.Attributes = append(s.Attributes, text("gen_ai.output.messages", messages(message{"assistant", r.said, finish})))
	}
	if class != "" {
		s.fail(class, reason)
	}
	r.finish(s)
}

// message is words in the form that the conventions want.
type message struct {
	Role   string `json:"role"`
	Parts  []part `json:"parts"`
	Finish string `json:"finish_reason,omitempty"` // of what the model said
}

type part struct {
	Type    string `json:"type"`
	Content string `json:"content"`
}

func words(s string) part { return part{"text", s} }

// messages is the list of one message, in JSON.
func messages(m message) string {
	data, err := ndjson.Marshal([]message{m})
	if err != nil {
		return ""
	}
	return string(data)
}

// totals are the attributes of what was used.
func (r *Run) totals(u *stream.Usage, cost *float64) []attribute {
	var list []attribute
	if r.session != "" {
		list = append(list, text("gen_ai.conversation.id", r.session))
	}
	if r.model != "" {
		list = append(list, text("gen_ai.response.model", r.model))
	}
	if u != nil {
		for _, n := range []struct {
			key   string
			count *int64
		}{
			{"gen_ai.usage.input_tokens", u.InputTokens},
			{"gen_ai.usage.output_tokens", u.OutputTokens},
			{"gen_ai.usage.cache_read.input_tokens", u.CachedInputTokens},
			{"gen_ai.usage.cache_creation.input_tokens", u.CacheWriteTokens},
			{"gen_ai.usage.reasoning.output_tokens", u.ReasoningTokens},
		} {
			if n.count != nil {
				list = append(list, integer(n.key, *n.count))
			}
		}
		if u.Scope != "" {
			list = append(list, text("agentrun.usage.scope", string(u.Scope)))
		}
	}
	if cost != nil {
		list = append(list, decimal("agentrun.cost.usd", *cost))
	}
	return list
}

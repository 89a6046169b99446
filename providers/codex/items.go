package codex

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func (m *mapper) item(e *event, raw []byte, emit func(stream.Chunk)) error {
	if e.Item == nil {
		return providers.Unknown(e.Type, raw, emit)
	}
	if m.over.has(e.Item.ID) {
		return nil
	}
	done := e.Type == "item.completed"
	if !m.known(e.Item, done, emit) {
		return unknownItem(e, raw, emit)
	}
	if done {
		m.over.add(e.Item.ID)
	}
	return nil
}

// known takes an item, done or in the making, or reports that it knows none of its kind.
func (m *mapper) known(it *item, done bool, emit func(stream.Chunk)) bool {
	switch it.Type {
	case itemMessage, itemReasoning:
		// Only the completed event counts: it has the whole text.
		if done {
			m.text(it, emit)
		}
	case itemCommand, itemChange, itemMCP, itemCollab, itemSearch, itemOther:
		m.tool(it, done, emit)
	case itemTodo:
		m.todo(it, emit)
	case itemError:
		m.warning(it.Message, emit)
		return true // news of trouble is no progress
	default:
		return false
	}
	m.moved()
	return true
}

// unknownItem judges an unknown item by what it carries itself, and an event
// without an item as a whole.
func unknownItem(e *event, raw []byte, emit func(stream.Chunk)) error {
	var outer struct {
		Item ndjson.RawMessage `json:"item"`
	}
	if err := ndjson.Unmarshal(raw, &outer); err != nil || len(outer.Item) == 0 {
		return providers.Unknown(e.Type, raw, emit)
	}
	return providers.Unknown(e.Type+" "+e.Item.Type, outer.Item, emit)
}

func (m *mapper) text(it *item, emit func(stream.Chunk)) {
	if it.Text == "" {
		return
	}
	kind := stream.Thinking
	if it.Type == itemMessage {
		m.texts++
		if m.asked.schema {
			m.answer = it.Text
		}
		if m.repeats.seen(it.Text) && m.asked.repeats {
			emit(stream.Notice(stream.NoticeFence, "codex said a message again after a broken stream: the repetition ("+it.ID+") is dropped"))
			return
		}
		kind = stream.Text
	}
	emit(stream.Chunk{Type: kind, Content: it.Text, Metadata: &stream.Metadata{MessageID: it.ID}})
}

func (m *mapper) tool(it *item, done bool, emit func(stream.Chunk)) {
	name := toolName(it)
	if it.ID == "" || name == "" {
		c := stream.Notice(stream.NoticeWarning, "codex told of a tool call without an id or a name: "+it.ID+name)
		c.Metadata.Data = toolOutput(it)
		emit(c)
		return
	}
	if _, open := m.open[it.ID]; !open {
		m.open[it.ID] = name
		m.tools++
		emit(stream.Chunk{Type: stream.ToolUse, ToolName: name, ToolID: it.ID, ToolInput: toolInput(it)})
	}
	m.repeats.settle()
	if !done {
		return
	}
	delete(m.open, it.ID)
	c := stream.Chunk{
		Type: stream.ToolResult, ToolName: name, ToolID: it.ID, ToolOutput: toolOutput(it),
		IsError: it.Status == "failed" || it.Status == "declined",
	}
	meta := stream.Metadata{ExitCode: it.ExitCode}
	if why := denied(it); why != "" {
		meta.Denied = true
		m.deny(stream.Denial{ToolName: name, ToolID: it.ID, Message: why, Input: toolInput(it)})
		if noSandbox(it) != "" {
			m.warnOnce("codex's sandbox cannot start on this machine, so its commands fail: inside another sandbox, give --access full")
		}
	}
	if meta.Denied || meta.ExitCode != nil {
		c.Metadata = &meta
	}
	emit(c)
}

func (m *mapper) todo(it *item, emit func(stream.Chunk)) {
	// The completed event repeats the last update.
	if string(it.Items) == m.lastTodo {
		return
	}
	m.lastTodo = string(it.Items)
	emit(stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeTodo, Data: it.Items}})
}

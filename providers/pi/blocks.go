package pi

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// update maps a piece of the assistant's message. pi always prints the pieces,
// so they are the text, and the whole serves only blocks that had none.
func (m *mapper) update(u *update, rec ndjson.Record, emit func(stream.Chunk)) error {
	if u == nil {
		return providers.Unknown("message_update", rec.Raw, emit)
	}
	m.progress++
	m.retrying = ""
	switch u.Type {
	case "text_delta":
		m.say(stream.Text, u.Index, u.Delta, true, emit)
	case "thinking_delta":
		m.say(stream.Thinking, u.Index, u.Delta, true, emit)
	case "text_end":
		m.rest(stream.Text, u.Index, u.Content, emit)
	case "thinking_end":
		m.rest(stream.Thinking, u.Index, u.Content, emit)
	case "start", "done", "error", "text_start", "thinking_start", "toolcall_start", "toolcall_delta", "toolcall_end":
	default:
		return providers.Unknown("message_update "+u.Type, rec.Raw, emit)
	}
	return nil
}

func (m *mapper) say(kind stream.Type, index int, words string, piece bool, emit func(stream.Chunk)) {
	if words == "" {
		return
	}
	m.blocks[index] = true
	m.spoke = true
	m.answered = m.answered || kind == stream.Text
	m.worked = m.worked || kind == stream.Text
	c := stream.Chunk{Type: kind, Content: words, IsDelta: piece}
	if m.id != "" {
		c.Metadata = &stream.Metadata{MessageID: m.id}
	}
	emit(c)
}

// rest emits a block whose pieces never came.
func (m *mapper) rest(kind stream.Type, index int, whole string, emit func(stream.Chunk)) {
	if m.blocks[index] || kind == stream.Thinking && whole == redacted {
		return
	}
	m.say(kind, index, whole, false, emit)
}

// redacted is what pi puts where reasoning is encrypted: no reasoning.
const redacted = "[Reasoning redacted]"

func (m *mapper) messageStart(msg message) {
	if msg.Role != "assistant" {
		return
	}
	clear(m.blocks)
	m.id, m.spoke, m.answered = msg.ResponseID, false, false
}

func (m *mapper) messageEnd(msg message, rec ndjson.Record, emit func(stream.Chunk)) error {
	switch msg.Role {
	case "assistant":
		return m.assistantEnd(msg, emit)
	case "user":
		m.progress++
		// Before 0.99.0 the session file was written with the first answer.
		m.confirm(!m.before("0.99.0"))
	case "toolResult":
		m.progress++
		m.count(msg.Usage)
	case "system":
	case "custom", "branchSummary", "compactionSummary", "bashExecution":
		emit(contextNotice(msg))
	default:
		return providers.Unknown("message of "+msg.Role, rec.Raw, emit)
	}
	return nil
}

// assistantEnd takes the authoritative message: its usage counts, also of a failed one.
func (m *mapper) assistantEnd(msg message, emit func(stream.Chunk)) error {
	blocks, err := contentBlocks(msg.Content)
	if err != nil {
		return broken("message", err)
	}
	if m.id == "" {
		m.id = msg.ResponseID
	}
	for i, b := range blocks {
		switch {
		case b.Type == "text":
			m.rest(stream.Text, i, b.Text, emit)
		case b.Type == "thinking" && !b.Redacted:
			m.rest(stream.Thinking, i, b.Thinking, emit)
		}
	}
	m.sum.apiMS += msg.DurationMS
	m.confirm(true)
	before := m.model()
	msg.Content = nil
	m.last = msg
	m.count(msg.Usage)
	if now := m.facts.Model; before != "" && now != before {
		c := stream.Notice(stream.NoticeModel, "the model is now "+now)
		c.Metadata.Model = now
		emit(c)
	}
	if msg.StopReason != "error" {
		m.progress++
		m.retrying = ""
	}
	clear(m.blocks)
	m.id = ""
	return nil
}

// confirm notes that the session is on disk.
func (m *mapper) confirm(written bool) {
	m.confirmed = m.confirmed || written && m.session != "" && !m.given.Ephemeral
}

// before reports whether the stream is of a pi before the version.
func (m *mapper) before(version string) bool { return older(m.request.Version, version) }

// contentBlocks decodes a message's content, which may be plain text.
func contentBlocks(raw ndjson.RawMessage) ([]block, error) {
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '"' {
		return nil, nil
	}
	if raw[0] == '"' {
		var text string
		err := ndjson.Unmarshal(raw, &text)
		return []block{{Type: "text", Text: text}}, err
	}
	var blocks []block
	err := ndjson.Unmarshal(raw, &blocks)
	return blocks, err
}

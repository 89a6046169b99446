package claude

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// streamEvent maps the pieces. Without Request.Deltas they only keep the count
// of blocks: every block that stays comes whole as well.
func (m *mapper) streamEvent(rec ndjson.Record) error {
	var line streamLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(line.Parent == "")
	l := m.lane(line.Parent)
	e := &line.Event
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			m.begin(l, e.Message.ID)
			m.totals.observe(l, e.Message.Usage)
		}
	case "content_block_start":
		l.open = e.Index
		if e.ContentBlock != nil {
			m.piece(l, &line, e.ContentBlock.Text, e.ContentBlock.Thinking)
		}
	case "content_block_delta":
		m.piece(l, &line, e.Delta.Text, e.Delta.Thinking)
	case "content_block_stop":
		l.open = -1
		l.next = max(l.next, e.Index+1)
	case "message_delta":
		m.totals.observe(l, e.Usage)
	case "message_stop":
		l.open = -1
		m.abandoned(l, &line)
	case "ping":
	default:
		m.emit(providers.UnknownNotice("stream_event/"+e.Type, rec.Raw))
	}
	return nil
}

func (m *mapper) piece(l *lane, line *streamLine, text, thinking string) {
	if !m.req.Deltas || text == "" && thinking == "" {
		return
	}
	c := stream.Chunk{
		Type: stream.Text, Content: text, IsDelta: true,
		Metadata: &stream.Metadata{MessageID: l.message, ParentToolID: line.Parent},
	}
	if text == "" {
		c.Type, c.Content = stream.Thinking, thinking
	} else if line.Parent == "" {
		m.worked, m.spoke = true, true
	}
	l.emit(line.Event.Index)
	m.emit(c)
}

// abandoned tells that pieces already emitted will not become a block: the
// attempt was cut and is made again.
func (m *mapper) abandoned(l *lane, line *streamLine) {
	if line.Abandoned == nil || line.Abandoned.MessageID != l.message {
		return
	}
	for index := range l.emitted {
		if index >= line.Abandoned.From {
			m.retracted([]string{l.message})
			return
		}
	}
}

// retracted tells that the text of messages, already emitted, does not count.
// The vendor tells a refusal's twice: when it turns to another model, and with
// the text that stands in its place.
func (m *mapper) retracted(messages []string) {
	if slices.Equal(messages, m.takenBack) {
		return
	}
	m.takenBack = messages
	c := notice(stream.NoticeRetracted, "the vendor took text back", nil)
	c.Metadata.Supersedes = messages
	if len(messages) == 1 {
		c.Metadata.MessageID = messages[0]
	}
	m.emit(c)
}

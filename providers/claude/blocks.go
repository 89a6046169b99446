package claude

import (
	"strconv"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func (m *mapper) assistant(rec ndjson.Record) error {
	var line assistantLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(line.Parent == "")
	if line.IsAPIError || line.Message.Model == synthetic && line.Error != "" { // 2.1.0 had no flag
		m.apiFailure(&line)
		return nil
	}
	if line.Parent == "" {
		m.failure = nil // the model answered after all
	}
	l := m.lane(line.Parent)
	if line.Message.ID != l.message || line.Message.ID == "" {
		m.begin(l, line.Message.ID)
	}
	m.totals.observe(l, line.Message.Usage)
	for i := range line.Message.Content {
		m.block(&line, l, &line.Message.Content[i], rec.Raw)
	}
	return nil
}

// synthetic is the model of messages that the CLI itself wrote.
const synthetic = "<synthetic>"

func (m *mapper) block(line *assistantLine, l *lane, b *block, raw []byte) {
	index := l.block()
	meta := &stream.Metadata{MessageID: line.Message.ID, ParentToolID: line.Parent, AgentType: line.SubagentType}
	switch b.Type {
	case "text":
		m.recent.add(line.UUID, line.Message.ID)
		m.text(line, b.Text, l.emitted[index], meta)
	case "thinking":
		if b.Thinking != "" && !l.emitted[index] {
			m.emit(stream.Chunk{Type: stream.Thinking, Content: b.Thinking, Metadata: meta})
		}
		m.worked = m.worked || line.Parent == ""
	case "redacted_thinking":
		// Has no words.
	case "tool_use", "server_tool_use", "mcp_tool_use":
		m.worked = m.worked || line.Parent == ""
		m.toolUse(b, meta)
	default:
		if strings.HasSuffix(b.Type, "_tool_result") && b.ToolUseID != "" {
			m.toolResult(b, *meta, "")
			return
		}
		m.emit(providers.UnknownNotice("content block "+b.Type, raw))
	}
}

// text emits a complete text, unless its pieces were emitted.
func (m *mapper) text(line *assistantLine, text string, emitted bool, meta *stream.Metadata) {
	if text == "" {
		return
	}
	if line.Parent == "" {
		m.worked, m.spoke = true, true
	}
	m.lane(line.Parent).spoke = true
	if emitted {
		if len(line.Supersedes) > 0 {
			m.retracted(m.recent.messages(line.Supersedes))
		}
		return
	}
	meta.Aborted = line.Aborted
	if len(line.Supersedes) > 0 {
		meta.Supersedes = m.recent.messages(line.Supersedes)
	}
	m.emit(stream.Chunk{Type: stream.Text, Content: text, Metadata: meta})
}

// call is a tool call without a result.
type call struct {
	name   string
	parent string            // the tool call of the subagent that made it
	plan   ndjson.RawMessage // the input of one that asks to leave plan mode
	asked  bool              // known from a request for its permission alone
	denied bool              // by an answer to that request
}

// planOf keeps a plan: the CLI's question whether to carry it out does not repeat it.
func planOf(b *block) ndjson.RawMessage {
	if b.Name != toolPlan {
		return nil
	}
	return b.Input
}

func (m *mapper) toolUse(b *block, meta *stream.Metadata) {
	have, twice := m.open[b.ID]
	switch {
	case b.ID == "" || b.Name == "":
		m.notice(stream.NoticeWarning, "the vendor began a tool call without an id or a name: "+b.ID+b.Name, nil)
		return
	case have.asked:
		m.open[b.ID] = call{name: b.Name, parent: meta.ParentToolID}
		return
	case twice:
		m.notice(stream.NoticeWarning, "the vendor began the tool call "+b.ID+" twice", nil)
		return
	}
	m.open[b.ID] = call{name: b.Name, parent: meta.ParentToolID, plan: planOf(b)}
	m.emit(stream.Chunk{Type: stream.ToolUse, ToolName: b.Name, ToolID: b.ID, ToolInput: b.Input, Metadata: meta})
}

func (m *mapper) user(rec ndjson.Record) error {
	var line userLine
	if err := rec.Decode(&line); err != nil {
		var text textUserLine
		return rec.Decode(&text)
	}
	m.progress(line.Parent == "")
	meta := stream.Metadata{ParentToolID: line.Parent, AgentType: line.SubagentType}
	for i := range line.Message.Content {
		b := &line.Message.Content[i]
		if b.Type != "tool_result" {
			continue // a prompt, or what the CLI itself tells the model
		}
		var decision string
		for _, told := range line.ToolResultMeta {
			if told.ID == b.ToolUseID {
				decision = told.Decision.Decision
			}
		}
		m.toolResult(b, meta, decision)
	}
	return nil
}

func (m *mapper) toolResult(b *block, meta stream.Metadata, decision string) {
	m.leave(b.ToolUseID)
	opened, known := m.open[b.ToolUseID]
	output, words := toolOutput(b.Content)
	if !known {
		c := notice(stream.NoticeWarning, "the vendor gave a result of a tool call that is not open: "+b.ToolUseID, nil)
		c.Metadata.Data = output
		m.emit(c)
		return
	}
	name := opened.name
	told := m.denied[b.ToolUseID]
	if told || opened.denied || decision == "reject" || b.IsError && strings.HasPrefix(words, "Permission to use ") {
		meta.Denied = true
		if !told {
			m.emit(deniedNotice(name, b.ToolUseID, words))
		}
		m.deny(stream.Denial{ToolName: name, ToolID: b.ToolUseID, Message: words})
	}
	if code, ok := exitCode(words); ok && b.IsError {
		meta.ExitCode = &code
	}
	c := stream.Chunk{
		Type: stream.ToolResult, ToolName: name, ToolID: b.ToolUseID, ToolOutput: output,
		IsError: b.IsError || meta.Denied,
	}
	if meta.MessageID != "" || meta.ParentToolID != "" || meta.Denied || meta.ExitCode != nil {
		c.Metadata = &meta
	}
	m.emit(c)
	delete(m.open, b.ToolUseID)
	delete(m.denied, b.ToolUseID)
}

// toolOutput returns the output as the vendor gave it, but the text alone where
// it is one text block, and its words where it is text.
func toolOutput(content ndjson.RawMessage) (output ndjson.RawMessage, words string) {
	if len(content) == 0 {
		return nil, ""
	}
	const head = 1 << 10
	switch content[0] {
	case '"':
		if len(content) > head {
			// Only the beginning is looked at: a long output need not be decoded.
			return content, ""
		}
		_ = ndjson.Unmarshal(content, &words) // a decoder's own value is valid
		return content, words
	case '[':
		var blocks []struct {
			Type string  `json:"type"`
			Text *string `json:"text"`
		}
		if ndjson.Unmarshal(content, &blocks) == nil && len(blocks) == 1 && blocks[0].Type == "text" && blocks[0].Text != nil {
			words = *blocks[0].Text
			return ndjson.Encode(words), words
		}
	}
	return content, ""
}

// exitCode reads the "Exit code N" with which the output of a failed command begins.
func exitCode(words string) (int, bool) {
	rest, ok := strings.CutPrefix(words, "Exit code ")
	if !ok {
		return 0, false
	}
	first, _, _ := strings.Cut(rest, "\n")
	code, err := strconv.Atoi(strings.TrimSpace(first))
	return code, err == nil
}

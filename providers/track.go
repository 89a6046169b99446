package providers

import "agentrun/stream"

// track watches the chunks of a run for what the verdict needs of them. Its
// memory is bounded by the open tool calls and the last message.
type track struct {
	open    []stream.OpenTool
	denials []stream.Denial
	final   []byte
	message string // id of the message that final holds
	texts   int    // text chunks of the main thread
	work    int    // chunks that are the agent's doing
	last    string // what was seen last, for a timeout's message
}

func (t *track) see(c stream.Chunk) {
	meta := orEmpty(c.Metadata)
	switch c.Type {
	case stream.Text:
		t.work++
		t.last = "text"
		if meta.ParentToolID == "" {
			t.text(c.Content, meta.MessageID)
		}
	case stream.Thinking:
		t.work++
		t.last = "thinking"
	case stream.ToolUse:
		t.work++
		t.last = "tool_use " + c.ToolName
		t.open = append(t.open, stream.OpenTool{ToolName: c.ToolName, ToolID: c.ToolID})
		if meta.ParentToolID == "" {
			t.final = t.final[:0]
		}
	case stream.ToolResult:
		t.work++
		t.last = "tool_result " + c.ToolName
		t.close(c, meta)
	case stream.System:
		t.last = "notice " + meta.Notice
		if meta.Notice == stream.NoticeRetracted {
			t.final = t.final[:0]
		}
	case stream.Result, stream.Error:
	}
}

func (t *track) text(content, message string) {
	t.texts++
	if message != "" && message != t.message {
		t.final = t.final[:0]
	}
	t.message = message
	t.final = append(t.final, content...)
}

func (t *track) close(c stream.Chunk, meta stream.Metadata) {
	for i, o := range t.open {
		if o.ToolID != c.ToolID {
			continue
		}
		if meta.Denied {
			t.denials = append(t.denials, stream.Denial{ToolName: o.ToolName, ToolID: o.ToolID, Message: asText(c.ToolOutput)})
		}
		t.open = append(t.open[:i], t.open[i+1:]...)
		return
	}
}

package providers

import (
	"slices"

	"agentrun/stream"
)

// track watches the chunks of a run for what the verdict needs of them. Its
// memory is bounded by the open tool calls, the last message and a thousand denials.
type track struct {
	open    []stream.OpenTool
	denials []stream.Denial
	final   []byte
	message string // id of the message that final holds
	texts   int    // text chunks of the main thread
	last    string // what was seen last, for a timeout's message
}

func (t *track) see(c stream.Chunk) {
	meta := orEmpty(c.Metadata)
	switch c.Type {
	case stream.Text:
		t.last = "text"
		if meta.ParentToolID == "" {
			t.text(c.Content, meta.MessageID)
		}
	case stream.Thinking:
		t.last = "thinking"
	case stream.ToolUse:
		t.last = "tool_use " + c.ToolName
		t.open = append(t.open, stream.OpenTool{ToolName: c.ToolName, ToolID: c.ToolID})
		if meta.ParentToolID == "" {
			t.final = t.final[:0]
		}
	case stream.ToolResult:
		t.last = "tool_result " + c.ToolName
		t.close(c, meta.Denied)
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

// close ends the tool call that a result belongs to: the newest first, so that
// calls which never end do not make it slow.
func (t *track) close(c stream.Chunk, denied bool) {
	name := c.ToolName
	for i, o := range slices.Backward(t.open) {
		if o.ToolID == c.ToolID {
			name = o.ToolName
			t.open = slices.Delete(t.open, i, i+1)
			break
		}
	}
	if denied {
		t.deny(stream.Denial{ToolName: name, ToolID: c.ToolID, Message: Clip(c.OutputText(), 1000)})
	}
}

func (t *track) deny(d stream.Denial) {
	const most = 1000
	known := d.ToolID != "" && slices.ContainsFunc(t.denials, func(have stream.Denial) bool { return have.ToolID == d.ToolID })
	if !known && len(t.denials) < most {
		t.denials = append(t.denials, d)
	}
}

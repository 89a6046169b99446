package pi

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/stream"
)

// toolStart maps the one event that every executed call has, unknown tools included.
func (m *mapper) toolStart(e toolEvent, emit func(stream.Chunk)) {
	m.progress++
	if _, twice := m.open[e.ID]; twice || e.ID == "" || e.Name == "" {
		emit(stream.Notice(stream.NoticeWarning, "tool call "+e.ID+" began twice, or without an id or a name"))
		return
	}
	m.open[e.ID] = e.Name
	m.worked = true
	emit(stream.Chunk{
		Type: stream.ToolUse, ToolName: e.Name, ToolID: e.ID, ToolInput: e.Args, Metadata: nested(e),
	})
}

func (m *mapper) toolEnd(e toolEvent, emit func(stream.Chunk)) {
	m.progress++
	if _, began := m.open[e.ID]; !began {
		c := stream.Notice(stream.NoticeWarning, "tool call "+e.ID+" ended and never began")
		c.Metadata.Data = e.Result.Content
		emit(c)
		return
	}
	delete(m.open, e.ID)
	text, isText := plainText(e.Result.Content)
	meta := stream.Metadata{ParentToolID: e.Parent, ExitCode: exitCode(e.Result.Structured)}
	if e.DurationMS != nil {
		meta.DurationMS = int64(*e.DurationMS)
	}
	meta.Denied = e.IsError && m.denied(e, text)
	c := stream.Chunk{
		Type: stream.ToolResult, ToolName: e.Name, ToolID: e.ID, ToolOutput: e.Result.Content, IsError: e.IsError,
	}
	if isText {
		c.ToolOutput = ndjson.Encode(text)
	}
	if meta.ParentToolID != "" || meta.ExitCode != nil || meta.DurationMS != 0 || meta.Denied {
		c.Metadata = &meta
	}
	emit(c)
}

// denied reports whether a call failed because it was not allowed. pi has no
// event for that: a tool that the request took away is "not found", and one
// that an extension blocks has the extension's own words and no duration
// (agent-loop of 1.6.0; durations since 1.1.0).
func (m *mapper) denied(e toolEvent, text string) bool {
	if m.declined[e.ID] {
		return true
	}
	if text == "Tool "+e.Name+" not found" {
		return m.tools.refuses(e.Name)
	}
	if e.DurationMS != nil || e.Parent != "" || m.before("1.1.0") {
		return false
	}
	for _, other := range []string{
		"Operation aborted", "Validation failed for tool", "Invalid arguments for tool", "Tool call \"",
	} {
		if strings.HasPrefix(text, other) {
			return false
		}
	}
	return text != ""
}

func nested(e toolEvent) *stream.Metadata {
	if e.Parent == "" {
		return nil
	}
	return &stream.Metadata{ParentToolID: e.Parent}
}

// plainText joins content that is text alone.
func plainText(content ndjson.RawMessage) (string, bool) {
	blocks, err := contentBlocks(content)
	if err != nil || blocks == nil {
		return "", false
	}
	var sb strings.Builder
	for _, b := range blocks {
		if b.Type != "text" {
			return "", false
		}
		sb.WriteString(b.Text)
	}
	return sb.String(), true
}

// exitCode reads the status of a command from what the bash tool structures (1.6.0).
func exitCode(structured ndjson.RawMessage) *int {
	if len(structured) == 0 || structured[0] != '{' {
		return nil
	}
	var s struct {
		ExitCode *int `json:"exit_code"`
	}
	if ndjson.Unmarshal(structured, &s) != nil {
		return nil
	}
	return s.ExitCode
}

// Package stream is agentrun's public contract: the chunks that every provider's
// output becomes, the usage and the one-shot result built from them, and their
// JSON Schema. It does no I/O.
package stream

import (
	"encoding/json"
	"time"
)

// Version names the stream's format. The first line of every stream carries it.
const Version = "agentrun/1"

// Type says what a chunk is.
type Type string

// The chunk types. A stream is any number of the first five, then at most one
// result or error.
const (
	System     Type = "system"      // facts about the run and notices; never assistant text
	Thinking   Type = "thinking"    // reasoning
	Text       Type = "text"        // assistant text that the user is meant to see
	ToolUse    Type = "tool_use"    // the agent calls a tool
	ToolResult Type = "tool_result" // what the tool gave back, joined by ToolID
	Result     Type = "result"      // the run succeeded; the last chunk
	Error      Type = "error"       // the run failed; the last chunk
)

// Types lists the chunk types in the order of their documentation.
func Types() []Type {
	return []Type{System, Thinking, Text, ToolUse, ToolResult, Result, Error}
}

// Chunk is one line of a stream: the only thing that leaves a provider.
type Chunk struct {
	Type Type `json:"type"`
	// Content is the text of a text or thinking chunk, the words of a notice or
	// an error, or the terminal text of a result that no text chunk carried.
	Content string `json:"content,omitempty"`
	// ToolName and ToolID are the vendor's own; they are never invented.
	ToolName string `json:"tool_name,omitempty"`
	ToolID   string `json:"tool_id,omitempty"`
	// ToolInput is the parsed input of a tool_use: a JSON value, mostly an object.
	ToolInput json.RawMessage `json:"tool_input,omitempty"`
	// ToolOutput is the output of a tool_result: a JSON string where the output
	// is text, else the vendor's own JSON value.
	ToolOutput json.RawMessage `json:"tool_output,omitempty"`
	// IsError marks a tool_result whose tool failed or was denied, and every error chunk.
	IsError bool `json:"is_error,omitempty"`
	// IsDelta marks a piece of a text or thinking unit. Pieces concatenate in order.
	IsDelta  bool      `json:"is_delta,omitempty"`
	Metadata *Metadata `json:"metadata,omitempty"`
}

// Notice returns a system chunk with one of the stable words and what it is about.
func Notice(word, content string) Chunk {
	return Chunk{Type: System, Content: content, Metadata: &Metadata{Notice: word}}
}

// OutputText is ToolOutput for people: the text, or the JSON of another value.
func (c *Chunk) OutputText() string {
	var text string
	if json.Unmarshal(c.ToolOutput, &text) != nil {
		return string(c.ToolOutput)
	}
	return text
}

// Stamp is what --stamp and the session log add to a chunk's line.
type Stamp struct {
	Seq  int    `json:"seq"`  // from 1, without gaps
	Time string `json:"time"` // RFC 3339 with milliseconds, UTC
	Run  string `json:"run"`  // our run id
}

// StampTime writes a time as Stamp has it.
func StampTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Stamped is a chunk with its stamp, flattened to one object.
type Stamped struct {
	Stamp
	Chunk
}

package scripted

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// line is one line of a script: a chunk as agentrun prints it, or one of these.
type line struct {
	stream.Stamped
	Delay *float64 `json:"delay_ms"`
	Fail  *failure `json:"fail"`
}

// failure is the short form of an error chunk.
type failure struct {
	Class      string  `json:"class"`
	Reason     string  `json:"reason"`
	Message    string  `json:"message"`
	Hint       string  `json:"hint"`
	Retryable  bool    `json:"retryable"`
	RetryAfter float64 `json:"retry_after"` // seconds
}

// lines yields the lines of a script that are not blank, with their numbers from 1.
func lines(script []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		n := 0
		for raw := range bytes.Lines(script) {
			n++
			if raw = bytes.TrimSpace(raw); len(raw) > 0 && !yield(n, raw) {
				return
			}
		}
	}
}

func parse(raw []byte) (line, error) {
	var l line
	err := ndjson.Unmarshal(raw, &l)
	return l, err
}

// check returns the first fault of a script: an error of class usage that names the line.
func check(script []byte) *providers.Error {
	text, _ := stream.Schema("chunk")
	schema, err := providers.CompileSchema(text)
	if err != nil {
		return fault("the chunk schema is broken: %w", err)
	}
	c := checker{schema: schema, open: map[string]bool{}}
	for n, raw := range lines(script) {
		if err := c.line(raw); err != nil {
			err.Message = fmt.Sprintf("line %d: ", n) + err.Message
			return err
		}
	}
	return nil
}

// checker holds a script to the rules of a stream, so that a pipeline is not
// tested with what no provider would ever send.
type checker struct {
	schema *providers.Schema
	open   map[string]bool // tool calls without a result
	ended  bool
}

func (c *checker) line(raw []byte) *providers.Error {
	var keys map[string]ndjson.RawMessage
	if err := ndjson.Unmarshal(raw, &keys); err != nil || keys == nil {
		return fault("not a JSON object")
	}
	if c.ended {
		return fault("nothing may follow a result, an error or a failure")
	}
	if value, ok := keys["delay_ms"]; ok {
		return checkDelay(keys, value)
	}
	if value, ok := keys["fail"]; ok {
		c.ended = true
		return checkFail(keys, value)
	}
	if _, ok := keys["type"]; !ok {
		return fault("neither a chunk with its type, nor a delay_ms, nor a fail")
	}
	if err := c.schema.Check(raw); err != nil {
		return fault("not a chunk: %w", err)
	}
	l, err := parse(raw)
	if err != nil {
		return fault("%w", err)
	}
	return c.chunk(l.Chunk)
}

func (c *checker) chunk(chunk stream.Chunk) *providers.Error {
	switch id := chunk.ToolID; chunk.Type {
	case stream.Text, stream.Thinking:
		if chunk.Content == "" {
			return fault("a %s without content", chunk.Type)
		}
	case stream.ToolUse:
		if id == "" || c.open[id] {
			return fault("a tool_use needs a tool_id of its own, not %q", id)
		}
		c.open[id] = true
	case stream.ToolResult:
		if !c.open[id] {
			return fault("no tool_use %q is open for this tool_result", id)
		}
		delete(c.open, id)
	case stream.Result, stream.Error:
		c.ended = true
	default: // a system chunk belongs to nothing
	}
	return nil
}

func checkDelay(keys map[string]ndjson.RawMessage, value []byte) *providers.Error {
	const most = float64(24 * time.Hour / time.Millisecond)
	if len(keys) > 1 {
		return fault("delay_ms stands on a line of its own")
	}
	ms := math.NaN()
	if err := ndjson.Unmarshal(value, &ms); err != nil || !(ms >= 0 && ms <= most) {
		return fault("delay_ms is a number of milliseconds from 0 to a day, not %s", value)
	}
	return nil
}

func checkFail(keys map[string]ndjson.RawMessage, value []byte) *providers.Error {
	if len(keys) > 1 {
		return fault("fail stands on a line of its own")
	}
	var f *failure
	var given map[string]ndjson.RawMessage
	if err := ndjson.Unmarshal(value, &given); err != nil {
		return fault("fail is an object")
	}
	if err := ndjson.Unmarshal(value, &f); err != nil || f == nil {
		return fault("fail: %s is no such failure", value)
	}
	known := []string{"class", "reason", "message", "hint", "retryable", "retry_after"}
	for name := range given {
		if !slices.Contains(known, name) {
			return fault("fail has no field %q, only %s", name, strings.Join(known, ", "))
		}
	}
	if f.RetryAfter < 0 {
		return fault("fail: retry_after is a number of seconds, not %v", f.RetryAfter)
	}
	return checkClass(f.Class)
}

func checkClass(class string) *providers.Error {
	if slices.Contains(providers.Classes(), providers.Class(class)) {
		return nil
	}
	names := make([]string, 0, len(providers.Classes()))
	for _, c := range providers.Classes() {
		names = append(names, string(c))
	}
	err := fault("%q is no error class", class)
	if near := providers.Nearest(class, names); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("the classes are: %s", strings.Join(names, ", "))
}

func fault(format string, args ...any) *providers.Error {
	return providers.Errorf(providers.Usage, "script", format, args...)
}

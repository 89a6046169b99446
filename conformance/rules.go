package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Chunks decodes chunk lines.
func Chunks(lines []byte) ([]stream.Chunk, error) {
	var chunks []stream.Chunk
	for line := range bytes.Lines(lines) {
		var c stream.Chunk
		if err := ndjson.Unmarshal(line, &c); err != nil {
			return chunks, fmt.Errorf("line %d: %w", len(chunks)+1, err)
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// Order returns every breach, joined, of the rules that hold for any stream:
// what comes first and last, how often, and what belongs together. The exit
// status is that of agentrun; deltas says that pieces were asked for.
func Order(chunks []stream.Chunk, status int, deltas bool) error {
	o := order{status: status, deltas: deltas, open: map[string]bool{}, units: map[string][]string{}}
	for i, c := range chunks {
		o.at = i + 1
		o.chunk(c)
	}
	o.end(chunks)
	return errors.Join(o.faults...)
}

// order is one pass over a stream.
type order struct {
	status  int
	deltas  bool
	at      int // number of the line, from 1
	open    map[string]bool
	units   map[string][]string // the texts of a message, by its id
	texts   int                 // of the main thread
	content bool                // there is more than notices
	last    stream.Chunk        // the terminal chunk, once it came
	faults  []error
}

func (o *order) fault(format string, args ...any) {
	o.faults = append(o.faults, fmt.Errorf("line %d: "+format, append([]any{o.at}, args...)...))
}

func (o *order) chunk(c stream.Chunk) {
	meta := metadata(c)
	if start := c.Type == stream.System && meta.Notice == stream.NoticeRunStart; start != (o.at == 1) {
		o.fault("run_start is the first line and no other: %s %s", c.Type, meta.Notice)
	}
	if o.last.Type != "" {
		o.fault("%s after the terminal chunk", c.Type)
	}
	if c.IsDelta && (!o.deltas || c.Type != stream.Text && c.Type != stream.Thinking) {
		o.fault("a delta of type %s, deltas wanted: %v", c.Type, o.deltas)
	}
	o.content = o.content || c.Type != stream.System
	switch c.Type {
	case stream.System:
		if meta.Notice == stream.NoticeRetracted {
			clear(o.units) // what was taken back may be said again
		}
	case stream.Text, stream.Thinking:
		o.words(c, meta)
	case stream.ToolUse:
		if c.ToolID == "" || c.ToolName == "" {
			o.fault("a tool_use without id or name")
		}
		if o.open[c.ToolID] {
			o.fault("tool call %q is open already", c.ToolID)
		}
		o.open[c.ToolID] = true
	case stream.ToolResult:
		if !o.open[c.ToolID] {
			o.fault("no tool call %q is open for this result", c.ToolID)
		}
		delete(o.open, c.ToolID)
	case stream.Result, stream.Error:
		o.last = c
		o.terminal(c, meta)
	default:
		o.fault("unknown type %q", c.Type)
	}
}

// words looks for text that is empty or was said already.
func (o *order) words(c stream.Chunk, meta stream.Metadata) {
	if c.Content == "" {
		o.fault("a %s chunk without words", c.Type)
	}
	if c.Type == stream.Text && meta.ParentToolID == "" {
		o.texts++
	}
	if meta.MessageID == "" || meta.Aborted {
		return
	}
	key := string(c.Type) + meta.ParentToolID + "\x00" + meta.MessageID
	if !c.IsDelta && (slices.Contains(o.units[key], c.Content) || strings.Join(o.units[key], "") == c.Content) {
		o.fault("%s of message %s said twice: %.80q", c.Type, meta.MessageID, c.Content)
		return
	}
	o.units[key] = append(o.units[key], c.Content)
}

func (o *order) terminal(c stream.Chunk, meta stream.Metadata) {
	listed := map[string]bool{}
	for _, tool := range meta.OpenTools {
		listed[tool.ToolID] = true
		if !o.open[tool.ToolID] {
			o.fault("open_tools names %q, which is not open", tool.ToolID)
		}
	}
	for id := range o.open {
		if !listed[id] {
			o.fault("tool call %q has no result and is not in open_tools", id)
		}
	}
	if c.Type == stream.Error {
		o.failure(c, meta)
		return
	}
	if c.IsError || meta.Class != "" {
		o.fault("a result that is an error")
	}
	if c.Content != "" && o.texts > 0 {
		o.fault("the result repeats text: %.80q", c.Content)
	}
}

func (o *order) failure(c stream.Chunk, meta stream.Metadata) {
	if !c.IsError || c.Content == "" || meta.Retryable == nil {
		o.fault("an error needs is_error, words and retryable")
	}
	if meta.Origin != providers.OriginHost && meta.Origin != providers.OriginProvider {
		o.fault("an error of origin %q", meta.Origin)
	}
	for _, class := range providers.Classes() {
		if string(class) != meta.Class {
			continue
		}
		if class.ExitStatus() != o.status {
			o.fault("class %s means exit status %d, not %d", class, class.ExitStatus(), o.status)
		}
		return
	}
	o.fault("unknown class %q", meta.Class)
}

// end holds the stream against the exit status.
func (o *order) end(chunks []stream.Chunk) {
	if len(chunks) == 0 {
		o.fault("an empty stream")
		return
	}
	want := stream.Error
	switch o.status {
	case 0:
		want = stream.Result
		if !o.content && o.last.Type == "" { // a vendor that said nothing, and may: nothing is made up
			want = ""
		}
	case 129, 130, 131, 141, 143: // ended by us or by our reader: nothing is made up
		want = ""
	}
	if o.last.Type != want {
		o.fault("exit status %d goes with terminal chunk %q, got %q", o.status, want, o.last.Type)
	}
}

func metadata(c stream.Chunk) stream.Metadata {
	if c.Metadata == nil {
		return stream.Metadata{}
	}
	return *c.Metadata
}

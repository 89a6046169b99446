package render

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Text shows a run to a person: the answer on out, everything else on talk.
type Text struct {
	out, talk io.Writer
	opts      TextOptions
	mu        sync.Mutex // of all below, between the run and Tick
	status    status
	below     *foot    // the status line, where the answer has no painter
	paint     *painter // shows the answer's Markdown; nil: as it is
	thought   string   // a line of reasoning that is not complete
	closed    bool
	tools     map[string]tool // open calls, by id
	partial   bool            // the answer's last line has no newline yet
	pieces    bool            // a unit is being written in pieces
	message   string
	err       error
}

// TextOptions say what a person wants to see.
type TextOptions struct {
	Quiet    bool // the final text alone
	Verbose  bool // notices as well
	Thinking bool
	Color    bool // of talk
	// Size is that of the terminal which talk goes to, asked again and again; nil
	// is no terminal: lines have no limit, and there is no status line.
	Size func() (columns, rows int)
	// Markdown renders the answer; out and talk are the same terminal then.
	Markdown bool
	// Guard, when set, makes text of models and tools harmless to who reads out.
	Guard func(string) string
	// Group, when set, writes a tool's line and its output to talk, instead of the line alone.
	Group func(w io.Writer, title, text string) error
	Now   func() time.Time
}

// mostGroup is how much of a tool's output a group shows.
const mostGroup = 64 << 10

type tool struct {
	name  string
	line  string
	began time.Time
}

// NewText returns a sink for people.
func NewText(out, talk io.Writer, opts TextOptions) *Text {
	t := &Text{out: out, talk: talk, opts: opts, tools: map[string]tool{}, below: &foot{w: talk}}
	if opts.Markdown && opts.Size != nil && !opts.Quiet {
		t.paint = newPainter(out, opts.Size)
	}
	t.status.began = opts.Now()
	return t
}

// Emit shows one chunk.
func (t *Text) Emit(c stream.Chunk) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c.Type != stream.Thinking {
		t.thinkOut()
	}
	if c.Type != stream.System {
		t.status.heard = t.opts.Now()
	}
	meta := c.Metadata
	if meta == nil {
		meta = &stream.Metadata{}
	}
	switch c.Type {
	case stream.Text:
		if !t.opts.Quiet {
			t.text(c, meta)
		}
	case stream.Thinking:
		if t.opts.Thinking && !t.opts.Quiet {
			t.think(c, meta)
		}
	case stream.ToolUse:
		t.breakLine()
		t.tools[c.ToolID] = tool{c.ToolName, describe(c), t.opts.Now()}
	case stream.ToolResult:
		t.toolDone(c, meta)
	case stream.System:
		t.notice(c, meta)
	case stream.Result:
		if c.Content != "" && !t.opts.Quiet {
			t.text(c, meta)
		}
	case stream.Error: // told once, by the command
	}
	return t.err
}

// text writes the answer: pieces as they come, units on lines of their own.
func (t *Text) text(c stream.Chunk, meta *stream.Metadata) {
	if meta.ParentToolID != "" {
		t.say(dim, "  | "+oneLine(c.Content))
		return
	}
	goesOn := c.IsDelta && t.pieces && meta.MessageID == t.message
	if !goesOn {
		t.breakLine()
	}
	t.pieces, t.message = c.IsDelta, meta.MessageID
	text := providers.Plain(c.Content)
	t.answer(text, c.IsDelta)
	if text != "" {
		t.partial = !strings.HasSuffix(text, "\n")
	}
	if !c.IsDelta {
		t.breakLine()
	}
}

func (t *Text) toolDone(c stream.Chunk, meta *stream.Metadata) {
	call, ok := t.tools[c.ToolID]
	delete(t.tools, c.ToolID)
	if !ok {
		call = tool{line: c.ToolName, began: t.opts.Now()}
	}
	mark, style := "+", plain
	switch {
	case meta.Denied:
		mark, style = "denied", yellow
	case c.IsError:
		mark, style = "failed", red
	}
	took := t.opts.Now().Sub(call.began)
	line := fmt.Sprintf("%s[%s] %s (%s)", indent(meta), mark, call.line, seconds(took))
	if t.opts.Group != nil && !t.opts.Quiet {
		t.breakLine()
		_ = t.opts.Group(t.talk, oneLine(line), clip(outputText(c), mostGroup)) // as with say
		return
	}
	if c.IsError || meta.Denied {
		line += ": " + oneLine(outputText(c))
	}
	t.say(style, line)
}

func (t *Text) notice(c stream.Chunk, meta *stream.Metadata) {
	switch meta.Notice {
	case stream.NoticeRetry, stream.NoticeDenied, stream.NoticeRetracted, stream.NoticeOutputFailed, stream.NoticeWarning, stream.NoticeEndedLate, stream.NoticeBackground:
		t.say(yellow, "! "+oneLine(c.Content))
	case stream.NoticeRunStart:
	default:
		if t.opts.Verbose {
			t.say(dim, meta.Notice+": "+oneLine(c.Content))
		}
	}
}

// Close ends the output: the final text where only that is wanted, and the closing line.
func (t *Text) Close(out providers.Outcome) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.thinkOut()
	t.breakLine()
	t.foot("")
	t.closed = true
	if t.opts.Quiet {
		if (out.Err == nil || out.Completed) && out.Final != "" {
			t.write(providers.Plain(strings.TrimRight(out.Final, "\n")) + "\n")
		}
		return t.err
	}
	for _, call := range slices.SortedFunc(maps.Values(t.tools), sooner) {
		t.say(yellow, "[no result] "+call.line)
	}
	t.sayAll(dim, closing(out))
	return t.err
}

func sooner(a, b tool) int {
	return cmp.Or(a.began.Compare(b.began), strings.Compare(a.line, b.line))
}

// answer writes a piece of the answer, or a whole unit of it.
func (t *Text) answer(text string, piece bool) {
	t.status.shown = t.opts.Now()
	switch {
	case t.paint == nil:
		t.write(text)
	case t.err == nil && piece:
		t.err = t.paint.add(text)
	case t.err == nil:
		t.err = t.paint.unit(text)
	}
}

func (t *Text) breakLine() {
	if t.paint != nil && t.err == nil {
		t.err = t.paint.end()
		t.partial = false
	}
	if t.partial {
		t.write("\n")
		t.partial = false
	}
}

func (t *Text) write(s string) {
	t.foot("")
	if t.opts.Guard != nil {
		s = t.opts.Guard(s)
	}
	if t.err == nil {
		_, t.err = io.WriteString(t.out, s)
	}
}

// say writes one line of talk, and whatever is in it stays on that line; that
// nobody reads it is no failure.
func (t *Text) say(style, line string) {
	if t.opts.Quiet {
		return
	}
	t.breakLine()
	t.foot("")
	line = strings.ReplaceAll(strings.TrimRight(providers.Plain(line), "\n"), "\n", " ")
	if t.opts.Guard != nil {
		line = t.opts.Guard(line)
	}
	if t.opts.Size != nil {
		columns, _ := t.opts.Size()
		line = fit(line, columns)
	}
	if t.opts.Color && style != plain {
		line = style + line + reset
	}
	_, _ = io.WriteString(t.talk, line+"\n")
}

// closing is the last line: verdict, time, tokens, cost.
func closing(out providers.Outcome) string {
	parts := []string{"ok"}
	if out.Err != nil {
		parts[0] = string(out.Err.Class)
		if out.Err.Reason != "" {
			parts[0] += " (" + out.Err.Reason + ")"
		}
	}
	parts = append(parts, seconds(out.Duration))
	if m := out.Terminal.Metadata; m != nil {
		if m.Usage != nil && m.Usage.InputTokens != nil && m.Usage.OutputTokens != nil {
			parts = append(parts, fmt.Sprintf("%d tokens in, %d out", *m.Usage.InputTokens, *m.Usage.OutputTokens))
		}
		if m.TotalCostUSD != nil {
			parts = append(parts, fmt.Sprintf("$%.4f", *m.TotalCostUSD))
		}
		if n := len(m.Denials); n > 0 {
			parts = append(parts, fmt.Sprintf("%d denied", n))
		}
	}
	if out.Facts.SessionID != "" {
		parts = append(parts, "session "+out.Facts.SessionID)
	}
	return "-- " + strings.Join(parts, ", ")
}

func indent(meta *stream.Metadata) string {
	if meta.ParentToolID != "" {
		return "  "
	}
	return ""
}

// outputText is a tool's output as text.
func outputText(c stream.Chunk) string {
	var s string
	if ndjson.Unmarshal(c.ToolOutput, &s) != nil {
		return string(c.ToolOutput)
	}
	return s
}

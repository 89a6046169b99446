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
		_ = t.opts.Group(t.talk, oneLine(line), providers.Clip(c.OutputText(), mostGroup)) // as with say
		return
	}
	if c.IsError || meta.Denied {
		line = strings.TrimSuffix(line+": "+oneLine(c.OutputText()), ": ")
	}
	t.say(style, line)
}

func (t *Text) notice(c stream.Chunk, meta *stream.Metadata) {
	_, open := t.tools[c.ToolID]
	switch meta.Notice {
	case stream.NoticeDenied:
		if !open || c.ToolID == "" { // else the call's own line tells
			t.say(yellow, "! "+oneLine(c.Content))
		}
	case stream.NoticePolicy:
		if t.opts.Verbose || refuses(meta.Data) {
			t.say(yellow, "! "+oneLine(c.Content))
		}
	case stream.NoticeRetry, stream.NoticeRetracted, stream.NoticeOutputFailed, stream.NoticeWarning, stream.NoticeEndedLate, stream.NoticeBackground, stream.NoticeHook:
		t.say(yellow, "! "+oneLine(c.Content))
	case stream.NoticeRunStart:
	default:
		if t.opts.Verbose {
			t.say(dim, meta.Notice+": "+oneLine(c.Content))
		}
	}
}

// refuses reports whether the data of a notice of a policy tells of a call that it
// does not want.
func refuses(data ndjson.RawMessage) bool {
	var d struct{ Action, By string }
	_ = ndjson.Unmarshal(data, &d) // what is not there refuses nothing
	switch d.Action {
	case "decline", "cancel", "deny":
		return true
	}
	return d.Action == "ask" && d.By == "agent" // it ran before anybody could be asked
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

func indent(meta *stream.Metadata) string {
	if meta.ParentToolID != "" {
		return "  "
	}
	return ""
}

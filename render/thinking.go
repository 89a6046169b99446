package render

import (
	"strings"

	"agentrun/stream"
)

// think shows reasoning, dimmed: whole lines as they become complete.
func (t *Text) think(c stream.Chunk, meta *stream.Metadata) {
	text := t.thought + c.Content
	t.thought = ""
	for line := range strings.Lines(text) {
		if c.IsDelta && !strings.HasSuffix(line, "\n") {
			t.thought = line
			return
		}
		t.sayAll(dim, indent(meta)+line)
	}
}

// thinkOut shows the line of reasoning that nothing completed.
func (t *Text) thinkOut() {
	if t.thought != "" {
		t.sayAll(dim, t.thought)
		t.thought = ""
	}
}

// sayAll says a line on as many rows as it takes.
func (t *Text) sayAll(style, line string) {
	if t.opts.Size == nil {
		t.say(style, line)
		return
	}
	columns, _ := t.opts.Size()
	for _, row := range wrap([]span{{text: oneSpace(strings.TrimRight(line, "\n"))}}, columns) {
		t.say(style, row)
	}
}

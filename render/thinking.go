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

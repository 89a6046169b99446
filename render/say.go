package render

import (
	"io"
	"strings"

	"agentrun/providers"
)

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

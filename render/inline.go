package render

import (
	"strings"
)

// style is how a piece of text looks: a set of attributes.
type style uint8

const (
	bold style = 1 << iota
	italic
	underline
	strike
	faint
	code
)

// on is the escape sequence that begins the style.
func (s style) on() string {
	var codes []string
	for _, a := range [...]struct {
		bit  style
		code string
	}{{bold, "1"}, {faint, "2"}, {italic, "3"}, {underline, "4"}, {strike, "9"}, {code, "36"}} {
		if s&a.bit != 0 {
			codes = append(codes, a.code)
		}
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

func (s style) apply(text string) string {
	if s == 0 || text == "" {
		return text
	}
	return s.on() + text + reset
}

// span is text of one style. A newline in it is a hard break.
type span struct {
	text  string
	style style
}

// word is what a line is not broken within.
type word struct {
	spans []span
	width int
	gap   style // of the blank before it
	glued bool  // no blank stands before it
	line  bool  // a line ends before it
}

// wrap lays out spans on lines of so many columns.
func wrap(spans []span, columns int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	flush := func() {
		lines = append(lines, line.String())
		line.Reset()
		used = 0
	}
	for _, w := range words(spans, columns) {
		if w.line || used > 0 && used+w.width+1 > columns {
			flush()
		} else if used > 0 && !w.glued {
			line.WriteString(w.gap.apply(" "))
			used++
		}
		for _, s := range w.spans {
			line.WriteString(s.style.apply(s.text))
		}
		used += w.width
	}
	flush()
	return lines
}

// words splits spans at blanks; a word that no line can hold is cut.
func words(spans []span, columns int) []word {
	var list []word
	var w word
	add := func() {
		if len(w.spans) > 0 || w.line {
			list = append(list, w)
		}
		w = word{}
	}
	for _, s := range spans {
		for i, part := range strings.Split(strings.ReplaceAll(s.text, "\n", " \n"), " ") {
			if i > 0 {
				add()
				w.gap = s.style
			}
			if rest, ok := strings.CutPrefix(part, "\n"); ok {
				w.line, part = true, rest
			}
			for part != "" {
				part = w.take(part, s.style, columns)
				if part != "" {
					add()
					w.glued = true
				}
			}
		}
	}
	add()
	return list
}

// take adds as much of a text as a line still holds, and returns the rest.
func (w *word) take(text string, look style, columns int) (rest string) {
	head, rest := cut(text, columns-w.width)
	if n := Width(head); w.width == 0 || w.width+n <= columns {
		w.spans = append(w.spans, span{head, look})
		w.width += n
		return rest
	}
	return text
}

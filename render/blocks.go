package render

import "strings"

// blocks finds where the top-level blocks of growing Markdown end. It is a
// guess by lines, linear in the text: a block that it takes for two is shown
// less well, and nothing is lost.
type blocks struct {
	fence  string // the mark that opened the code block we are in
	listed bool   // the block is a list: indented text and further items belong to it
	blank  bool   // the last line was blank
	begun  bool
}

// line takes the next whole line. Before: a new block begins with it; after: the
// block ends with it.
func (b *blocks) line(line string) (before, after bool) {
	text := strings.TrimSpace(line)
	indent := len(line) - len(strings.TrimLeft(line, " \t"))
	if b.fence != "" {
		if closes(text, b.fence) {
			b.fence = ""
			after = !b.listed
		}
		b.finish(after)
		return false, after
	}
	if text == "" {
		after = b.begun && !b.listed
		b.finish(after)
		b.blank = true
		return false, after
	}
	item, fence, head := listItem(text), fenceMark(text), indent < 4 && heading(text)
	switch {
	case !b.begun:
	case b.listed:
		before = b.blank && indent < 2 && !item
	default: // these may interrupt a paragraph
		before = fence != "" || head
	}
	if before {
		*b = blocks{}
	}
	if !b.begun {
		b.listed = item
	}
	b.begun, b.blank, b.fence = true, false, fence
	after = head && !b.listed
	b.finish(after)
	return before, after
}

func (b *blocks) finish(after bool) {
	if after {
		*b = blocks{}
	}
}

// fenceMark is the run of backticks or tildes that a code block begins with.
func fenceMark(text string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, mark)
		if n := len(text) - len(rest); n >= 3 && (mark != "`" || !strings.Contains(rest, "`")) {
			return text[:n]
		}
	}
	return ""
}

func closes(text, fence string) bool {
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == ""
}

func heading(text string) bool {
	rest := strings.TrimLeft(text, "#")
	n := len(text) - len(rest)
	return n >= 1 && n <= 6 && (rest == "" || rest[0] == ' ')
}

func listItem(text string) bool {
	if strings.HasPrefix(text, "- ") || strings.HasPrefix(text, "* ") || strings.HasPrefix(text, "+ ") {
		return true
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	return digits > 0 && digits < 10 && (strings.HasPrefix(text[digits:], ". ") || strings.HasPrefix(text[digits:], ") "))
}

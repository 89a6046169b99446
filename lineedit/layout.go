package lineedit

import (
	"strings"

	"agentrun/render"
)

// rows lays out text on rows of so many columns, and says where the cursor is
// that stands before the rune at an index. There is one row at least.
func rows(text []rune, at, columns int) (list []string, row, column int) {
	var b strings.Builder
	x := 0
	flush := func() {
		list = append(list, b.String())
		b.Reset()
		x = 0
	}
	for i, r := range text {
		piece := string(r)
		switch r {
		case '\n':
			piece = ""
		case '\t':
			piece = "    "
		}
		w := render.Width(piece)
		if x+w > columns && x > 0 {
			flush()
		}
		if i == at {
			row, column = len(list), min(x, columns-1) // a full row has no place behind it
		}
		if r == '\n' {
			flush()
			continue
		}
		b.WriteString(piece)
		x += w
	}
	if at >= len(text) {
		if x >= columns { // the cursor has no place behind the last column
			flush()
		}
		row, column = len(list), x
	}
	flush()
	return list, row, column
}

// window is a part of so many rows with the given one in it, the last ones if they
// have it, and how many rows stand before it.
func window(list []string, row, most int) (part []string, skipped int) {
	if len(list) <= most {
		return list, 0
	}
	skipped = min(len(list)-most, row)
	return list[skipped : skipped+most], skipped
}

// fit cuts a text to one row.
func fit(text string, columns int) string {
	list, _, _ := rows([]rune(text), -1, max(columns, 1))
	return list[0]
}

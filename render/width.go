package render

import (
	"strings"
	"unicode"
)

// Width is the number of a terminal's columns that text takes. Where terminals
// differ (emoji, symbols) it is the larger number.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7F:
		return 1
	case r == 0xFE0F: // makes an emoji of what stands before it
		return 1
	case r < 0x20, unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc):
		return 0
	case wide(r):
		return 2
	}
	return 1
}

// wide reports whether a character may take two columns: East Asian Width W and
// F (Unicode 16), and all symbols that some terminals show as emoji.
func wide(r rune) bool {
	ranges := [...][2]rune{
		{0x1100, 0x115F},
		{0x231A, 0x231B},
		{0x2329, 0x232A},
		{0x23E9, 0x23F3},
		{0x25FD, 0x25FE},
		{0x2600, 0x27BF},
		{0x2B1B, 0x2B1C},
		{0x2B50, 0x2B55},
		{0x2E80, 0x303E},
		{0x3041, 0xA4CF},
		{0xA960, 0xA97F},
		{0xAC00, 0xD7A3},
		{0xF900, 0xFAFF},
		{0xFE10, 0xFE19},
		{0xFE30, 0xFE6F},
		{0xFF00, 0xFF60},
		{0xFFE0, 0xFFE6},
		{0x16FE0, 0x18DFF},
		{0x1AFF0, 0x1B2FF},
		{0x1F000, 0x1FBFF},
		{0x20000, 0x3FFFD},
	}
	if r < ranges[0][0] {
		return false
	}
	for _, span := range ranges {
		if r >= span[0] && r <= span[1] {
			return true
		}
	}
	return false
}

// rows lays out text on rows of so many columns, without a thought for words.
// There is one row at least.
func rows(s string, columns int) []string {
	var out []string
	for line := range strings.SplitSeq(expand(s), "\n") {
		for {
			head, rest := cut(line, columns)
			out = append(out, head)
			if rest == "" {
				break
			}
			line = rest
		}
	}
	return out
}

// cut splits a line behind so many columns; the head has one character at least.
func cut(line string, columns int) (head, rest string) {
	n := 0
	for i, r := range line {
		if n += runeWidth(r); n > columns && i > 0 {
			return line[:i], line[i:]
		}
	}
	return line, ""
}

// expand replaces tabs, whose width depends on where they stand.
func expand(s string) string { return strings.ReplaceAll(s, "\t", "    ") }

package lineedit

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"agentrun/render"
)

// filler stands behind a character that takes two columns, because the editor
// below counts one for each: one of Unicode's noncharacters, which are for a
// program's own use. No screen sees it.
const filler = "\ufdd0"

// The keys that go by characters: noncharacters as well, for which the editor
// below, which would go by columns, has no use.
const (
	keyBackspace = '\ufdd1'
	keyDelete    = '\ufdd2'
	keyLeft      = '\ufdd3'
	keyRight     = '\ufdd4'
)

// typable reports whether a person can have typed a character that is no control:
// C1 drives a terminal, and what is ours means something else.
func typable(r rune) bool {
	return r != utf8.RuneError && (r < 0x7f || r >= 0xa0) && (r < 0xfdd0 || r > 0xfdef)
}

// spread puts fillers into a text.
func spread(text string) string {
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
		if render.Width(string(r)) > 1 {
			b.WriteString(filler)
		}
	}
	return b.String()
}

// unspread takes them out.
func unspread(text string) string { return strings.ReplaceAll(text, filler, "") }

// unfilled is a screen that is spared the fillers.
type unfilled struct{ to io.Writer }

func (u unfilled) Write(p []byte) (int, error) {
	_, err := u.to.Write(bytes.ReplaceAll(p, []byte(filler), nil))
	return len(p), err
}

// byCharacter is what a key does in a line that has wide characters, whose two
// parts are those before and behind the cursor; false where the editor below
// does it as well.
func byCharacter(before, behind string, key rune) (string, string, bool) {
	_, last := utf8.DecodeLastRuneInString(before)
	_, first := utf8.DecodeRuneInString(behind)
	switch key {
	case keyBackspace:
		return before[:len(before)-last], behind, true
	case keyDelete:
		return before, behind[first:], true
	case keyLeft:
		return before[:len(before)-last], before[len(before)-last:] + behind, true
	case keyRight:
		return before + behind[:first], behind[first:], true
	}
	if render.Width(string(key)) > 1 {
		return before + string(key), behind, true
	}
	return before, behind, false
}

package render

import (
	"bytes"
	"io"
	"strings"
	"unicode"
)

// GuardGitHub returns text in which GitHub's runner finds no command of its own:
// neither a line that begins with "::" nor "##[" anywhere. The runner (2.3xx,
// ActionCommand.cs) trims a line first and compares by culture, so that
// characters which cannot be seen hide nothing from it. What is changed gets a
// blank, and stays readable.
func GuardGitHub(text string) string {
	if !strings.Contains(text, ":") && !strings.Contains(text, "#") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for line := range strings.Lines(text) {
		guardLine(&b, line)
	}
	return b.String()
}

func guardLine(b *strings.Builder, line string) {
	var seen [2]rune // the last two characters that can be seen
	began := false
	for _, r := range line {
		if unseen(r) || !began && unicode.IsSpace(r) {
			b.WriteRune(r)
			continue
		}
		command := r == ':' && seen == [2]rune{0, ':'}
		if command || r == '[' && seen == [2]rune{'#', '#'} {
			b.WriteByte(' ')
		}
		began = true
		seen[0], seen[1] = seen[1], r
		b.WriteRune(r)
	}
}

// unseen reports whether a comparison by culture may skip a character.
func unseen(r rune) bool {
	switch r {
	case 0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0: // fillers
		return true
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc, unicode.Co, unicode.Noncharacter_Code_Point)
}

// GuardJSON returns a writer of whole lines of JSON in which GitHub's runner
// finds no command: where it would, "#" is spelt with an escape. The value of
// the JSON stays the same.
func GuardJSON(w io.Writer) io.Writer { return jsonGuard{w} }

type jsonGuard struct{ w io.Writer }

func (g jsonGuard) Write(line []byte) (int, error) {
	guarded := line
	if text := string(line); bytes.Contains(line, []byte("#")) && GuardGitHub(text) != text {
		guarded = bytes.ReplaceAll(line, []byte("#"), []byte(`\u0023`))
	}
	if n, err := g.w.Write(guarded); err != nil {
		return min(n, len(line)), err
	}
	return len(line), nil
}

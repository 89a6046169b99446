package policy

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Glob is a pattern for words: * is any text, ? any character, \ takes the next
// character as it is. A blank and a star at the end are also nothing: "ls *" fits "ls".
type Glob struct {
	text string
	re   *regexp.Regexp
}

// NewGlob reads a pattern; every text is one.
func NewGlob(text string) Glob {
	end := ""
	body := text
	if bare, ok := strings.CutSuffix(text, " *"); ok && !strings.HasSuffix(bare, `\`) {
		body, end = bare, `(?: .*)?`
	}
	star := func(string) (string, int) { return `.*`, 1 }
	return Glob{text, regexp.MustCompile(`(?s)^` + expression(body, `.`, star) + end + `$`)}
}

// Fits reports whether the pattern fits the whole of a text.
func (g Glob) Fits(text string) bool { return g.re.MatchString(text) }

// literal reports whether the pattern stands for one text alone.
func (g Glob) literal() bool { return !strings.ContainsAny(g.text, `*?\`) }

// expression makes a regular expression of a pattern. one stands for a ?; star is
// asked about the pattern from a star on: what stands for it, and how much of the
// pattern that is.
func expression(text, one string, star func(rest string) (string, int)) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '*':
			words, n := star(text[i:])
			b.WriteString(words)
			i += n
		case c == '?':
			b.WriteString(one)
			i++
		case c == '\\' && i+1 < len(text):
			n := firstChar(text[i+1:])
			b.WriteString(regexp.QuoteMeta(text[i+1 : i+1+n]))
			i += 1 + n
		default:
			n := firstChar(text[i:])
			b.WriteString(regexp.QuoteMeta(text[i : i+n]))
			i += n
		}
	}
	return b.String()
}

// firstChar is the length of the first character.
func firstChar(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// The words that stand for a place instead of a pattern.
const (
	inside  = "inside"
	outside = "outside"
)

// pathGlob is a pattern for paths: * and ? stay within a name, ** is any number of
// directories. It counts from the root, from the home (~), from anywhere (**), or
// else from the workspace. The words inside and outside are about the workspace.
type pathGlob struct {
	text     string
	home     bool
	below    bool // of the workspace
	re, fold *regexp.Regexp
}

func newPathGlob(text string) pathGlob {
	g := pathGlob{text: text}
	if text == inside || text == outside {
		return g
	}
	body := text
	switch rest, home := strings.CutPrefix(text, "~/"); {
	case home:
		g.home, body = true, "/"+rest
	case strings.HasPrefix(text, "/"):
	case text == "**" || strings.HasPrefix(text, "**/"):
		body = "/" + text
	default:
		g.below, body = true, "/"+strings.TrimPrefix(text, "./")
	}
	end := ""
	if dir, ok := strings.CutSuffix(body, "/**"); ok { // the directory as well
		body, end = dir, `(?:/.*)?`
	}
	re := `^` + expression(strings.TrimSuffix(body, "/"), `[^/]`, pathStar) + end + `$`
	g.re, g.fold = regexp.MustCompile(`(?s)`+re), regexp.MustCompile(`(?is)`+re)
	return g
}

func pathStar(rest string) (string, int) {
	switch {
	case strings.HasPrefix(rest, "**/"):
		return `(?:[^/]+/)*`, 3
	case strings.HasPrefix(rest, "**"):
		return `.*`, 2
	}
	return `[^/]*`, 1
}

// fits reports whether the pattern fits an absolute clean path.
func (g pathGlob) fits(file string, w World) bool {
	switch g.text {
	case inside:
		return w.inside(file)
	case outside:
		return !w.inside(file)
	}
	base := ""
	switch {
	case g.home && w.Home == "":
		return false
	case g.home:
		base = w.Home
	case g.below:
		base = w.Workspace
	}
	rest, ok := w.cut(file, base)
	if !ok {
		return false
	}
	if w.FoldCase {
		return g.fold.MatchString(rest)
	}
	return g.re.MatchString(rest)
}

// inside reports whether a path is in the workspace or in a directory that counts as such.
func (w World) inside(file string) bool {
	for _, dir := range append([]string{w.Workspace}, w.Also...) {
		if _, ok := w.cut(file, dir); ok {
			return true
		}
	}
	return false
}

// cut is the path without the directory in front, beginning with a slash or "".
func (w World) cut(file, dir string) (string, bool) {
	dir = strings.TrimSuffix(dir, "/")
	if len(file) < len(dir) {
		return "", false
	}
	head, rest := file[:len(dir)], file[len(dir):]
	same := head == dir || w.FoldCase && strings.EqualFold(head, dir)
	if !same || rest != "" && rest[0] != '/' {
		return "", false
	}
	return rest, true
}

package render

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"agentrun/providers"
)

// inline is the text of a block, in a style.
func (l *layout) inline(n ast.Node, look style) []span {
	var spans []span
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		spans = append(spans, l.piece(c, look)...)
	}
	return spans
}

func (l *layout) piece(n ast.Node, look style) []span {
	switch n := n.(type) {
	case *ast.Text:
		return l.words(n, look)
	case *ast.String:
		return []span{{unescape(n.Value), look}}
	case *ast.CodeSpan:
		return []span{{oneSpace(l.raw(n)), look | code}}
	case *ast.Emphasis:
		if n.Level == 2 {
			return l.inline(n, look|bold)
		}
		return l.inline(n, look|italic)
	case *extast.Strikethrough:
		return l.inline(n, look|strike)
	case *ast.Link:
		return l.link(n, n.Destination, n.Title, look)
	case *ast.Image:
		return l.link(n, n.Destination, n.Title, look)
	case *ast.AutoLink:
		return []span{{providers.Plain(string(n.Label(l.source))), look | underline}}
	case *ast.RawHTML:
		return []span{{oneSpace(string(n.Segments.Value(l.source))), look}}
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return []span{{"[x] ", look}}
		}
		return []span{{"[ ] ", look}}
	}
	return l.inline(n, look)
}

func (l *layout) words(n *ast.Text, look style) []span {
	text := unescape(n.Segment.Value(l.source))
	switch {
	case n.HardLineBreak():
		text += "\n"
	case n.SoftLineBreak():
		text += " "
	}
	return []span{{text, look}}
}

// link shows where a link leads: text alone could say anything.
func (l *layout) link(n ast.Node, destination, title []byte, look style) []span {
	label := l.inline(n, look|underline)
	where := unescape(destination)
	var shown strings.Builder
	for _, s := range label {
		shown.WriteString(s.text)
	}
	if shown.String() == where {
		return label
	}
	if len(title) > 0 {
		where += " \"" + unescape(title) + "\""
	}
	return append(label, span{" (" + where + ")", look | faint})
}

// raw is the text of a node's children as it stands in the source.
func (l *layout) raw(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(l.source))
		}
	}
	return b.String()
}

// unescape resolves backslashes and entities. Entities may name control
// characters, so that the text is neutralized again.
func unescape(source []byte) string {
	resolved := util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(source)))
	return oneSpace(string(resolved))
}

// oneSpace keeps text on its line.
func oneSpace(s string) string { return strings.ReplaceAll(providers.Plain(s), "\n", " ") }

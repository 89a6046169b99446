package render

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"agentrun/providers"
)

// markdown renders Markdown for a terminal.
type markdown struct{ parser parser.Parser }

// newMarkdown knows CommonMark, tables, strikethrough and task lists. Link
// reference definitions stay text: they would vanish.
func newMarkdown() markdown {
	return markdown{parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
			util.Prioritized(extension.NewTaskCheckBoxParser(), 0))...),
		parser.WithParagraphTransformers(util.Prioritized(extension.NewTableParagraphTransformer(), 200)),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)}
}

// render lays out a text on rows of so many columns. Text that the parser
// cannot take is shown as it is: an answer must never be lost.
func (m markdown) render(source string, columns int) (out []string) {
	defer func() {
		if recover() != nil {
			out = rows(source, columns)
		}
	}()
	l := layout{source: []byte(expand(source))}
	l.blocks(m.parser.Parse(text.NewReader(l.source)), columns)
	return l.rows
}

// layout is the rows of a document so far.
type layout struct {
	source []byte
	rows   []string
}

const minColumns = 8 // below it nesting indents no further

// blocks lays out the blocks of a node, with an empty row between two unless they are tight.
func (l *layout) blocks(n ast.Node, columns int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if _, tight := c.(*ast.TextBlock); len(l.rows) > 0 && !tight && c.PreviousSibling() != nil && !nested(c) {
			l.rows = append(l.rows, "")
		}
		l.block(c, columns)
	}
}

// nested reports whether a block is a list right below its item's text.
func nested(n ast.Node) bool {
	_, list := n.(*ast.List)
	_, below := n.PreviousSibling().(*ast.TextBlock)
	return list && below
}

func (l *layout) block(n ast.Node, columns int) {
	switch n := n.(type) {
	case *ast.Heading:
		look := bold
		if n.Level == 1 {
			look |= underline
		}
		l.rows = append(l.rows, wrap(l.inline(n, look), columns)...)
	case *ast.Paragraph, *ast.TextBlock:
		l.rows = append(l.rows, wrap(l.inline(n, 0), columns)...)
	case *ast.FencedCodeBlock:
		info := ""
		if n.Info != nil {
			info = string(n.Info.Value(l.source))
		}
		l.code(n, info, columns)
	case *ast.CodeBlock:
		l.code(n, "", columns)
	case *ast.HTMLBlock:
		l.html(n, columns)
	case *ast.ThematicBreak:
		l.rows = append(l.rows, faint.apply(strings.Repeat("-", min(columns, 40))))
	case *ast.Blockquote:
		l.inside(n, "| ", "| ", columns)
	case *ast.List:
		l.list(n, columns)
	case *extast.Table:
		l.table(n, columns)
	default:
		l.blocks(n, columns)
	}
}

// inside lays out the blocks of a node behind a mark, and the rows after the first behind another.
func (l *layout) inside(n ast.Node, first, others string, columns int) {
	width := Width(first)
	if columns-width < minColumns {
		first, others, width = "", "", 0
	}
	inner := layout{source: l.source}
	inner.blocks(n, columns-width)
	if len(inner.rows) == 0 {
		inner.rows = []string{""}
	}
	for i, row := range inner.rows {
		mark := others
		if i == 0 {
			mark = first
		}
		l.rows = append(l.rows, strings.TrimRight(faint.apply(mark)+row, " "))
	}
}

func (l *layout) list(n *ast.List, columns int) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		if !n.IsTight && item.PreviousSibling() != nil {
			l.rows = append(l.rows, "")
		}
		l.inside(item, mark, strings.Repeat(" ", len(mark)), columns)
	}
}

// code lays out a code block: indented, cut only where a line is too long.
func (l *layout) code(n ast.Node, info string, columns int) {
	const indent = "  "
	if _, more, ok := strings.Cut(strings.TrimSpace(info), " "); ok && more != "" {
		l.rows = append(l.rows, indent+faint.apply(providers.Plain(info))) // a bare language says nothing; this may
	}
	width := max(columns-len(indent), 1)
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		for _, row := range rows(providers.Plain(strings.TrimRight(string(line.Value(l.source)), "\n")), width) {
			l.rows = append(l.rows, indent+code.apply(row))
		}
	}
}

func (l *layout) html(n *ast.HTMLBlock, columns int) {
	raw := string(n.Lines().Value(l.source))
	if n.HasClosure() {
		raw += string(n.ClosureLine.Value(l.source))
	}
	l.rows = append(l.rows, rows(providers.Plain(strings.TrimRight(raw, "\n")), columns)...)
}

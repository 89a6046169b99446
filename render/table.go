package render

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// table lays out a table: in columns where they fit, else as a row of cells each.
func (l *layout) table(n *extast.Table, columns int) {
	var cells [][]string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		cells = append(cells, l.cells(row))
	}
	widths, total := columnWidths(cells)
	for r, row := range cells {
		look := style(0)
		if r == 0 {
			look = bold
		}
		if total-3 > columns {
			l.rows = append(l.rows, wrap([]span{{strings.Join(row, " | "), look}}, columns)...)
			continue
		}
		for i, cell := range row {
			pad := ""
			if i < len(row)-1 {
				pad = strings.Repeat(" ", widths[i]-Width(cell))
			}
			row[i] = look.apply(cell) + pad
		}
		l.rows = append(l.rows, strings.Join(row, " | "))
		if r == 0 {
			l.rows = append(l.rows, faint.apply(strings.Repeat("-", total-3)))
		}
	}
}

// columnWidths are the widths of a table's columns, and of all with what is between them and a border.
func columnWidths(cells [][]string) (widths []int, total int) {
	widths = make([]int, len(cells[0]))
	for i := range widths {
		for _, row := range cells {
			if i < len(row) {
				widths[i] = max(widths[i], Width(row[i]))
			}
		}
		total += widths[i] + 3
	}
	return widths, total
}

// cells are the texts of a row's cells.
func (l *layout) cells(row ast.Node) []string {
	var texts []string
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		var b strings.Builder
		for _, s := range l.inline(c, 0) {
			b.WriteString(s.text)
		}
		texts = append(texts, b.String())
	}
	return texts
}

package lineedit

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"agentrun/render"
)

// screen draws the lowest rows of a terminal, below all that is final. Everything
// goes out in single writes, so that nothing flickers.
type screen struct {
	w    io.Writer
	rows []string // as drawn
	row  int      // of the cursor in them
	col  int
}

// draw puts rows in place of those that are there, with the cursor in them.
func (s *screen) draw(list []string, row, col int) error {
	if slices.Equal(list, s.rows) && row == s.row && col == s.col {
		return nil
	}
	var b strings.Builder
	if last := len(list) - 1; s.appended(list) {
		b.WriteString(list[last][len(s.rows[last]):])
	} else {
		b.WriteString(s.top() + "\x1b[J" + strings.Join(list, "\r\n"))
	}
	s.rows = slices.Clone(list)
	s.row, s.col = row, col
	if up := len(list) - 1 - row; up > 0 || col != render.Width(list[row]) {
		b.WriteString(move(up, 'A') + "\r" + move(col, 'C'))
	}
	_, err := io.WriteString(s.w, b.String())
	return err
}

// appended reports whether all that has changed was written at the cursor.
func (s *screen) appended(list []string) bool {
	last := len(s.rows) - 1
	return last >= 0 && len(list) == len(s.rows) && slices.Equal(list[:last], s.rows[:last]) &&
		strings.HasPrefix(list[last], s.rows[last]) && s.row == last && s.col == render.Width(s.rows[last])
}

// above makes text final above the rows, and takes those away.
func (s *screen) above(text string) error {
	clear := s.top()
	if len(s.rows) > 0 {
		clear += "\x1b[J"
	}
	s.rows, s.row, s.col = nil, 0, 0
	_, err := io.WriteString(s.w, clear+strings.ReplaceAll(text, "\n", "\r\n"))
	return err
}

// resized tells of a new width: terminals lay out anew what no longer fits.
func (s *screen) resized(columns int) {
	up := s.col / columns
	for _, row := range s.rows[:min(s.row, len(s.rows))] {
		up += max((render.Width(row)+columns-1)/columns, 1)
	}
	s.rows, s.row, s.col = []string{""}, up, -1 // nothing is as it was drawn
}

func (s *screen) top() string {
	if len(s.rows) == 0 {
		return ""
	}
	return "\r" + move(s.row, 'A')
}

func move(n int, how byte) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf("\x1b[%d%c", n, how)
}

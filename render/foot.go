package render

import (
	"fmt"
	"io"
	"strings"
)

// foot is the lowest rows of a terminal, below all that is finished: they can be
// written anew. It never has more rows than the screen, because what has scrolled
// away is out of reach.
type foot struct {
	w    io.Writer
	rows []string // as drawn; the cursor stands behind the last
}

// set draws rows in place of those that are there, and writes no more than it
// must. None leaves the cursor where the first one began.
func (f *foot) set(rows []string) error {
	same := 0
	for same < len(f.rows) && same < len(rows) && f.rows[same] == rows[same] {
		same++
	}
	var b strings.Builder
	switch last := len(f.rows) - 1; {
	case same == len(f.rows) && same == len(rows):
		return nil
	case same == len(f.rows):
		if same > 0 {
			b.WriteString("\n")
		}
		b.WriteString(strings.Join(rows[same:], "\n"))
	case same == last && same < len(rows) && strings.HasPrefix(rows[last], f.rows[last]):
		b.WriteString(rows[last][len(f.rows[last]):])
		for _, row := range rows[same+1:] {
			b.WriteString("\n" + row)
		}
	default:
		same = min(same, max(len(rows)-1, 0)) // the cursor has to end up behind the last row
		b.WriteString("\r")
		if up := last - same; up > 0 {
			fmt.Fprintf(&b, "\x1b[%dA", up)
		}
		b.WriteString("\x1b[J" + strings.Join(rows[same:], "\n"))
	}
	f.rows = append(f.rows[:0:0], rows...)
	_, err := io.WriteString(f.w, b.String())
	return err
}

// wipe takes the last row away, which the terminal has laid out anew if it has
// become narrower. Those above it are final.
func (f *foot) wipe(columns int) error {
	up := (Width(uncolored(f.rows[len(f.rows)-1])) - 1) / max(columns, 1)
	f.rows = nil
	wipe := "\r\x1b[J"
	if up > 0 {
		wipe = fmt.Sprintf("\r\x1b[%dA\x1b[J", up)
	}
	_, err := io.WriteString(f.w, wipe)
	return err
}

// uncolored is a row without its colors.
func uncolored(row string) string {
	return strings.NewReplacer(dim, "", reset, "").Replace(row)
}

// settle makes the first n rows final.
func (f *foot) settle(n int) { f.rows = f.rows[n:] }

// finish draws rows in place of those that are there, and makes them final.
func (f *foot) finish(rows []string) error {
	if err := f.set(rows); err != nil {
		return err
	}
	f.rows = nil
	if len(rows) == 0 {
		return nil
	}
	_, err := io.WriteString(f.w, "\n")
	return err
}

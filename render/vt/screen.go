// Package vt is a model of a terminal's screen, for tests: what a person sees of
// what a program wrote. It knows what agentrun uses, and refuses everything else.
package vt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentrun/render"
)

// Screen is a terminal. What scrolls off its top is kept.
type Screen struct {
	columns, height int
	lines           [][]cell // all, with those that have scrolled away
	x, y            int      // y counts lines
	look            string   // the parameters of the last SGR
	rest            []byte   // the beginning of a character or a sequence
}

type cell struct {
	text string // "" behind a wide character
	look string
}

// New returns an empty screen.
func New(columns, height int) *Screen {
	return &Screen{columns: columns, height: height, lines: make([][]cell, 1)}
}

// Write takes what a program wrote. The error names what a terminal may not be told.
func (s *Screen) Write(p []byte) (int, error) {
	data := append(s.rest, p...)
	s.rest = nil
	for len(data) > 0 {
		n, err := s.next(data)
		if err != nil {
			return 0, err
		}
		if n == 0 {
			s.rest = append([]byte(nil), data...)
			break
		}
		data = data[n:]
	}
	return len(p), nil
}

// next takes one character or sequence, and returns its length: 0 when it is cut.
func (s *Screen) next(data []byte) (int, error) {
	if data[0] == 0x1b {
		return s.sequence(data)
	}
	if !utf8.FullRune(data) {
		return 0, nil
	}
	r, n := utf8.DecodeRune(data)
	switch {
	case r == '\n':
		s.down()
		s.x = 0 // a terminal's driver makes CR LF of it
	case r == '\r':
		s.x = 0
	case r < ' ' || r >= 0x7F && r < 0xA0:
		return 0, fmt.Errorf("control character %U", r)
	default:
		s.put(string(r), render.Width(string(r)))
	}
	return n, nil
}

func (s *Screen) down() {
	s.y++
	if s.y == len(s.lines) {
		s.lines = append(s.lines, nil)
	}
}

func (s *Screen) put(text string, width int) {
	line := s.lines[s.y]
	if width == 0 {
		if s.x > 0 && s.x <= len(line) {
			line[s.x-1].text += text
		}
		return
	}
	if s.x+width > s.columns {
		s.down()
		s.x = 0
		line = s.lines[s.y]
	}
	for len(line) < s.x+width {
		line = append(line, cell{text: " "})
	}
	line[s.x] = cell{text, s.look}
	if width == 2 {
		line[s.x+1] = cell{"", s.look}
	}
	s.lines[s.y] = line
	s.x += width
}

// sequence takes a control sequence.
func (s *Screen) sequence(data []byte) (int, error) {
	if len(data) == 1 {
		return 0, nil
	}
	if data[1] != '[' {
		return 0, fmt.Errorf("sequence ESC %q", data[1])
	}
	for i := 2; i < len(data); i++ {
		if c := data[i]; c >= 0x40 && c <= 0x7E {
			return i + 1, s.control(string(data[2:i]), c)
		}
	}
	return 0, nil
}

func (s *Screen) control(args string, final byte) error {
	switch {
	case final == 'm':
		s.look = args
		if args == "0" {
			s.look = ""
		}
		return nil
	case final >= 'A' && final <= 'D':
		return s.move(args, final)
	case final == 'K' && args == "":
		s.lines[s.y] = s.lines[s.y][:min(s.x, len(s.lines[s.y]))]
		return nil
	case args == "?2004" && (final == 'h' || final == 'l'): // pastes are reported as such
		return nil
	case final == 'J' && args == "":
		s.lines[s.y] = s.lines[s.y][:min(s.x, len(s.lines[s.y]))]
		s.lines = s.lines[:s.y+1]
		return nil
	}
	return fmt.Errorf("sequence CSI %s%c", args, final)
}

// move moves the cursor, by one where there is no number, and never off the screen.
func (s *Screen) move(args string, to byte) error {
	n := 1
	if args != "" {
		var err error
		if n, err = strconv.Atoi(args); err != nil {
			return fmt.Errorf("sequence CSI %s%c", args, to)
		}
	}
	x, y := s.x, s.y
	switch to {
	case 'A':
		y -= n
	case 'B':
		y += n
	case 'C':
		x += n
	case 'D':
		x -= n
	}
	if n < 1 || x < 0 || x >= s.columns && x > s.x || y < s.top() || y >= len(s.lines) {
		return fmt.Errorf("CSI %s%c from column %d, row %d of the screen", args, to, s.x, s.y-s.top())
	}
	s.x, s.y = x, y
	return nil
}

// Cursor is where the next character is shown, counted from what has scrolled away.
func (s *Screen) Cursor() (column, row int) { return s.x, s.y }

// top is the first line that has not scrolled away.
func (s *Screen) top() int { return max(len(s.lines)-s.height, 0) }

// String is all that was shown, with what has scrolled away; blank ends are left out.
func (s *Screen) String() string {
	var b strings.Builder
	for _, line := range s.lines {
		b.WriteString(strings.TrimRight(textOf(line), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func textOf(line []cell) string {
	var b strings.Builder
	for _, c := range line {
		b.WriteString(c.text)
	}
	return b.String()
}

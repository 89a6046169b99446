package lineedit

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/render"
	"agentrun/render/vt"
)

// scene is an editor at a model of a terminal.
type scene struct {
	t             *testing.T
	editor        *Editor
	screen        *vt.Screen
	columns, rows int
	lines         []string // that were entered
	err           error    // that ended the last feed
}

func newScene(t *testing.T, columns, rows int, history History) *scene {
	t.Helper()
	s := &scene{t: t, columns: columns, rows: rows, screen: vt.New(columns, rows)}
	s.editor = New(nil, s, func() (int, int) { return s.columns, s.rows }, history, func(line string) string {
		if line == "/q" {
			return "/quit"
		}
		return line
	})
	s.editor.Prompt("> ")
	return s
}

// Write is what the terminal is sent. The model knows no bare CR LF, but the driver's LF.
func (s *scene) Write(p []byte) (int, error) {
	if _, err := s.screen.Write(p); err != nil {
		s.t.Errorf("%v in %q", err, p)
	}
	return len(p), nil
}

// feed types.
func (s *scene) feed(keys string) {
	s.t.Helper()
	s.err = nil
	pressed := []byte(keys)
	for len(pressed) > 0 {
		k, n := decode(pressed)
		if n == 0 {
			s.t.Fatalf("%q is cut", pressed)
		}
		pressed = pressed[n:]
		text, done, err := s.editor.press(k)
		if done {
			s.lines = append(s.lines, text)
		}
		if err != nil {
			s.err = err
		}
	}
	s.editor.show()
}

// shows compares the screen, with a bar for the cursor.
func (s *scene) shows(want string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.picture()); diff != "" {
		s.t.Errorf("the screen (-want +got):\n%s", diff)
	}
}

func (s *scene) picture() string {
	lines := strings.Split(strings.TrimSuffix(s.screen.String(), "\n"), "\n")
	x, y := s.screen.Cursor()
	for len(lines) <= y {
		lines = append(lines, "")
	}
	for at, i := 0, 0; ; i++ { // where column x is in a row with wide characters
		runes := []rune(lines[y])
		if at >= x || i >= len(runes) {
			lines[y] = string(runes[:i]) + strings.Repeat(" ", max(x-at, 0)) + "|" + string(runes[i:])
			break
		}
		at += render.Width(string(runes[i]))
	}
	return strings.Join(lines, "\n")
}

func TestEditor(t *testing.T) {
	for _, c := range []struct{ name, keys, want string }{
		{"typed", "hello", "> hello|"},
		{"in the middle", "hllo\x1b[D\x1b[D\x1b[De", "> he|llo"},
		{"wide characters", "你好世界\x7f\x7fab\x01x", "> x|你好ab"},
		{"wide characters at the edge", "0123456你好", "> 0123456\n你好|"},
		{"a full row", "01234567", "> 01234567\n|"},
		{"a character of many parts", "a👩\u200d👧e\u0301\x1b[D\x1b[D\x7f", "> |👩\u200d👧e\u0301"},
		{"words", "one two  three\x17\x17four", "> one four\n|"},
		{"word by word", "one to\x1bb\x1bbX\x1bfY", "> XoneY| to"},
		{"kills", "abc def\x1b[1;5D\x0bxyz\x15", "> |"},
		{"two lines", "one\x1b\rtwo", "> one\ntwo|"},
		{"between lines", "one\ntwo\x1b[AX\x1b[BY", "> oneX\ntwoY|"},
		{"delete", "abc\x1b[H\x1b[3~\x04", "> |c"},
		{"a paste", "\x1b[200~x\r\ny\x03\tz\x1b[201~", "> x\ny    z|"},
		{"completed", "/q\t", "> /quit|"},
		{"keys without a meaning", "a\x1b[15~\x1bOP\x1b\x00b", "> ab|"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, 10, 8, nil)
			s.feed(c.keys)
			s.shows(c.want)
			if len(s.lines) > 0 || s.err != nil {
				t.Errorf("entered %q, %v", s.lines, s.err)
			}
		})
	}
}

// TestEditorEnds: the keys that end a line.
func TestEditorEnds(t *testing.T) {
	s := newScene(t, 20, 8, nil)
	s.feed("one\x1b\rtwo\r\x1b[200~a\nb\x1b[201~\r\r")
	if diff := cmp.Diff([]string{"one\ntwo", "a\nb", ""}, s.lines); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
	s.shows("> one\ntwo\n> a\nb\n>\n> |")
	for keys, want := range map[string]error{"x\x1a": ErrSuspend, "x\x03": ErrInterrupt, "\x04": io.EOF} {
		if s.feed(keys); !errors.Is(s.err, want) {
			t.Errorf("%q: %v", keys, s.err)
		}
		s.feed("\x15")
	}
	if text, _, err := s.editor.press(key{name: keyInterrupt}); text != "" || !errors.Is(err, ErrInterrupt) {
		t.Errorf("Ctrl-C on an empty line: %q, %v", text, err)
	}
}

// TestEditorOutput: what the session says comes above the line, pieces as they grow.
func TestEditorOutput(t *testing.T) {
	s := newScene(t, 12, 8, nil)
	e := s.editor
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(e, text); err != nil {
			t.Fatal(err)
		}
	}
	s.feed("typ")
	write("first\nThe be")
	e.Status("| 2s, a tool that runs")
	s.shows("first\nThe be\n| 2s, a too\n> typ|")
	s.feed("ed\x1b[D")
	write("ginning of \x1b[2mit\x1b[0m")
	s.shows("first\nThe beginnin\ng of it\n| 2s, a too\n> type|d")
	if err := e.Say("-- said"); err != nil {
		t.Fatal(err)
	}
	write("\nnext\n")
	e.Status("")
	s.shows("first\nThe beginnin\ng of it\n-- said\nnext\n> type|d")
	e.Hide()
	s.shows("first\nThe beginnin\ng of it\n-- said\nnext\n|")
	write("hidden\nand ")
	e.Show()
	s.shows("first\nThe beginnin\ng of it\n-- said\nnext\nhidden\nand\n> type|d")
	e.Leave(s)
	e.Prompt("none ")
	write("\nlast")
	s.shows("first\nThe beginnin\ng of it\n-- said\nnext\nhidden\nand\nlast|")
}

// TestEditorHeight: a line that is higher than the screen is seen in part, a text
// that is, too, and all of it stays when it is complete.
func TestEditorHeight(t *testing.T) {
	s := newScene(t, 10, 6, nil)
	s.feed("\x1b[200~1\n2\n3\n4\n5\n6\n7\x1b[201~")
	s.shows("5\n6\n7|")
	if _, err := io.WriteString(s.editor, "0123456789abcdefghijklmnopqrstuvwxyz"); err != nil {
		t.Fatal(err)
	}
	s.shows("klmnopqrst\nuvwxyz\n5\n6\n7|")
	s.feed("\x1b[A\x1b[A\x1b[A\x1b[A")
	s.shows("klmnopqrst\nuvwxyz\n3|\n4\n5")
	s.feed("\r")
	s.shows("> 1\n2\n3\n4\n5\n6\n7\n0123456789\nabcdefghij\nklmnopqrst\nuvwxyz\n> |")
	s.feed("\x1b[200~" + strings.Repeat("x\n", 40) + "\x1b[201~\r")
	if got := strings.Count(s.screen.String(), "\nx"); got != 10 {
		t.Errorf("%d lines of a long message are left on the screen", got)
	}
}

// TestEditorResize: terminals lay the rows out anew when they become narrower.
func TestEditorResize(t *testing.T) {
	const text = "0123456789abcdefghijklmnopqrstuvwxyz"
	s := newScene(t, 20, 40, nil)
	if err := s.editor.Say("said"); err != nil {
		t.Fatal(err)
	}
	s.feed(text)
	for _, columns := range []int{8, 31, 12} {
		s.columns = columns
		old := s.screen.String()
		s.screen = vt.New(columns, 40)
		if _, err := io.WriteString(s.screen, strings.TrimSuffix(old, "\n")); err != nil {
			t.Fatal(err)
		}
		s.editor.Resize()
		list, _, _ := rows([]rune("> "+text), -1, columns)
		s.shows("said\n" + strings.Join(list, "\n") + "|")
	}
}

// entered is a history.
type entered []string

func (h *entered) Add(line string) { *h = append(*h, line) }
func (h *entered) Len() int        { return len(*h) }
func (h *entered) At(i int) string { return (*h)[len(*h)-1-i] }

func TestEditorHistory(t *testing.T) {
	s := newScene(t, 20, 8, &entered{"old", "two\nlines"})
	s.feed("half\x1b[A")
	s.shows("> two\nlines|")
	s.feed("\x1b[A\x1b[A\x1b[A")
	s.shows("> old|")
	s.feed("\x1b[B\x1b[B\x1b[B")
	s.shows("> half|")
	s.feed("\x1b[A!\r")
	if diff := cmp.Diff([]string{"two\nlines!"}, s.lines); diff != "" {
		t.Errorf("entered (-want +got):\n%s", diff)
	}
	s.feed("\x1b[A")
	s.shows("> two\nlines!\n> two\nlines!|")
}

// FuzzEditor holds what was drawn step by step against what is drawn at once.
func FuzzEditor(f *testing.F) {
	f.Add(uint64(1), "abc\x1b[D你\x7f\x1b\r\x1b[200~x\ny\x1b[201~\r")
	f.Fuzz(func(t *testing.T, seed uint64, keys string) {
		dice := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // nothing is secret here
		s := newScene(t, 2+dice.IntN(30), 2+dice.IntN(12), nil)
		pressed := []byte(keys[:min(len(keys), 500)])
		for len(pressed) > 0 {
			k, n := decode(pressed)
			if n == 0 {
				break
			}
			pressed = pressed[n:]
			if k.name == keyClear {
				continue // the model does not clear
			}
			_, _, _ = s.editor.press(k)
			s.editor.show()
			switch dice.IntN(6) {
			case 0:
				_, _ = io.WriteString(s.editor, []string{"a piece", " of 文\n", "\n", "line\nand "}[dice.IntN(4)])
			case 1:
				s.editor.Status([]string{"", "| 2s", "/ 3s, a long status line"}[dice.IntN(3)])
			case 2:
				_ = s.editor.Say("said")
			}
		}
		got := s.picture()
		s.editor.Hide()
		s.editor.Show()
		if diff := cmp.Diff(s.picture(), got); diff != "" {
			t.Errorf("step by step (-at once +got):\n%s", diff)
		}
	})
}

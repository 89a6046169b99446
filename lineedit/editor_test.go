package lineedit

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"agentrun/render"
	"agentrun/render/vt"
)

// scene is an editor at a model of a terminal, with somebody who types.
type scene struct {
	t      *testing.T
	editor *Editor
	typed  chan string
	idle   chan struct{} // the editor has done all that was typed
	done   chan struct{}

	mu     sync.Mutex
	screen *vt.Screen
	lines  []string // that were entered
	keys   []string // that were pressed beside
	err    error    // that ended the reading
}

func newScene(t *testing.T, columns int, history History) *scene {
	t.Helper()
	s := &scene{t: t, screen: vt.New(columns, 12), typed: make(chan string), idle: make(chan struct{}), done: make(chan struct{})}
	s.editor = New(s, s, func() (int, int) { return columns, 12 }, history, Keys{
		Interrupt: func(typed bool) { s.keys = append(s.keys, fmt.Sprint("interrupt ", typed)) },
		Suspend:   func() { s.keys = append(s.keys, "suspend") },
		Complete: func(line string) string {
			if line == "/q" {
				return "/quit "
			}
			return line
		},
	})
	s.editor.Prompt("> ")
	go func() {
		defer close(s.done)
		for s.err == nil {
			var line string
			if line, s.err = s.editor.ReadLine(); s.err == nil {
				s.lines = append(s.lines, line)
			}
		}
	}()
	<-s.idle
	t.Cleanup(func() { s.feed("") })
	return s
}

// Read is the keyboard: who asks for more has done what was there.
func (s *scene) Read(p []byte) (int, error) {
	s.idle <- struct{}{}
	text := <-s.typed
	if text == "" {
		return 0, io.EOF
	}
	return copy(p, text), nil
}

// Write is the screen.
func (s *scene) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// The driver of a raw terminal makes no CR of its own.
	if _, err := s.screen.Write([]byte(strings.ReplaceAll(string(p), "\r\n", "\n"))); err != nil {
		s.t.Errorf("%v in %q", err, p)
	}
	return len(p), nil
}

// feed types, and "" is the end of the keyboard. It returns when all of it is done.
func (s *scene) feed(keys string) {
	s.t.Helper()
	select {
	case s.typed <- keys:
	case <-s.done:
		return
	}
	select {
	case <-s.idle:
	case <-s.done:
	}
}

// shows compares the screen, with a bar for the cursor.
func (s *scene) shows(want string) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.Split(strings.TrimSuffix(s.screen.String(), "\n"), "\n")
	x, y := s.screen.Cursor()
	for len(lines) <= y {
		lines = append(lines, "")
	}
	at := 0 // in the row, behind x columns
	for at < len(lines[y]) && render.Width(lines[y][:at]) < x {
		_, n := utf8.DecodeRuneInString(lines[y][at:])
		at += n
	}
	blanks := strings.Repeat(" ", max(x-render.Width(lines[y]), 0))
	lines[y] = lines[y][:at] + blanks + "|" + lines[y][at:]
	if diff := cmp.Diff(want, strings.Join(lines, "\n")); diff != "" {
		s.t.Errorf("the screen (-want +got):\n%s", diff)
	}
}

func (s *scene) entered(want ...string) {
	s.t.Helper()
	if diff := cmp.Diff(want, s.lines); diff != "" {
		s.t.Errorf("entered (-want +got):\n%s", diff)
	}
}

func TestEditor(t *testing.T) {
	long := strings.TrimSuffix(strings.Repeat("line\n", 40), "\n")
	for _, c := range []struct {
		name  string
		keys  []string
		shown string
		line  string
	}{
		{"typed", []string{"hello"}, "> hello|", "hello"},
		{"in the middle", []string{"hllo\x1b[D\x1b[D\x1b[De"}, "> he|llo", "hello"},
		{"letters that come in parts", []string{"\xc3", "\xa9t\xe2", "\x82\xac"}, "> ét€|", "ét€"},
		{"wide letters", []string{"你好世界\x7f\x7fab\x01x"}, "> x|你好ab", "x你好ab"},
		{"between wide letters", []string{"你好界\x1b[D\x1bOD\x1b[Ca\x02\x02b\x06\x06\b"}, "> 你b好|界", "你b好界"},
		{"a wide letter deleted", []string{"你好\x01\x1b[3", "~c"}, "> c|好", "c好"},
		{"Home and End", []string{"bc\x1b[1", "~a\x1b[4~d\x1b[7~_\x1b[8~"}, "> _abcd|", "_abcd"},
		{"what is no letter", []string{"a\xffb"}, "> ab|", "ab"},
		{"Ctrl-J and Alt-Enter", []string{"one\ntwo\x1b\rthree"}, "> one⏎two⏎three|", "one\ntwo\nthree"},
		{"a paste", []string{"see \x1b[20", "0~x\r\ny\x03\x1a\tz\x1b[2", "01~!"}, "> see x⏎y    z!|", "see x\ny    z!"},
		{"a paste of one line with its end", []string{"\x1b[200~make\n\x1b[201~"}, "> make⏎|", "make\n"},
		{"a long paste", []string{"fix \x1b[200~" + long + "\x1b[201~ now"}, "> fix [text 1, 40 lines] now|", "fix " + long + " now"},
		{"two long pastes", []string{"\x1b[200~" + long + "\x1b[201~\x1b[200~" + long + "x\x1b[201~"}, "> [text 1, 40 lines][text 2, 40 lines]|", long + long + "x"},
		{"a long paste without line ends", []string{"\x1b[200~" + strings.Repeat("x", 3000) + "\x1b[201~"}, "> [text 1, 1 lines]|", strings.Repeat("x", 3000)},
		{"completed", []string{"/q\t"}, "> /quit |", "/quit "},
		{"keys without a meaning", []string{"a\x1b[15~\x1bOP\x00b"}, "> ab|", "ab"},
		{"arrows of the application mode", []string{"ac\x1bO", "Db"}, "> ab|c", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t, 60, nil)
			for _, keys := range c.keys {
				s.feed(keys)
			}
			s.shows(c.shown)
			s.feed("\r")
			s.entered(c.line)
		})
	}
}

// TestKeys: the keys that are no matter of the line.
func TestKeys(t *testing.T) {
	s := newScene(t, 40, nil)
	s.feed("half\x03")
	s.shows("> |")
	s.feed("\x03whole\x1a")
	s.shows("> whole|")
	s.feed("\r")
	s.feed("\x04")
	s.entered("whole")
	if diff := cmp.Diff([]string{"interrupt true", "interrupt false", "suspend"}, s.keys); diff != "" {
		t.Errorf("pressed (-want +got):\n%s", diff)
	}
	if !errors.Is(s.err, io.EOF) {
		t.Errorf("after Ctrl-D: %v", s.err)
	}
}

// TestKeyboardGone: what was typed last is not lost with the end of the keyboard.
func TestKeyboardGone(t *testing.T) {
	s := newScene(t, 40, nil)
	s.feed("done\r\x1b[200~not")
	s.feed("")
	s.entered("done")
	if !errors.Is(s.err, io.EOF) {
		t.Errorf("error %v", s.err)
	}
}

// TestOutput: what the session says comes above the line, in whole lines.
func TestOutput(t *testing.T) {
	s := newScene(t, 40, nil)
	e := s.editor
	write := func(text string) {
		t.Helper()
		if _, err := io.WriteString(e, text); err != nil {
			t.Fatal(err)
		}
	}
	s.feed("typ")
	write("first\nThe be")
	e.Status("| 2s, a tool that runs for a long time")
	s.shows("first\n| 2s, a tool that ru > typ|")
	s.feed("ed\x1b[D")
	write("ginning of it")
	s.shows("first\n| 2s, a tool that ru > type|d")
	if err := e.Say("-- said", "and more"); err != nil {
		t.Fatal(err)
	}
	write("\nnext\n")
	e.Status("")
	s.shows("first\nThe beginning of it\n-- said\nand more\nnext\n> type|d")
	e.Hide()
	write("hidden\nand ")
	e.Prompt("steer> ")
	s.shows("first\nThe beginning of it\n-- said\nand more\nnext\n> type|d")
	e.Show()
	s.shows("first\nThe beginning of it\n-- said\nand more\nnext\nhidden\nsteer> type|d")
	e.Leave(s)
	e.Prompt("none ")
	write("\nlast")
	s.shows("first\nThe beginning of it\n-- said\nand more\nnext\nhidden\nand\nlast|")
}

// typed is a history.
type typed []string

func (h *typed) Add(line string) { *h = append(*h, line) }
func (h *typed) Len() int        { return len(*h) }
func (h *typed) At(i int) string { return (*h)[len(*h)-1-i] }

// TestHistory: it has whole texts, whatever the line has for them.
func TestHistory(t *testing.T) {
	long := strings.Repeat("line\n", 40)
	past := &typed{"old", long, "two\nlines"}
	s := newScene(t, 40, past)
	s.feed("half\x1b[A")
	s.shows("> two⏎lines|")
	s.feed("\x1b[A")
	s.shows("> [text 1, 41 lines]|")
	s.feed("\x1b[A\x1b[B\x1b[B\x1b[B")
	s.shows("> half|")
	s.feed("\x1b[A!\r")
	s.feed("\x1b[A\x1b[A\x1b[A\r")
	s.entered("two\nlines!", long)
	if diff := cmp.Diff(&typed{"old", long, "two\nlines", "two\nlines!", long}, past); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
}

// TestWide: wide letters of the history, of the prompt and beside what the session says.
func TestWide(t *testing.T) {
	s := newScene(t, 40, &typed{"世界"})
	s.feed("\x1b[A\x7f")
	s.shows("> 世|")
	s.editor.Prompt("問? ")
	if err := s.editor.Say("說"); err != nil {
		t.Fatal(err)
	}
	s.shows("說\n問? 世|")
	s.feed("界\r")
	s.entered("世界")
}

// FuzzPaste: whatever a paste holds, what can be read of it is entered, and as one line.
func FuzzPaste(f *testing.F) {
	f.Add("x\r\ny\x03\tz", uint8(3))
	f.Add(strings.Repeat("[text 1, 12 lines]\n", 11), uint8(200))
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		text = strings.NewReplacer(pasteOff, "", "[text", "", lineEnd, "").Replace(text)
		if strings.Contains(text, "\x1b") {
			return // it may become the paste's end with what follows
		}
		s := newScene(t, 40, nil)
		keys := pasteOn + text[:min(len(text), 4000)] + pasteOff + "\r"
		at := min(int(cut), len(keys)-1)
		if at > 0 {
			s.feed(keys[:at])
		}
		s.feed(keys[at:])
		s.entered(printable(text[:min(len(text), 4000)]))
	})
}

// Package lineedit is a line editor for a session that goes on while a person
// types: what the session says comes above the prompt, and the line stays whole.
// It knows wide characters, lines of lines, pastes, and terminals that change
// their size.
package lineedit

import (
	"errors"
	"io"
	"strings"
	"sync"
)

// The keys that are no matter of the line: what ReadLine returns for them. With
// ErrInterrupt comes what the line was, which is empty then.
var (
	ErrInterrupt = errors.New("Ctrl-C")
	ErrSuspend   = errors.New("Ctrl-Z")
)

// History is the lines that the arrow keys bring back. 0 is the newest.
type History interface {
	Add(line string)
	Len() int
	At(i int) string
}

// Editor edits lines at a terminal that is raw. All methods may be called from
// any goroutine, ReadLine from one at a time.
type Editor struct {
	in       io.Reader
	size     func() (columns, rows int)
	history  History
	complete func(string) string

	pressed []byte // what was read and not yet taken

	mu      sync.Mutex
	screen  screen
	direct  io.Writer // where writes go when the editor has left
	hidden  bool
	columns int
	line    line
	past    int    // the history's line that is shown, from 1; 0 is none
	pending string // what was typed before the history was shown
	prompt  string
	status  string
	rest    string // of the session's text, without its end
	broken  bool   // the rest was made a line before its end came
}

// New returns an editor of a raw terminal. Complete returns what a line becomes
// by the Tab key. History and complete may be nil.
func New(in io.Reader, out io.Writer, size func() (columns, rows int), history History, complete func(string) string) *Editor {
	e := &Editor{in: in, size: size, history: history, complete: complete, screen: screen{w: out}}
	e.columns, _ = size()
	return e
}

// ReadLine returns the next line that is entered. The error is io.EOF for Ctrl-D
// on an empty line, ErrInterrupt, ErrSuspend, or that of the reader.
func (e *Editor) ReadLine() (string, error) {
	buf := make([]byte, 4096)
	for {
		for len(e.pressed) > 0 {
			k, n := decode(e.pressed)
			if n == 0 {
				break
			}
			e.pressed = e.pressed[n:]
			if text, done, err := e.press(k); done || err != nil {
				e.show()
				return text, err
			}
		}
		e.show()
		n, err := e.in.Read(buf)
		e.pressed = append(e.pressed, buf[:n]...)
		if n == 0 && err != nil {
			return "", err
		}
	}
}

// show shows what came of the keys that were read at once.
func (e *Editor) show() {
	e.mu.Lock()
	defer e.mu.Unlock()
	_ = e.draw()
}

// press carries out a key; show shows it.
func (e *Editor) press(k key) (text string, done bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch k.name {
	case keyEnter:
		return e.enter(), true, nil
	case keyInterrupt:
		text, err = string(e.line.text), ErrInterrupt
		e.line.set("")
		e.past = 0
	case keySuspend:
		return "", false, ErrSuspend
	case keyLeave:
		if len(e.line.text) == 0 {
			return "", false, io.EOF
		}
		e.line.edit(key{name: keyDelete})
	case keyUp:
		if !e.line.up() {
			e.recall(e.past + 1)
		}
	case keyDown:
		if !e.line.down() {
			e.recall(e.past - 1)
		}
	case keyTab:
		if e.complete != nil && e.line.at == len(e.line.text) {
			e.line.set(e.complete(string(e.line.text)))
		}
	case keyClear:
		_, _ = io.WriteString(e.screen.w, "\x1b[H\x1b[2J")
		e.screen.rows, e.screen.row, e.screen.col = nil, 0, 0
	default:
		e.line.edit(k)
	}
	return text, false, err
}

// enter takes the line, and leaves it on the screen.
func (e *Editor) enter() string {
	text := string(e.line.text)
	e.line.set("")
	e.past = 0
	if e.history != nil {
		e.history.Add(text)
	}
	_ = e.put(brief(e.prompt+text) + "\n")
	return text
}

// brief is what stays on the screen of a line: not the end of a very long one.
func brief(text string) string {
	const mostLines, most = 12, 4000
	text = strings.ReplaceAll(text, "\t", "    ")
	if lines := strings.SplitN(text, "\n", mostLines); len(lines) == mostLines {
		text = strings.Join(lines[:mostLines-1], "\n") + "\n…"
	}
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}

// recall shows a line of the history, or for 0 what was typed before.
func (e *Editor) recall(i int) {
	if e.history == nil || i < 0 || i > e.history.Len() {
		return
	}
	if e.past == 0 {
		e.pending = string(e.line.text)
	}
	e.past = i
	if i == 0 {
		e.line.set(e.pending)
		return
	}
	e.line.set(e.history.At(i - 1))
}

// Prompt sets the prompt.
func (e *Editor) Prompt(prompt string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prompt = prompt
	_ = e.draw()
}

// Status sets the line above the prompt; "" is none.
func (e *Editor) Status(status string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.status = status
	_ = e.draw()
}

// Write shows text of the session above the prompt. What has no line end yet is
// drawn anew as it grows.
func (e *Editor) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := string(p)
	if e.broken && text != "" {
		text = strings.TrimPrefix(text, "\n")
		e.broken = false
	}
	if e.direct != nil {
		_, err := io.WriteString(e.direct, text)
		return len(p), err
	}
	e.rest += text
	if end := strings.LastIndexByte(e.rest, '\n') + 1; end > 0 {
		whole := e.rest[:end]
		e.rest = e.rest[end:]
		return len(p), e.put(whole)
	}
	return len(p), e.draw()
}

// Say shows whole lines of somebody else.
func (e *Editor) Say(lines ...string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := strings.Join(lines, "\n") + "\n"
	if e.direct != nil {
		_, err := io.WriteString(e.direct, text)
		return err
	}
	return e.put(e.broke() + text)
}

// broke makes a line of what has no end yet.
func (e *Editor) broke() string {
	if e.rest == "" {
		return ""
	}
	text := e.rest + "\n"
	e.rest, e.broken = "", true
	return text
}

// Hide takes prompt and line away, until Show.
func (e *Editor) Hide() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.hidden && e.direct == nil {
		e.hidden = true
		_ = e.screen.above("")
	}
}

// Show draws everything anew below what others have written.
func (e *Editor) Show() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hidden = false
	e.columns, _ = e.size()
	_ = e.draw()
}

// Resize draws anew for the terminal's new size.
func (e *Editor) Resize() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if columns, _ := e.size(); columns != e.columns {
		e.columns = columns
		e.screen.resized(columns)
	}
	_ = e.draw()
}

// Leave takes prompt and line away for good: from now on writes go to w as they come.
func (e *Editor) Leave(w io.Writer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.direct == nil {
		_ = e.screen.above(e.broke())
		e.direct = w
	}
}

// put makes text final and draws the rest anew.
func (e *Editor) put(text string) error {
	if err := e.screen.above(text); err != nil {
		return err
	}
	return e.draw()
}

// draw shows what is not final: the text without its end, the status, and the line.
func (e *Editor) draw() error {
	if e.hidden || e.direct != nil {
		return nil
	}
	_, height := e.size()
	prompt := []rune(e.prompt)
	list, row, col := rows(append(prompt, e.line.text...), len(prompt)+e.line.at, e.columns)
	list, skipped := window(list, row, max(height/2, 1))
	var head []string
	if e.status != "" && height > 2 {
		head = []string{fit(e.status, e.columns-1)}
	}
	if e.rest != "" {
		tail, _, _ := rows([]rune(uncolored(e.rest)), -1, e.columns)
		room := max(height-len(list)-len(head)-1, 0)
		head = append(tail[max(len(tail)-room, 0):len(tail):len(tail)], head...)
	}
	return e.screen.draw(append(head, list...), len(head)+row-skipped, col)
}

// uncolored takes colors out, which could be cut.
func uncolored(text string) string {
	var b strings.Builder
	for {
		head, tail, found := strings.Cut(text, "\x1b[")
		b.WriteString(head)
		if !found {
			return b.String()
		}
		i := strings.IndexByte(tail, 'm')
		text = tail[i+1:]
	}
}

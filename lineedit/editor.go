// Package lineedit is golang.org/x/term's line editor, for a session that goes on
// while a person types: what the session says comes above the prompt, a message
// may have many lines, and a paste is one message.
package lineedit

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// History is the lines that the arrow keys bring back. 0 is the newest.
type History = term.History

// Keys are what keys do that are no matter of the line. They are called by ReadLine.
type Keys struct {
	Interrupt func(typed bool)         // Ctrl-C, which takes the line away; whether there was one
	Suspend   func()                   // Ctrl-Z
	Complete  func(line string) string // Tab: what the line becomes
}

// Editor edits lines at a terminal that is raw. All methods may be called from
// any goroutine, ReadLine from one at a time.
type Editor struct {
	term *term.Terminal
	size func() (columns, rows int)
	keys Keys

	mu      sync.Mutex
	prompt  string
	status  string
	rest    string            // of the session's text, without its end
	broken  bool              // the rest was made a line before its end came
	hidden  bool              // somebody else has the terminal
	waiting string            // what is to be shown when it is ours again
	direct  io.Writer         // where writes go when the editor has left
	held    map[string]string // texts that are too long for the line, by what it has for them
}

// New returns an editor of a raw terminal. The history may be nil.
func New(in io.Reader, out io.Writer, size func() (columns, rows int), history History, keys Keys) *Editor {
	e := &Editor{size: size, keys: keys, held: map[string]string{}}
	e.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{&translator{from: in, paste: e.brief}, unfilled{out}}, "")
	e.term.AutoCompleteCallback = e.press
	if history != nil {
		e.term.History = past{e, history}
	}
	e.Resize()
	return e
}

// ReadLine returns the next line that is entered. The error is io.EOF for Ctrl-D
// on an empty line, or that of the reader.
func (e *Editor) ReadLine() (string, error) {
	line, err := e.term.ReadLine()
	return e.whole(line), err
}

// press is called for a key that the terminal's editor has no use for.
func (e *Editor) press(line string, pos int, key rune) (string, int, bool) {
	switch key {
	case interrupt:
		e.keys.Interrupt(line != "")
		return "", 0, true
	case ctrlZ:
		e.keys.Suspend()
		return line, pos, true
	case '\t':
		if pos == len(line) {
			line = e.keys.Complete(line)
			pos = len(line)
		}
		return line, pos, true
	}
	before, behind, done := byCharacter(unspread(line[:pos]), unspread(line[pos:]), key)
	before = spread(before)
	return before + spread(behind), len(before), done
}

// brief is a text as the line has it: its line ends as signs, or, when there is
// more of it than a person wants to see there, a word that stands for it.
func (e *Editor) brief(text string) string {
	const mostLines, most = 10, 1000
	lines := strings.Count(text, "\n") + 1
	if lines <= mostLines && utf8.RuneCountInString(text) <= most {
		return strings.ReplaceAll(text, "\n", lineEnd)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	word := fmt.Sprintf("[text %d, %d lines]", len(e.held)+1, lines)
	e.held[word] = text
	return word
}

// whole is the text that the line means.
func (e *Editor) whole(line string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	line = strings.ReplaceAll(unspread(line), lineEnd, "\n")
	for word, text := range e.held {
		line = strings.ReplaceAll(line, word, text)
	}
	return line
}

// past is the history as the line has it.
type past struct {
	editor *Editor
	History
}

func (p past) Add(line string)     { p.History.Add(p.editor.whole(line)) }
func (p past) At(index int) string { return spread(p.editor.brief(p.History.At(index))) }

// Prompt sets the prompt.
func (e *Editor) Prompt(prompt string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.prompt = prompt
	e.draw()
}

// Status sets what stands before the prompt; "" is nothing.
func (e *Editor) Status(status string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.status != status {
		e.status = status
		e.draw()
	}
}

// draw shows the prompt anew. A write that fails is found out by the next one of the session.
func (e *Editor) draw() {
	prompt := e.prompt
	if e.status != "" {
		columns, _ := e.size()
		status := []rune(e.status)
		prompt = string(status[:min(len(status), max(columns/2, 0))]) + " " + prompt
	}
	e.term.SetPrompt(spread(prompt))
	if !e.hidden && e.direct == nil {
		_, _ = e.term.Write(nil)
	}
}

// Write shows text of the session above the prompt, line by line: one that has
// no end yet waits for it.
func (e *Editor) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := string(p)
	if e.broken && text != "" {
		text = strings.TrimPrefix(text, "\n")
		e.broken = false
	}
	if e.direct == nil {
		text = e.rest + text
		end := strings.LastIndexByte(text, '\n') + 1
		text, e.rest = text[:end], text[end:]
	}
	return len(p), e.put(text)
}

// Say shows whole lines of somebody else.
func (e *Editor) Say(lines ...string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.put(e.broke() + strings.Join(lines, "\n") + "\n")
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

func (e *Editor) put(text string) error {
	switch {
	case text == "":
		return nil
	case e.direct != nil:
		_, err := io.WriteString(e.direct, text)
		return err
	case e.hidden:
		e.waiting += text
		return nil
	}
	_, err := e.term.Write([]byte(text))
	return err
}

// Hide leaves the terminal to somebody else, until Show.
func (e *Editor) Hide() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hidden = true
}

// Show takes it again, below what others have written.
func (e *Editor) Show() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hidden = false
	_ = e.put(e.waiting)
	e.waiting = ""
	e.draw()
}

// Resize draws anew for the terminal's size.
func (e *Editor) Resize() {
	if columns, rows := e.size(); columns > 0 {
		_ = e.term.SetSize(columns, rows) // a wrong width is a matter of looks
	}
}

// Leave takes prompt and line away for good: from now on writes go to w as they come.
func (e *Editor) Leave(w io.Writer) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.direct != nil {
		return
	}
	_ = e.put(e.broke())
	e.direct = w
	_, _ = io.WriteString(w, "\r\x1b[K"+e.waiting)
}

package cmd

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// chatLines is what the session writes, line by line above the prompt: a line
// that is not whole waits for its rest.
type chatLines struct {
	mu     sync.Mutex
	to     io.Writer
	size   func() (columns, rows int)
	resize func(columns, rows int) error
	rest   []byte
	broken bool // the rest was written before its end came
}

// Write takes a piece of text.
func (l *chatLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := p
	if l.broken && len(text) > 0 {
		text = bytes.TrimPrefix(text, []byte("\n"))
		l.broken = false
	}
	l.rest = append(l.rest, text...)
	end := bytes.LastIndexByte(l.rest, '\n') + 1
	if end == 0 && len(p) > 0 {
		return len(p), nil
	}
	err := l.put(l.rest[:end])
	l.rest = append(l.rest[:0], l.rest[end:]...)
	return len(p), err
}

// say writes whole lines of our own.
func (l *chatLines) say(lines ...string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return l.put([]byte(strings.Join(lines, "\n") + "\n"))
}

// leave writes to w from now on, as it comes.
func (l *chatLines) leave(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	_, _ = io.WriteString(w, "\r\x1b[K") // the prompt
	l.to, l.resize = w, func(int, int) error { return nil }
}

func (l *chatLines) flush() {
	if len(l.rest) > 0 {
		_ = l.put(append(l.rest, '\n')) // the next write has the error, too
		l.rest, l.broken = l.rest[:0], true
	}
}

func (l *chatLines) put(p []byte) error {
	if l.size != nil {
		_ = l.resize(l.size()) // a wrong width is a matter of looks
	}
	_, err := l.to.Write(p)
	return err
}

// terminalOf is a terminal of its two halves.
func terminalOf(r io.Reader, w io.Writer) io.ReadWriter {
	return struct {
		io.Reader
		io.Writer
	}{r, w}
}

// filtered reads what is typed, and calls for Ctrl-C, which takes the line away.
type filtered struct {
	from      io.Reader
	interrupt func()
}

// filter is what the line editor reads.
func (c *chat) filter(r io.Reader) io.Reader { return filtered{r, c.interrupt} }

// Read has the line emptied where Ctrl-C was.
func (f filtered) Read(p []byte) (int, error) {
	const interrupt, end, kill = 3, 5, 21 // Ctrl-C, Ctrl-E, Ctrl-U
	half := p[:max(1, len(p)/2)]
	n, err := f.from.Read(half)
	typed := bytes.Clone(half[:n])
	n = 0
	for _, b := range typed {
		if b != interrupt {
			n += copy(p[n:], []byte{b})
			continue
		}
		f.interrupt()
		n += copy(p[n:], []byte{end, kill})
	}
	return n, err
}

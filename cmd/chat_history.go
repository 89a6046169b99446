package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
)

// chatHistory is what was typed in chats, in a private file of the state folder.
// A file that cannot be used is no history, and no reason not to talk.
type chatHistory struct {
	path  string
	lines []string // the newest last
	muted atomic.Bool
}

// lineEnd stands in the file for the line ends of one message: the line separator
// of Unicode, which nobody types.
const lineEnd = "\u2028"

// openChatHistory reads the newest lines of the file, and leaves it no longer
// than twice as many.
func openChatHistory(dir string) *chatHistory {
	const most = 500
	h := &chatHistory{path: filepath.Join(dir, "chat-history")}
	text, err := os.ReadFile(h.path)
	if err != nil {
		return h
	}
	h.lines = strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for i, line := range h.lines {
		h.lines[i] = strings.ReplaceAll(line, lineEnd, "\n")
	}
	if n := len(h.lines); n > most {
		h.lines = h.lines[n-most:]
		if n > 2*most {
			_ = os.WriteFile(h.path, []byte(historyText(h.lines...)), 0o600)
		}
	}
	return h
}

// historyText is lines as the file has them.
func historyText(lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.ReplaceAll(line, "\n", lineEnd) + "\n")
	}
	return b.String()
}

// mute keeps lines out: answers are not messages, and may be secrets.
func (h *chatHistory) mute(yes bool) { h.muted.Store(yes) }

// Add takes a line that was typed.
func (h *chatHistory) Add(line string) {
	if h.muted.Load() || strings.TrimSpace(line) == "" || len(h.lines) > 0 && h.lines[len(h.lines)-1] == line {
		return
	}
	h.lines = append(h.lines, line)
	if os.MkdirAll(filepath.Dir(h.path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	_, _ = f.WriteString(historyText(line))
	_ = f.Close()
}

// Len is the number of lines.
func (h *chatHistory) Len() int { return len(h.lines) }

// At is a line, the newest being 0.
func (h *chatHistory) At(i int) string { return h.lines[len(h.lines)-1-i] }

//go:build real

package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// startChat begins a chat at a pseudo-terminal with the pinned Claude Code and
// the embedded model.
func startChat(t *testing.T, mock string) *session {
	t.Helper()
	dir := t.TempDir()
	s := &session{t: t, columns: 80, cmd: exec.CommandContext(t.Context(), "agentrun", "chat", "claude", "--no-config", "--mock="+mock)}
	s.cmd.Dir = dir
	s.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "TERM=xterm-256color", "NO_COLOR=1",
		"XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir, "AGENTRUN_CLAUDE_BIN=" + pinnedBinary(t, "claude", "claude"),
	}
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: 80, Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	s.tty = tty
	t.Cleanup(func() {
		_ = s.tty.Close()
		_ = s.cmd.Wait() // a second call does no harm
	})
	return s
}

// exchange waits for what is on the screen and then types.
func (s *session) exchange(steps ...string) {
	s.t.Helper()
	for i := 0; i+1 < len(steps); i += 2 {
		s.until(regexp.MustCompile(steps[i]))
		s.seen = nil
		if _, err := s.tty.WriteString(steps[i+1]); err != nil {
			s.t.Fatal(err)
		}
	}
	s.until(nil)
}

func (s *session) ends(status int) {
	s.t.Helper()
	_ = s.cmd.Wait() // the status tells
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Errorf("exit status %d, want %d; the last was %q", got, status, s.seen)
	}
}

func TestRealChat(t *testing.T) {
	question := filepath.Join(t.TempDir(), "question.json")
	script := `{"turns":[
		{"parts":[{"name":"AskUserQuestion","input":{"questions":[
			{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"r"},{"label":"Blue","description":"b"}]},
			{"question":"How many?","header":"Count","multiSelect":false,"options":[{"label":"One","description":"1"},{"label":"Two","description":"2"}]}]}}]},
		{"parts":[{"text":"You want {{tool_output}}"}]}]}`
	if err := os.WriteFile(question, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, mock string
		steps      []string
		status     int
	}{
		{"a permission, declined, and commands", "denied-tool", []string{
			`> $`, "write a file\r",
			`\? allow Write(?s:.*)written-by-mock(?s:.*)allow\? \[y\]es`, "perhaps\r",
			`! y, n or c(?s:.*)allow\?`, "n\r",
			`I tried to write a file:(?s:.*)-- turn 1 completed, \d+ tokens in(?s:.*)> $`, "/dance\r",
			`no /dance(?s:.*)> $`, "/model\r",
			`/model takes a word(?s:.*)> $`, "/model claude-sonnet-5\r",
			`-- changed(?s:.*)> $`, "/quit\r",
		}, 0},
		{"a question", question, []string{
			`> $`, "ask me\r",
			`Which colour\?(?s:.*)1  Red(?s:.*)2  Blue(?s:.*)Colour\? $`, "2\r",
			`Count\? $`, "seven\r",
			`You want (?s:.*)Blue(?s:.*)seven(?s:.*)turn 1 completed(?s:.*)> $`, "\x04",
		}, 0},
		{"Ctrl-C aborts the turn, and twice ends the session", "sleep", []string{
			`> $`, "sleep\r",
			`sleep(?s:.*)steer> $`, "\x03",
			`-- turn 1 cancelled(?s:.*)> $`, "half a line\x03",
			`Ctrl-C again ends the session`, "\x03",
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startChat(t, c.mock)
			s.exchange(c.steps...)
			s.ends(c.status)
			history, err := os.ReadFile(filepath.Join(s.cmd.Dir, "agentrun", "chat-history"))
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(c.steps[1], "\r")
			if lines := strings.Split(string(history), "\n"); lines[0] != first || strings.Contains(string(history), "perhaps") || strings.Contains(string(history), "seven") {
				t.Errorf("the history is %q", history)
			}
		})
	}
}

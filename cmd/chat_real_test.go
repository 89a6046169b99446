//go:build real

package cmd_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// startChat begins a chat with a pinned CLI and the embedded model.
func startChat(t *testing.T, vendor, mock string, args ...string) *session {
	t.Helper()
	return startReal(t, t.TempDir(), vendor, append([]string{"chat", vendor, "--mock=" + mock}, args...)...)
}

// startReal begins agentrun with a pinned CLI in a directory, at a pseudo-terminal.
func startReal(t *testing.T, dir, vendor string, args ...string) *session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // not every terminal's read knows a deadline
	t.Cleanup(cancel)
	s := &session{t: t, columns: 80, cmd: exec.CommandContext(ctx, "agentrun", append(args, "--no-config")...)}
	s.cmd.Dir = dir
	s.cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "TERM=xterm-256color", "NO_COLOR=1",
		"XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir, "AGENTRUN_" + strings.ToUpper(vendor) + "_BIN=" + pinnedBinary(t, vendor, vendor),
	}
	s.begin(40)
	return s
}

// begin starts the program at a terminal of so many rows.
func (s *session) begin(rows uint16) {
	s.t.Helper()
	tty, err := pty.StartWithSize(s.cmd, &pty.Winsize{Cols: uint16(s.columns), Rows: rows})
	if err != nil {
		s.t.Fatal(err)
	}
	s.tty = tty
	s.t.Cleanup(func() {
		_ = s.tty.Close()
		_ = s.cmd.Wait() // a second call does no harm
	})
}

// cooked reports whether the terminal is as programs usually find it.
func (s *session) cooked() bool {
	s.t.Helper()
	conn, err := s.tty.SyscallConn()
	if err != nil {
		s.t.Fatal(err)
	}
	var set *unix.Termios
	if ctlErr := conn.Control(func(fd uintptr) { set, err = unix.IoctlGetTermios(int(fd), unix.TCGETS) }); err != nil || ctlErr != nil {
		s.t.Fatal(err, ctlErr)
	}
	const all = unix.ICANON | unix.ECHO | unix.ISIG
	return set.Lflag&all == all && set.Oflag&unix.OPOST != 0
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
}

func (s *session) ends(status int) {
	s.t.Helper()
	s.until(nil)
	_ = s.cmd.Wait() // the status tells
	if got := s.cmd.ProcessState.ExitCode(); got != status {
		s.t.Errorf("exit status %d, want %d; the last was %q", got, status, s.seen)
	}
}

// chatVendors are those with a two-way mode, and what has them ask before they write.
func chatVendors(t *testing.T) map[string][]string {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "ask.toml")
	if err := os.WriteFile(policy, []byte(`default = "ask"`), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string][]string{
		"claude": nil, "codex": {"--access", "edit", "--set", "approval=untrusted"}, "gemini": nil, "pi": {"--policy", policy},
	}
}

// TestRealChatAll: what a person does with any of the CLIs.
func TestRealChatAll(t *testing.T) {
	full := []string{"--access", "full", "--env", "IS_SANDBOX=1"}
	const tool = `\ds, [^\r]*(?i:bash|command)[^\r]* (steer|next)> $` // the status, which names it
	const idle = `(^|[^rt])> $`                                       // not steer> and next>
	for vendor, asks := range chatVendors(t) {
		t.Run(vendor, func(t *testing.T) {
			t.Run("two turns", func(t *testing.T) {
				s := startChat(t, vendor, "say")
				s.exchange(
					`> $`, "the first\r",
					`You said: the first(?s:.*)-- turn 1 completed(?s:.*)> $`, "\x1b[200~two\nlines\x1b[201~ of it\r",
					`You said: two(?s:.*)lines of it(?s:.*)-- turn 2 completed(?s:.*)> $`, "/hel\t\r",
					`/quit +end the session(?s:.*)> $`, "/dance\r",
					`there is no /dance(?s:.*)> $`, "\x04",
				)
				s.ends(0)
			})
			t.Run("asked", func(t *testing.T) {
				s := startChat(t, vendor, "denied-tool", asks...)
				s.exchange(
					`> $`, "write\r",
					`\[y\]es, \[n\]o(?s:.*)turn: $`, "perhaps\r",
					`! y, n or c(?s:.*)turn: $`, "n\r",
					`\[denied\](?s:.*)-- turn 1 completed(?s:.*)> $`, "again\r",
					`\[y\]es, \[n\]o(?s:.*)turn: $`, "y\r",
					`\[\+\](?s:.*)-- turn 2 completed(?s:.*)> $`, "/quit\r",
				)
				s.ends(0)
				if _, err := os.Stat(filepath.Join(s.cmd.Dir, "written-by-mock.txt")); err != nil {
					t.Error(err)
				}
			})
			t.Run("aborted", func(t *testing.T) {
				s := startChat(t, vendor, "sleep", full...)
				again := []string{tool, "\x03", `-- turn 2 cancelled(?s:.*)` + idle, "\x03"}
				if vendor == "claude" { // its model is told of the call that was cut, and makes no other
					again = []string{`-- turn 2 completed(?s:.*)` + idle, "\x03"}
				}
				s.exchange(append([]string{
					idle, "sleep\r",
					tool, "\x03",
					`-- turn 1 cancelled(?s:.*)` + idle, "again\r",
				}, again...)...)
				s.exchange(`Ctrl-C again ends the session(?s:.*)`+idle, "\x03")
				s.ends(0)
			})
			for _, end := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} {
				t.Run(end.String(), func(t *testing.T) {
					s := startChat(t, vendor, "sleep", full...)
					s.exchange(`> $`, "sleep\r", tool, "half a line")
					s.until(regexp.MustCompile(`half a line$`))
					if s.cooked() {
						t.Error("the terminal is not raw")
					}
					if err := s.cmd.Process.Signal(end); err != nil {
						t.Fatal(err)
					}
					s.until(regexp.MustCompile(`the run was cancelled\r\n`))
					if !s.cooked() {
						t.Error("the terminal is still raw")
					}
					s.ends(128 + int(end))
				})
			}
		})
	}
}

// TestRealChatPolicy: the rules of a policy answer, and what they have asked is
// asked in whole.
func TestRealChatPolicy(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	policy := write("policy.toml", `
		default = "deny"
		[[rules]]
		name = "writes"
		action = "ask"
		kind = "write"
		reason = "look first"
		[[rules]]
		action = "allow"
		kind = "exec"
		args = "echo *"
	`)
	script := write("script.json", `{"turns": [
		{"parts": [{"shell": "echo this is allowed"}, {"shell": "rm -rf x"}]},
		{"parts": [{"write": {"path": "p.txt", "content": "`+strings.Repeat(`line\n`, 20)+`the last\n"}}]},
		{"parts": [{"text": "all done"}]}]}`)
	s := startChat(t, "pi", script, "--policy", policy)
	s.exchange(`> $`, "go\r")
	s.until(regexp.MustCompile(`turn: $`))
	asked := string(s.seen)
	s.exchange(`turn: $`, "s\r", `the last(?s:.*)turn: $`, "n\r", `all done(?s:.*)turn 1 completed(?s:.*)> $`, "\x04")
	s.ends(0)
	if strings.Contains(asked, "does not ask") || strings.Contains(asked, "the last") {
		t.Errorf("asked: %q", asked)
	}
	for _, want := range []string{
		`! decline bash \(rule default\)`, `\[denied\] bash rm -rf x`, `\[\+\] bash echo this is allowed`,
		`\? allow write\?\r\n  \(asked by rule writes, look first\)\r\n  path: p.txt\r\n  content:\r\n    line\r\n`,
		`… \d+ more lines: s shows them`,
	} {
		if !regexp.MustCompile(want).MatchString(asked) {
			t.Errorf("no %s in %q", want, asked)
		}
	}
}

// TestRealChatStopped: Ctrl-Z gives the terminal to the shell, and fg takes it again.
func TestRealChatStopped(t *testing.T) {
	s := startChat(t, "pi", "say")
	_, _ = s.tty.WriteString("\x1a") // without a shell nobody would let us go on, so nothing stops
	s.exchange(`> $`, "hello\r", `You said: hello(?s:.*)turn 1 completed(?s:.*)> $`, "\x04")
	s.ends(0)

	s = startChat(t, "pi", "say")
	s.exchange(`> $`, "\x04")
	s.ends(0)
	shell := *s
	shell.cmd = exec.CommandContext(t.Context(), "bash", "--norc", "--noprofile", "-i")
	shell.cmd.Dir, shell.cmd.Env = s.cmd.Dir, append(s.cmd.Env, "PS1=shell:")
	shell.seen = nil
	shell.begin(40)
	shell.exchange(
		`shell:$`, strings.Join(s.cmd.Args, " ")+"\r",
		`> $`, "half\x1a",
		`Stopped(?s:.*)shell:`, "fg\r",
		`> half$`, " and half\r",
		`You said: half and half(?s:.*)turn 1 completed(?s:.*)> $`, "\x04",
		`shell:`, "exit\r",
	)
	shell.ends(0)
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
			`-- turn 1 cancelled(?s:.*)> $`, "half a line\x03\x03",
			`Ctrl-C again ends the session(?s:.*)> $`, "\x03",
		}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startChat(t, "claude", c.mock)
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

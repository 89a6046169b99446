package cmd_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"agentrun/render/vt"
)

const typed = "agentrun run claude \"fix the failing test\""

// session is agentrun at a pseudo-terminal, with a stand-in for the vendor.
type session struct {
	t       *testing.T
	cmd     *exec.Cmd
	tty     *os.File
	columns int
	seen    []byte
}

// start runs agentrun with a vendor that says what the file holds and then does
// as the shell command says.
func start(t *testing.T, columns int, records, then string, env ...string) *session {
	t.Helper()
	dir := t.TempDir()
	path, err := filepath.Abs(records)
	if err != nil {
		t.Fatal(err)
	}
	vendor := filepath.Join(dir, "vendor")
	script := "#!/bin/sh\ncat >/dev/null\ncat '" + path + "'\n" + then + "\n"
	if err := os.WriteFile(vendor, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	s := &session{t: t, columns: columns, cmd: exec.CommandContext(t.Context(), "agentrun", "run", "claude", "fix the failing test", "--vendor-version", "2.1.332", "--no-config")}
	s.cmd.Dir = dir
	s.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "TERM=xterm-256color",
		"XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir, "AGENTRUN_CLAUDE_BIN=" + vendor,
	}, env...)
	s.tty, err = pty.StartWithSize(s.cmd, &pty.Winsize{Cols: uint16(columns), Rows: 40})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.tty.Close()
		_ = s.cmd.Wait() // a second call does no harm
	})
	return s
}

// until reads what agentrun writes until the pattern is seen, or with nil to its end.
func (s *session) until(pattern *regexp.Regexp) {
	s.t.Helper()
	if err := s.tty.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		s.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for pattern == nil || !pattern.Match(s.seen) {
		n, err := s.tty.Read(buf)
		s.seen = append(s.seen, buf[:n]...)
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EIO) {
			if pattern != nil {
				s.t.Fatalf("ended without %s:\n%q", pattern, s.seen)
			}
			return
		}
		if err != nil {
			s.t.Fatalf("%v, waiting for %v; the last was:\n%q", err, pattern, s.seen[max(0, len(s.seen)-1000):])
		}
	}
}

// screen shows what was seen until now, with the times of no other run.
func (s *session) screen() *vt.Screen {
	s.t.Helper()
	text := strings.ReplaceAll(string(s.seen), "\r\n", "\n")
	text = regexp.MustCompile(`\d\.\ds`).ReplaceAllString(text, "0.4s")
	text = regexp.MustCompile(`[-\\|/] \d+s, `).ReplaceAllString(text, "| 2s, ")
	text = regexp.MustCompile(`(tokens, Bash go test \./\.\.\.) \d+s`).ReplaceAllString(text, "$1 1s")
	screen := vt.New(s.columns, 40)
	if _, err := io.WriteString(screen, "$ "+typed+"\n"+text); err != nil {
		s.t.Errorf("%v:\n%q", err, text)
	}
	return screen
}

// TestScreen compares what a person sees with the screens in testdata and their
// pictures in docs/screens, which scripts/screenshots writes.
func TestScreen(t *testing.T) {
	for name, columns := range map[string]int{"run-80": 80, "run-40": 40} {
		t.Run(name, func(t *testing.T) {
			s := start(t, columns, "testdata/screens/whole.jsonl", "exit 0")
			s.until(nil)
			if err := s.cmd.Wait(); err != nil {
				t.Error(err)
			}
			compare(t, name, s.screen())
		})
	}
}

// TestScreenStatus: the status line is there while a tool runs, and gone when
// Ctrl-C has ended the run.
func TestScreenStatus(t *testing.T) {
	s := start(t, 80, "testdata/screens/begun.jsonl", "exec sleep 300")
	s.until(regexp.MustCompile(`\d+s, \d+ tokens, Bash go test \./\.\.\. [1-9]\d*s`))
	compare(t, "status-80", s.screen())
	if _, err := s.tty.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	s.until(nil)
	_ = s.cmd.Wait() // the exit status is what counts
	if got := s.cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("exit status %d, want 130", got)
	}
	if text := s.screen().String(); strings.Contains(text, "| 2s") || !strings.Contains(text, "[no result] Bash go test") {
		t.Errorf("after Ctrl-C:\n%s", text)
	}
}

// TestScreenPlain: no control code without a terminal that takes them.
func TestScreenPlain(t *testing.T) {
	for name, env := range map[string]string{"dumb": "TERM=dumb", "no colour": "NO_COLOR=1"} {
		s := start(t, 80, "testdata/screens/whole.jsonl", "exit 0", env)
		s.until(nil)
		text := string(s.seen)
		if name == "dumb" && strings.Contains(text, "\x1b") || strings.Contains(text, "\x1b[2m") {
			t.Errorf("%s: control codes: %q", name, text)
		}
		if !strings.Contains(text, "**one line too early**") {
			t.Errorf("%s: the text is not as it came: %q", name, text)
		}
	}
}

func compare(t *testing.T, name string, screen *vt.Screen) {
	t.Helper()
	for file, got := range map[string]string{"testdata/screens/" + name + ".txt": screen.String(), "../docs/screens/" + name + ".svg": screen.SVG()} {
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // it goes into the repository
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got), see scripts/screenshots:\n%s", file, diff)
		}
	}
}

//go:build real

package conformance

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"agentrun/ndjson"
	"agentrun/providers"
)

// TestRealCarryOn carries sessions on whose last run was ended from outside, that
// somebody else is writing to, and by hand.
func TestRealCarryOn(t *testing.T) {
	vendors := realVendors(t)
	for name, sig := range map[string]syscall.Signal{"INT": syscall.SIGINT, "KILL": syscall.SIGKILL} {
		t.Run("after "+name, func(t *testing.T) {
			each(t, vendors, func(t *testing.T, v vendor) {
				t.Helper()
				realCutTurn(t, v, sig)
			})
		})
	}
	t.Run("two writers", func(t *testing.T) { each(t, vendors, realTwoWriters) })
	t.Run("by hand", func(t *testing.T) { each(t, vendors, realAttach) })
}

// inTool resumes a session in a run that stays in a tool call.
func (s *sessions) inTool(t *testing.T, session, prompt string) *running {
	t.Helper()
	script := filepath.Join(s.w.tmp, "script.json")
	if err := os.WriteFile(script, []byte(waiting), 0o600); err != nil {
		t.Fatal(err)
	}
	w := *s.w
	w.t = t
	r := w.start(s.v.args(script, prompt, append(s.v.shell, "--mock-home", w.home, "--resume", session)...)...)
	r.await(t, "sleep 300")
	return r
}

// realCutTurn: a turn that was cut is part of the history, and the session goes on.
func realCutTurn(t *testing.T, v vendor, sig syscall.Signal) {
	t.Helper()
	s := newSessions(t, v)
	first := s.begin()
	r := s.inTool(t, first, "The prompt that is cut.")
	r.signal(sig)
	same(t, "exit status", 128+int(sig), r.wait())
	gone(t, r.id())
	same(t, "session", first, s.ask(t, "After the cut.", "--resume", r.id()))
	s.heard(t, firstPrompt, true)
	s.heard(t, "The prompt that is cut.", true)
}

// realTwoWriters: the second is told who has the session, may work in a copy, or waits.
func realTwoWriters(t *testing.T, v vendor) {
	t.Helper()
	s := newSessions(t, v)
	first := s.begin()
	r := s.inTool(t, first, "The prompt of the first writer.")

	out := s.w.run(append([]string{"run"}, v.args("say", "no", "--mock-home", s.w.home, "--resume", first)...)...)
	same(t, "exit status", providers.Session.ExitStatus(), out.status)
	same(t, "stdout", "", string(out.stdout))
	if !strings.Contains(out.stderr, "in use by run "+r.id()) {
		t.Errorf("the owner is not named: %s", out.stderr)
	}
	if v.can.Forkable {
		if id := s.ask(t, "In a copy.", "--resume", first, "--fork"); id == first {
			t.Error("the copy is the session itself")
		}
		s.heard(t, firstPrompt, true)
	}
	done := make(chan string, 1)
	go func() { done <- s.ask(t, "The prompt of the second writer.", "--resume", first, "--wait") }()
	r.signal(syscall.SIGINT)
	same(t, "exit status", 130, r.wait())
	same(t, "session", first, <-done)
	s.heard(t, "The prompt of the first writer.", true)
}

// realAttach: the vendor's own interface shows what was said in the run, and
// leaves nothing when it is told to end.
func realAttach(t *testing.T, v vendor) {
	t.Helper()
	s := newSessions(t, v)
	first := s.begin()
	s.introduce(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := s.w.command(ctx, "attach", first, "--mock", "--bin", v.bin)
	c.Env = append(c.Env, "TERM=xterm-256color")
	hand, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer hand.Close()
	screen := &buffer{}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := hand.Read(buf)
			_, _ = screen.Write(buf[:n])
			if err != nil {
				return
			}
			if bytes.Contains(buf[:n], []byte("\x1b[6n")) { // where the cursor is: codex waits for it
				_, _ = hand.WriteString("\x1b[1;1R")
			}
		}
	}()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("screen:\n%q", screen.bytes())
		}
	})
	sees := func(words string) func() bool {
		return func() bool { return strings.Contains(string(screen.bytes()), words) }
	}
	if v.provider == "codex" { // it praises a newer model first, and is deaf for a moment
		Eventually(t, "a question", sees("existing"))
	}
	looks := 0
	Eventually(t, "the history on the screen", func() bool {
		if looks++; v.provider == "codex" && looks%50 == 1 {
			_, _ = hand.WriteString("\r")
		}
		return sees("wombat")()
	})
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // how it ended is in ProcessState
	same(t, "exit status", 143, c.ProcessState.ExitCode())
	<-read
	list := s.w.run("sessions", "list", "--json", "-n", "1")
	var records []struct {
		ID      string `json:"id"`
		Session string `json:"session_id"`
		Title   string `json:"title"`
		Status  string `json:"status"`
	}
	if err := ndjson.Unmarshal(list.stdout, &records); err != nil || len(records) != 1 {
		t.Fatalf("%v: %s", err, list.stdout)
	}
	same(t, "session", first, records[0].Session)
	same(t, "status", "cancelled", records[0].Status)
	gone(t, records[0].ID)
}

// introduce answers what a CLI asks whoever opens its interface for the first time.
func (s *sessions) introduce(t *testing.T) {
	t.Helper()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(s.w.home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	switch s.v.provider {
	case "claude":
		write(".claude.json", `{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["agentrun-loopback"],"rejected":[]},`+
			`"projects":{"`+s.w.cwd+`":{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true}}}`)
	case "codex":
		write(".codex/config.toml", "check_for_update_on_startup = false\n[projects.\""+s.w.cwd+"\"]\ntrust_level = \"trusted\"\n")
	}
}

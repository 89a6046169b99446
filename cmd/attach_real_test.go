//go:build real

package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentrun/sessions"
)

// onboarded is what Claude Code asks for the first time, and nobody answers here.
func onboarded(dir string) string {
	return `{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["agentrun-loopback"]},` +
		`"projects":{"` + dir + `":{"hasTrustDialogAccepted":true}}}`
}

// TestRealAttach: each CLI's own interface goes on with what a run began, and a
// run with what was done there.
func TestRealAttach(t *testing.T) {
	const again = `(?s)You.{1,12}?said:.{1,12}?the`
	quit := []string{"/quit", `(?s)/quit`, "\r"}
	for vendor, c := range map[string]struct{ flags, opening, leave []string }{
		"claude": {nil, []string{again}, quit},
		"codex": {[]string{"--vendor-arg=--model=gpt-6-sol"}, []string{ // it asks about older ones
			`\x1b\[6n`, "\x1b[1;1R\x1b[?62c", // it asks the terminal what that is
			again,
		}, quit},
		"gemini": {nil, []string{again + `.*Type your message`}, []string{"\x04", `(?s)Ctrl\+D again`, "\x04"}},
		"pi":     {nil, []string{again}, quit},
	} {
		t.Run(vendor, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			home := filepath.Join(dir, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(home, ".claude.json"), []byte(onboarded(dir)), 0o600); err != nil {
				t.Fatal(err)
			}
			said := func(words string) string {
				return `(?s)You` + strings.Join(append([]string{""}, strings.Fields("said: "+words)...), `.{1,12}?`)
			}
			s := startReal(t, dir, vendor, "run", vendor, "the first words", "--mock", "--mock-home", home)
			s.exchange(said("the first words"), "")
			s.ends(0)

			s = startReal(t, dir, vendor, append([]string{"attach", "@last", "--mock"}, c.flags...)...)
			s.exchange(slices.Concat(c.opening, []string{"by hand", `(?s)by.{1,12}?hand`, "\r"})...)
			s.insist(said("by"), `by hand[^\r]*\r\n[^\r]*\x1b\[7m`)
			s.exchange(append([]string{said("by")}, c.leave...)...)
			s.ends(0)
			if !s.cooked() {
				t.Error("the terminal is not as it was")
			}
			store, err := sessions.Open(filepath.Join(dir, "agentrun", "sessions"))
			if err != nil {
				t.Fatal(err)
			}
			list, err := store.List(sessions.Filter{})
			if err != nil || len(list) != 2 {
				t.Fatalf("%+v, %v", list, err)
			}
			if by := list[0]; by.Status != sessions.OK || by.SessionID != list[1].SessionID || by.Resumes != list[1].ID || !by.Resumable {
				t.Errorf("by hand: %+v", by)
			}

			s = startReal(t, dir, vendor, "resume", "@last", "and after", "--mock")
			s.exchange(said("and after"), "")
			s.ends(0)
		})
	}
}

// insist waits for an answer, and presses Enter again where the last one began
// another line: gemini takes one that comes fast for a part of a paste.
func (s *session) insist(answer, line string) {
	s.t.Helper()
	for answered, either := regexp.MustCompile(answer), regexp.MustCompile(answer+"|"+line); ; {
		s.until(either)
		if answered.Match(s.seen) {
			return
		}
		s.exchange(line, "\r")
	}
}

package conformance

import (
	"path/filepath"
	"syscall"
	"testing"

	"agentrun/providers"
)

// TestBinaryInterrupted: case 035 as it happens: we pass the signal on, the
// vendor ends without a terminal record, and what it said is kept.
func TestBinaryInterrupted(t *testing.T) {
	for sig, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129, syscall.SIGQUIT: 131} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			w, args := caseWorld(t, "codex", "035-codex-interrupt-no-terminal-record")
			w.env = append(w.env, "INTERRUPTED=1")
			r := w.start(append(args, "--grace", "1s")...)
			Eventually(t, "the vendor's words", func() bool { return listen(r.chunks()).text.Len() > 0 })
			r.signal(sig)
			same(t, "exit status", status, r.wait())
			gone(t, r.id())
			w.check(outcome{status: status, stdout: r.stdout.bytes(), stderr: string(r.stderr.bytes())}, false)
			same(t, "text", "Working.", listen(r.chunks()).text.String())
		})
	}
}

// TestBinaryStrict: a denied tool fails the run where that is wanted.
func TestBinaryStrict(t *testing.T) {
	t.Parallel()
	w, args := caseWorld(t, "claude", "012-claude-permission-denied-success")
	h := listen(w.stream(append(args, "--strict")...).chunks)
	same(t, "class", string(providers.Permission), h.meta.Class)
	same(t, "reason", providers.ReasonDenied, h.meta.Reason)
	same(t, "text", "I was not allowed to write the file.", h.text.String())
}

// caseWorld prepares a run of a provider's case.
func caseWorld(t *testing.T, provider, name string) (*world, []string) {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("../providers", provider, "testdata/cases", name))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.env = []string{"CASE_DIR=" + dir}
	return w, append(caseArgs(t, w, rec, staged{}), provider)
}

package conformance

import (
	"context"
	"os/exec"
	"syscall"
	"testing"
)

// TestIgnored: a signal that was ignored when agentrun started, as nohup does,
// does not end the run.
func TestIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	plain := w.command(ctx, append([]string{"run"}, append(standin(w, "hang"), "hello")...)...)
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, plain.Args...)...)
	c.Dir, c.Env = plain.Dir, append(plain.Env, w.env...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	Eventually(t, "the vendor", func() bool { return (&running{cmd: c}).supervisor() != 0 })
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	_ = c.Wait() // the status is the point
	same(t, "exit status", 143, c.ProcessState.ExitCode())
}

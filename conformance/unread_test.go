package conformance

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestUnread ends runs whose output nobody takes: within a bounded time, with
// the status of the end, and nothing is left.
func TestUnread(t *testing.T) {
	cases := []struct {
		name    string
		output  string
		flags   []string
		signals []syscall.Signal
		stderr  bool // nobody takes that either
		status  int
	}{
		{name: "timeout", output: "chunks", flags: []string{"--timeout", "1s"}, status: 124},
		{name: "timeout, text", output: "text", flags: []string{"--timeout", "1s"}, status: 124},
		{name: "timeout, stderr too", output: "chunks", flags: []string{"--timeout", "1s"}, stderr: true, status: 124},
		{name: "INT", output: "chunks", signals: []syscall.Signal{syscall.SIGINT}, status: 130},
		{name: "INT, then TERM", output: "chunks", flags: []string{"--grace", "10m"}, signals: []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}, status: 130},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.env = []string{"XDG_CACHE_HOME=" + filepath.Join(w.home, "cache")}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			args := append([]string{"run", "--grace", "200ms", "--output", c.output}, standin(w, "many records", c.flags...)...)
			cmd := w.command(ctx, append(args, "hello")...)
			stdout, err := stuck()
			if err != nil {
				t.Fatal(err)
			}
			defer stdout.Close()
			stderr := &buffer{}
			cmd.Stdout, cmd.Stderr = stdout.w, stderr
			if c.stderr {
				cmd.Stderr = stdout.w
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for _, s := range c.signals {
				Eventually(t, "the vendor", func() bool { return (&running{cmd: cmd}).supervisor() != 0 })
				if err := cmd.Process.Signal(s); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // the status is the point
			same(t, "exit status", c.status, cmd.ProcessState.ExitCode())
			if !c.stderr && len(stderr.bytes()) == 0 {
				t.Error("nothing was told on stderr")
			}
			w.clean(t)
		})
	}
}

// unreadPipe is one that nobody reads.
type unreadPipe struct{ r, w *os.File }

func stuck() (unreadPipe, error) {
	r, w, err := os.Pipe()
	return unreadPipe{r, w}, err
}

func (p unreadPipe) Close() {
	p.r.Close()
	p.w.Close()
}

// clean: no process that the stand-in noted lives, and no private folder is left.
func (w *world) clean(t *testing.T) {
	t.Helper()
	Eventually(t, "the end of all processes", func() bool { return len(w.alive()) == 0 })
	for _, dir := range []string{w.tmp, filepath.Join(w.home, "cache/agentrun/runs")} {
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}

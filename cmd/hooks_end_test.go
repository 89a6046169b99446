package cmd_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// holding makes the home's only hook one that never ends, nor does its child, which
// holds a pipe.
func holding(t *testing.T, p hooksPage, event string) {
	t.Helper()
	p.write(t, ".config/agentrun/config.toml", `
[defaults]
policy = "rules.toml"
[[hooks]]
event = "`+event+`"
command = ["~/hold.sh"]
timeout = "5m"
`, 0o600)
	p.write(t, "hold.sh", "#!/bin/sh\nexec 3>\"$HOME/held\"\necho held >&3\nsleep 300 &\nexec sleep 300\n", 0o700)
	if err := syscall.Mkfifo(filepath.Join(p.home, "held"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// held returns when the hook runs. What it returns waits until nothing of it does.
func held(t *testing.T, p hooksPage) (gone func()) {
	t.Helper()
	f, err := os.Open(filepath.Join(p.home, "held"))
	if err != nil {
		t.Error(err)
		return func() {}
	}
	r := bufio.NewReader(f)
	if _, err := r.ReadString('\n'); err != nil {
		t.Error(err)
	}
	return func() {
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Error(err)
		}
		_ = f.Close()
	}
}

// TestHookEnds: a run that is ended while a hook runs ends, and nothing is left of the hook.
func TestHookEnds(t *testing.T) {
	for _, c := range []struct {
		event  string
		signal os.Signal
		status int // -1: by the signal
	}{
		{"before_run", syscall.SIGINT, 130},
		{"before_tool", syscall.SIGINT, 130},
		{"before_tool", syscall.SIGKILL, -1},
		{"turn_end", syscall.SIGTERM, 0}, // the vendor has ended well, and that stands
		{"after_run", syscall.SIGINT, 0},
		{"after_run", syscall.SIGKILL, -1},
	} {
		t.Run(c.event+" "+c.signal.String(), func(t *testing.T) {
			p := newHooksPage(t)
			holding(t, p, c.event)
			run := p.command(t, p.standin(t), "run", "claude", "touch x")
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			gone := held(t, p)
			if err := run.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			var exit *exec.ExitError
			if err := run.Wait(); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			if got := run.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			gone()
		})
	}
}

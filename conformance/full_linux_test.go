package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputFails: a full disk is not a reader that went away.
func TestOutputFails(t *testing.T) {
	for _, output := range []string{"chunks", "text", "result"} {
		t.Run(output, func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			w := newWorld(t)
			w.env = []string{"XDG_CACHE_HOME=" + filepath.Join(w.home, "cache")}
			stderr := &buffer{}
			c := w.command(t.Context(), append([]string{"run", "--output", output}, append(standin(w, "many records"), "hello")...)...)
			c.Stdout, c.Stderr = full, stderr
			_ = c.Run() // the status is the point
			same(t, "exit status", 8, c.ProcessState.ExitCode())
			if !strings.Contains(string(stderr.bytes()), "agentrun: error: writing our output: write /dev/stdout: no space left on device\n") {
				t.Errorf("stderr: %s", stderr.bytes())
			}
			w.clean(t)
		})
	}
}

// TestCommandOutputFails: the other commands as well.
func TestCommandOutputFails(t *testing.T) {
	recording, err := filepath.Abs("../providers/claude/testdata/cases/001-claude-key-order/stdout.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"version"}, {"providers"}, {"schema", "chunk"}, {"normalize", "claude", recording}, {"--help"}, {"help", "run"}, {"sessions"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer full.Close()
			w := newWorld(t)
			stderr := &buffer{}
			c := w.command(t.Context(), args...)
			c.Stdout, c.Stderr = full, stderr
			_ = c.Run() // the status is the point
			same(t, "exit status", 8, c.ProcessState.ExitCode())
			same(t, "stderr", "agentrun: error: writing our output: write /dev/stdout: no space left on device\n", string(stderr.bytes()))
		})
	}
}

//go:build real

package conformance

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"agentrun/providers"
)

// waiting is a model that says something, then runs a command that takes five
// minutes and has left a daemon behind.
const waiting = `{"turns": [
	{"parts": [{"text": "I wait."}, {"shell": "(setsid sleep 301 &) ; sleep 300"}]},
	{"parts": [{"text": "The command is over."}]}
]}`

// realTeardown ends runs in every way: the exit status says how, what was said
// is kept, and no process is left.
func realTeardown(t *testing.T, vendors []vendor) {
	t.Helper()
	for _, down := range teardowns() {
		t.Run(down.name, func(t *testing.T) {
			each(t, vendors, down.check)
		})
	}
	t.Run("reader gone", func(t *testing.T) { each(t, vendors, realReaderGone) })
	t.Run("tool-timeout", func(t *testing.T) { each(t, vendors, realToolTimeout) })
	t.Run("idle-timeout", func(t *testing.T) { each(t, vendors, realIdleTimeout) })
	t.Run("timeout", func(t *testing.T) { each(t, vendors, realTotalTimeout) })
}

// busy starts a run and waits until its tool and the tool's daemon run.
func busy(t *testing.T, v vendor, more ...string) (*world, *running) {
	t.Helper()
	w := newWorld(t)
	script := filepath.Join(w.home, "script.json")
	if err := os.WriteFile(script, []byte(waiting), 0o600); err != nil {
		t.Fatal(err)
	}
	r := w.start(v.args(script, helloPrompt, append(more, v.shell...)...)...)
	return w, r
}

func (down teardown) check(t *testing.T, v vendor) {
	t.Helper()
	w, r := busy(t, v)
	r.await(t, "sleep 300", "sleep 301")
	down.do(t, r)
	same(t, "exit status", down.status, r.wait())
	gone(t, r.id())
	if down.status != 137 {
		w.check(outcome{status: down.status, stdout: r.stdout.bytes(), stderr: string(r.stderr.bytes())}, false)
	} else {
		// The supervisor cleans up behind the dead.
		Eventually(t, "the end of the private folder", func() bool {
			_, err := os.Stat(filepath.Join(built.cache, "agentrun/runs", r.id()))
			return errors.Is(err, fs.ErrNotExist)
		})
	}
	same(t, "text", "I wait.", listen(r.chunks()).text.String())
	if t.Failed() {
		t.Logf("stdout:\n%s\nstderr:\n%s", r.stdout.bytes(), r.stderr.bytes())
	}
}

// realReaderGone is `agentrun … | head -1` while much is to be written.
func realReaderGone(t *testing.T, v vendor) {
	t.Helper()
	w := newWorld(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c := w.command(ctx, append([]string{"run", "--output", "chunks"}, v.args("huge", helloPrompt, v.shell...)...)...)
	stderr := &buffer{}
	c.Stderr = stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	first := firstLine(t, out)
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // the status is the point
	same(t, "exit status", 141, c.ProcessState.ExitCode())
	same(t, "stderr", "", string(stderr.bytes()))
	chunks, err := Chunks(first)
	if err != nil || len(chunks) != 1 {
		t.Fatalf("the first line: %v: %s", err, first)
	}
	gone(t, metadata(chunks[0]).RunID)
}

// firstLine reads one byte at a time, as head does not: nothing more is taken.
func firstLine(t *testing.T, r io.Reader) []byte {
	t.Helper()
	var line []byte
	b := make([]byte, 1)
	for {
		if _, err := io.ReadFull(r, b); err != nil {
			t.Fatalf("%v after %q", err, line)
		}
		line = append(line, b[0])
		if b[0] == '\n' {
			return line
		}
	}
}

// realToolTimeout: the tool's clock runs while its command does.
func realToolTimeout(t *testing.T, v vendor) {
	t.Helper()
	w, r := busy(t, v, "--tool-timeout", "1s")
	status := r.wait()
	chunks := w.check(outcome{status: status, stdout: r.stdout.bytes(), stderr: string(r.stderr.bytes())}, false)
	h := listen(chunks)
	same(t, "exit status", 124, status)
	same(t, "reason", providers.ReasonIdle, h.meta.Reason)
	same(t, "text", "I wait.", h.text.String())
	// claude and pi still report the tool that they end with them.
	same(t, "tools", 1, h.uses)
	same(t, "tools that ended or are listed as open", 1, h.results+len(h.meta.OpenTools))
}

// realIdleTimeout: the model falls silent in the middle of its answer.
func realIdleTimeout(t *testing.T, v vendor) {
	t.Helper()
	w := newWorld(t)
	out := w.stream(v.args("stall", helloPrompt, "--idle-timeout", "3s")...)
	h := listen(out.chunks)
	same(t, "exit status", 124, out.status)
	same(t, "reason", providers.ReasonIdle, h.meta.Reason)
	if v.can.EmitsDeltas && v.provider != "claude" { // claude gives text whole unless asked for --deltas
		same(t, "text", "This answer stops here", h.text.String())
	}
}

// realTotalTimeout: the whole run has a limit.
func realTotalTimeout(t *testing.T, v vendor) {
	t.Helper()
	w := newWorld(t)
	out := w.stream(v.args("stall", helloPrompt, "--timeout", "2s")...)
	h := listen(out.chunks)
	same(t, "exit status", 124, out.status)
	same(t, "reason", providers.ReasonTotal, h.meta.Reason)
}

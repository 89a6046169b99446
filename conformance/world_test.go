package conformance

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentrun/stream"
)

// world is a private place for runs of the product: a working directory, a
// home and a folder for temporary files, all empty.
type world struct {
	t    *testing.T
	cwd  string
	home string
	tmp  string
	env  []string  // more variables
	in   io.Reader // our stdin; nil is /dev/null
}

func newWorld(t *testing.T) *world {
	t.Helper()
	top := t.TempDir()
	w := &world{t: t, cwd: filepath.Join(top, "cwd"), home: filepath.Join(top, "home"), tmp: filepath.Join(top, "tmp")}
	for _, dir := range []string{w.cwd, w.home, w.tmp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// write puts a file into the working directory.
func (w *world) write(name, content string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(w.cwd, name), []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// outcome is what one command line gave.
type outcome struct {
	status int
	stdout []byte
	stderr string
	chunks []stream.Chunk // of a run with --output chunks
}

// command is the product with that command line, not yet started.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, built.agentrun, args...)
	c.Dir = w.cwd
	c.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "TMPDIR=" + w.tmp, "XDG_CACHE_HOME=" + built.cache,
	}, w.env...)
	c.WaitDelay = 5 * time.Second // nobody may hold our stdout after the end
	return c
}

// run runs the product to its end.
func (w *world) run(args ...string) outcome {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patience)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := w.command(ctx, args...)
	c.Stdin, c.Stdout, c.Stderr = w.in, &stdout, &stderr
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("agentrun %q: %v\n%s", args, err, &stderr)
	}
	return outcome{status: c.ProcessState.ExitCode(), stdout: stdout.Bytes(), stderr: stderr.String()}
}

// stream runs `agentrun run --output chunks` and holds what came out against
// every rule that needs no knowledge of the case.
func (w *world) stream(args ...string) outcome {
	w.t.Helper()
	out := w.run(append([]string{"run", "--output", "chunks"}, args...)...)
	out.chunks = w.check(out, slices.Contains(args, "--deltas"))
	return out
}

// check holds a finished run against the rules, and returns its chunks.
func (w *world) check(out outcome, deltas bool) []stream.Chunk {
	w.t.Helper()
	if err := Valid("chunk", out.stdout); err != nil {
		w.t.Errorf("schema: %v", err)
	}
	chunks, err := Chunks(out.stdout)
	if err != nil {
		w.t.Fatalf("%v\nstdout: %.2000s\nstderr: %s", err, out.stdout, out.stderr)
	}
	if err := Order(chunks, out.status, deltas); err != nil {
		w.t.Errorf("order: %v", err)
	}
	if len(chunks) == 0 {
		w.t.Fatalf("no output; exit status %d\n%s", out.status, out.stderr)
	}
	if left := marked(metadata(chunks[0]).RunID); len(left) > 0 {
		w.t.Errorf("processes left: %v", left)
	}
	if left := leftFiles(metadata(chunks[0]).RunID); len(left) > 0 {
		w.t.Errorf("private folder left: %q", left)
	}
	if told := strings.Count("\n"+out.stderr, "\nagentrun: error: "); told != errorsTold(out.status) {
		w.t.Errorf("exit status %d and %d errors on stderr: %s", out.status, told, out.stderr)
	}
	return chunks
}

// leftFiles are the private folder of a run, and its lock.
func leftFiles(run string) []string {
	left, _ := filepath.Glob(filepath.Join(built.cache, "agentrun/runs", run+"*"))
	return left
}

// errorsTold is how many errors are told with an exit status: none for success and for an end by signal.
func errorsTold(status int) int {
	switch status {
	case 0, 129, 130, 131, 141, 143:
		return 0
	}
	return 1
}

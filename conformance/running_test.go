package conformance

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"agentrun/stream"
)

// running is a run that has not ended yet.
type running struct {
	w      *world
	cmd    *exec.Cmd
	stdout *buffer
	stderr *buffer
	done   chan struct{}
}

// buffer collects output while it is read.
type buffer struct {
	mu   sync.Mutex
	data bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.data.Write(p)
}

func (b *buffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.data.Bytes())
}

// start starts `agentrun run --output chunks`; the test's end ends it.
func (w *world) start(args ...string) *running {
	w.t.Helper()
	return w.launch(append([]string{"run", "--output", "chunks"}, args...)...)
}

// launch is start with any command of the product.
func (w *world) launch(args ...string) *running {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	r := &running{w: w, stdout: &buffer{}, stderr: &buffer{}, done: make(chan struct{})}
	r.cmd = w.command(ctx, args...)
	r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = w.in, r.stdout, r.stderr
	if err := r.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait() // how it ended is in ProcessState
	}()
	w.t.Cleanup(func() {
		cancel()
		<-r.done
	})
	return r
}

// id is the run's id, once its first line is out.
func (r *running) id() string {
	line, _, whole := bytes.Cut(r.stdout.bytes(), []byte("\n"))
	if !whole {
		return ""
	}
	chunks, err := Chunks(append(line, '\n'))
	if err != nil || len(chunks) != 1 {
		r.w.t.Fatalf("the first line: %v: %s", err, line)
	}
	return metadata(chunks[0]).RunID
}

// await waits for a process of the run whose command line has the words.
func (r *running) await(t *testing.T, words ...string) {
	t.Helper()
	Eventually(t, "the process "+strings.Join(words, ", "), func() bool {
		select {
		case <-r.done:
			t.Fatalf("ended too early: %s\n%s", r.stderr.bytes(), r.stdout.bytes())
		default:
		}
		id := r.id()
		return id != "" && runs(marked(id), words)
	})
}

// runs reports whether each of the words is in some process's command line.
func runs(list []process, words []string) bool {
	for _, w := range words {
		found := false
		for _, p := range list {
			found = found || strings.Contains(p.args, w)
		}
		if !found {
			return false
		}
	}
	return true
}

// signal sends it to agentrun alone.
func (r *running) signal(sig syscall.Signal) {
	r.w.t.Helper()
	if err := r.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		r.w.t.Fatal(err)
	}
}

// wait waits for the end and returns the exit status; 128 and the signal when one ended it.
func (r *running) wait() int {
	<-r.done
	if s, ok := r.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return r.cmd.ProcessState.ExitCode()
}

// chunks are those that are out.
func (r *running) chunks() []stream.Chunk {
	data := r.stdout.bytes()
	chunks, err := Chunks(data[:bytes.LastIndexByte(data, '\n')+1])
	if err != nil {
		r.w.t.Fatal(err)
	}
	return chunks
}

// supervisor is the pid of agentrun's only child, or 0.
func (r *running) supervisor() int {
	self := strconv.Itoa(r.cmd.Process.Pid)
	data, _ := os.ReadFile("/proc/" + self + "/task/" + self + "/children")
	fields := strings.Fields(string(data))
	// Any thread may have started it.
	dirs, _ := os.ReadDir("/proc/" + self + "/task")
	for _, d := range dirs {
		data, _ := os.ReadFile("/proc/" + self + "/task/" + d.Name() + "/children")
		fields = append(fields, strings.Fields(string(data))...)
	}
	if len(fields) == 0 {
		return 0
	}
	pid, _ := strconv.Atoi(fields[0])
	return pid
}

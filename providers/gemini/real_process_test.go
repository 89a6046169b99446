//go:build real

package gemini_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
)

const trickle = `{"turns":[{"parts":[{"text":"Piece {{n}}. ","repeat":20,"chunk":10,"every_ms":100}]}]}`

// With the launcher, a signal to the process that we started changes nothing.
func TestRealLauncherSwallowsSignals(t *testing.T) {
	r := newReal(t, trickle)
	for fence, whole := range map[string]bool{"": false, "launcher": true} {
		_, cmd, env := r.prepare(ask{prompt: "go", noFence: fence})
		child, stderr := r.child(cmd, env)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		seen := readUntil(t, out, `"role":"assistant"`)
		if err := child.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(out)
		_ = child.Wait() // its status says nothing: 0 in both cases
		if got := bytes.Contains(append(seen, rest...), []byte(`"type":"result"`)); got != whole {
			t.Errorf("without fence %q: result %v, want %v\n%s", fence, got, whole, stderr)
		}
	}
}

func readUntil(t *testing.T, r io.Reader, words string) []byte {
	t.Helper()
	var seen []byte
	for buf := make([]byte, 4096); !bytes.Contains(seen, []byte(words)); {
		n, err := r.Read(buf)
		seen = append(seen, buf[:n]...)
		if err != nil {
			t.Fatalf("no %s in %s: %v", words, seen, err)
		}
	}
	return seen
}

// Behind a pipe that nobody empties in time, the end of the stream is lost.
func TestRealPipeLosesOutput(t *testing.T) {
	r := newReal(t, saying)
	_, cmd, env := r.prepare(ask{prompt: strings.Repeat("0123456789 ", 40_000)})
	if whole, _ := r.start(cmd, env); !bytes.Contains(whole, []byte(`"type":"result"`)) {
		t.Errorf("a file lost the result: %d bytes", len(whole))
	}
	child, stderr := r.child(cmd, env)
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stdout = out
	err = child.Run()
	_ = out.Close()
	cut, _ := io.ReadAll(in)
	if err != nil || bytes.Contains(cut, []byte(`"type":"result"`)) {
		t.Errorf("a pipe kept the result: %v, %d bytes\n%s", err, len(cut), stderr)
	}
}

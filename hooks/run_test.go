package hooks

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/policy"
	"agentrun/stream"
)

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// hookThat is a hook that does these things.
func hookThat(acts ...string) Hook {
	return Hook{Path: self(), Args: append([]string{"hook"}, acts...), Place: "config.toml:1:3", Timeout: time.Minute}
}

func hostIn(dir string) Host {
	return Host{Dir: dir, Env: []string{"AGENTRUN_RUN_ID=r1", "PWD=" + dir}, Supervisor: self()}
}

// TestRun: what a hook does, and what that says.
func TestRun(t *testing.T) {
	proceed := stream.HookAnswer{Action: stream.HookProceed}
	block := func(reason string) stream.HookAnswer {
		return stream.HookAnswer{Action: stream.HookBlock, Reason: reason}
	}
	name := filepath.Base(self())
	failed := func(reason string) Result { return Result{HookAnswer: block(reason), Failed: true} }
	for _, c := range []struct {
		name string
		hook Hook
		want Result
	}{
		{"nothing", hookThat(), Result{HookAnswer: proceed}},
		{"words on stderr alone", hookThat("err:hm"), Result{HookAnswer: proceed}},
		{"proceed", hookThat(`out:{"action":"proceed"}`), Result{HookAnswer: proceed}},
		{"block", hookThat(`out:{"action":"block","reason":"no"}`), Result{HookAnswer: block("no")}},
		{"block without a reason", hookThat(`out: {"action":"block"} `), Result{HookAnswer: block("blocked by the hook " + name)}},
		{"status 2", hookThat("out:{", "err:not here", "exit:2"), Result{HookAnswer: block("not here")}},
		{"status 2 without words", hookThat("exit:2"), Result{HookAnswer: block("blocked by the hook " + name)}},
		{
			"modify", hookThat(`out:{"action":"modify","tool_input":{"command":"ls"},"reason":"safer"}`),
			Result{HookAnswer: stream.HookAnswer{Action: stream.HookModify, Reason: "safer", ToolInput: []byte(`{"command":"ls"}`)}},
		},
		{"a refused change", hookThat(`out:{"action":"modify","tool_input":{"refused":1}}`), failed("refused")},
		{"status 1", hookThat("err:oh", "exit:1"), failed("it ended with status 1: oh")},
		{"a signal", hookThat("die"), failed("it was ended by signal 9 (killed)")},
		{"junk", hookThat("out:ok"), failed("its output is not one JSON object")},
		{"two objects", hookThat("out:{}{}"), failed("its output is not one JSON object")},
		{"too much", hookThat("pour", "hang"), failed("it printed more than 1048576 bytes")},
		{"a secret", hookThat("err:the secret", "exit:2"), Result{HookAnswer: block("the [redacted]")}},
		{"many words", hookThat("err:"+strings.Repeat("é", 3000), "exit:2"), Result{HookAnswer: block(strings.Repeat("é", reasonLimit) + "…")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hostIn(t.TempDir())
			h.Supervisor = "" // the tests of ends have one
			h.Clean = func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }
			got := h.Run(t.Context(), c.hook, stream.HookInput{Event: stream.HookBeforeTool}, func(a stream.HookAnswer) error {
				if strings.Contains(string(a.ToolInput), "refused") {
					return errors.New("refused")
				}
				return nil
			})
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestTold: the input, the variables and the directory of a hook.
func TestTold(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got := hostIn(dir).Run(t.Context(), hookThat("told"), stream.HookInput{Event: stream.HookTurnEnd, RunID: "r1", Provider: "pi", Cwd: dir, Turn: 2}, nil)
	want := `{"event":"turn_end","run_id":"r1","provider":"pi","cwd":"` + dir + `","turn":2}|turn_end|r1|` + dir
	if got.Reason != want || got.Failed {
		t.Errorf("got %+v, want %s", got, want)
	}
}

// TestMissing: a program that went away since it was looked for.
func TestMissing(t *testing.T) {
	hook := hookThat()
	hook.Path = filepath.Join(t.TempDir(), "none")
	got := hostIn(t.TempDir()).Run(t.Context(), hook, stream.HookInput{Event: stream.HookBeforeRun}, nil)
	if !got.Failed || got.Action != stream.HookBlock || !strings.Contains(got.Reason, "no such file") {
		t.Errorf("got %+v", got)
	}
}

// TestOnFailure: what follows is the event's own, or what the user says.
func TestOnFailure(t *testing.T) {
	for event, want := range map[stream.HookEvent]stream.HookAction{
		stream.HookBeforeRun: stream.HookBlock, stream.HookBeforeTool: stream.HookBlock, stream.HookOnRequest: stream.HookBlock,
		stream.HookAfterTool: stream.HookProceed, stream.HookOnError: stream.HookProceed, stream.HookTurnEnd: stream.HookProceed, stream.HookAfterRun: stream.HookProceed,
	} {
		h := Hook{}
		if got := h.onFailure(event); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
		for _, say := range []stream.HookAction{stream.HookBlock, stream.HookProceed} {
			if h.OnFailure = say; h.onFailure(event) != say {
				t.Errorf("%s: not %s, as the user says", event, say)
			}
		}
	}
}

// fifo makes a pipe and returns what reads it to its end: every process that holds it is gone then.
func fifo(t *testing.T) (path string, held, gone func() error) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var r *bufio.Reader
	held = func() error {
		f, err := os.Open(path) // when somebody holds it
		if err != nil {
			return err
		}
		t.Cleanup(func() { f.Close() })
		r = bufio.NewReader(f)
		_, err = r.ReadString('\n')
		return err
	}
	return path, held, func() error { _, err := io.Copy(io.Discard, r); return err }
}

// TestTimeIsUp: a hook that does not end, deaf to all, is ended with all of its children.
func TestTimeIsUp(t *testing.T) {
	path, held, gone := fifo(t)
	hook := hookThat("deaf", "hold:"+path, "hang")
	hook.Timeout = 300 * time.Millisecond
	h := hostIn(t.TempDir())
	done := make(chan Result, 1)
	go func() { done <- h.Run(t.Context(), hook, stream.HookInput{Event: stream.HookAfterTool}, nil) }()
	if err := errors.Join(held(), gone()); err != nil {
		t.Fatal(err)
	}
	want := Result{HookAnswer: stream.HookAnswer{Action: stream.HookProceed, Reason: "it took longer than 300ms"}, Failed: true}
	if diff := cmp.Diff(want, <-done); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestVoid: the answer is no longer wanted.
func TestVoid(t *testing.T) {
	path, held, gone := fifo(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() {
		done <- hostIn(t.TempDir()).Run(ctx, hookThat("hold:"+path, "hang"), stream.HookInput{Event: stream.HookBeforeTool}, nil)
	}()
	if err := held(); err != nil {
		t.Fatal(err)
	}
	cancel()
	if got := <-done; !got.Void || got.Action != "" {
		t.Errorf("got %+v", got)
	}
	if err := gone(); err != nil {
		t.Fatal(err)
	}
}

// TestBackground: a hook that ends leaves nothing behind.
func TestBackground(t *testing.T) {
	path, held, gone := fifo(t)
	end, _, _ := fifo(t)
	done := make(chan Result, 1)
	go func() {
		done <- hostIn(t.TempDir()).Run(t.Context(), hookThat("hold:"+path, "await:"+end), stream.HookInput{Event: stream.HookAfterTool}, nil)
	}()
	if err := errors.Join(held(), os.WriteFile(end, nil, 0), gone()); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Failed || got.Action != stream.HookProceed {
		t.Errorf("got %+v", got)
	}
}

// TestKilledHost: nothing of a hook is left when we are killed.
func TestKilledHost(t *testing.T) {
	path, held, gone := fifo(t)
	c := exec.CommandContext(t.Context(), self(), "host", path) //nolint:forbidigo // procs.Run would end what it leaves
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := held(); err != nil {
		t.Fatal(err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	if err := gone(); err != nil {
		t.Fatal(err)
	}
}

func TestWants(t *testing.T) {
	h := Hook{Events: []stream.HookEvent{stream.HookBeforeTool, stream.HookTurnEnd}, Tools: []policy.Glob{policy.NewGlob("mcp__*"), policy.NewGlob("Bash")}}
	for _, c := range []struct {
		event stream.HookEvent
		tool  string
		want  bool
	}{
		{stream.HookBeforeTool, "Bash", true},
		{stream.HookBeforeTool, "mcp__x", true},
		{stream.HookBeforeTool, "BashOutput", false},
		{stream.HookAfterTool, "Bash", false},
		{stream.HookTurnEnd, "", true}, // it is about no tool
		{stream.HookAfterRun, "", false},
	} {
		if got := h.Wants(c.event, c.tool); got != c.want {
			t.Errorf("%s %s: %v", c.event, c.tool, got)
		}
	}
}

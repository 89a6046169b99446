package providers

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/procs"
	"agentrun/stream"
)

// What the end of the context means, whenever it comes.
func TestRunContext(t *testing.T) {
	byUser := errors.New("ended by signal 2")
	byHost := Errorf(Limit, ReasonMaxCost, "too much money")
	tests := []struct {
		name  string
		acts  []string
		cause error
		after string // the line after which it ends, "" before the start
		want  shown
	}{
		{"before the start", []string{"out:" + hello}, byUser, "", shown{Class: Process, Reason: "cancelled", Cancelled: true}},
		{"before the start, by the host", []string{"out:" + hello}, byHost, "", shown{Lines: []string{"error limit"}, Class: Limit, Reason: ReasonMaxCost}},
		{"cancelled", []string{"out:" + hello, "hang"}, byUser, "text hello", shown{Lines: []string{"text hello"}, Class: Process, Reason: "cancelled", Cancelled: true, Final: "hello"}},
		{"cancelled in a record, with descendants", []string{"breed", "out:" + hello, "part:{\"x", "deaf"}, byUser, "text hello", shown{Lines: []string{"text hello"}, Class: Process, Reason: "cancelled", Cancelled: true, Final: "hello"}},
		{"by the host", []string{"out:" + hello, "part:{\"x", "hang"}, byHost, "text hello", shown{Lines: []string{"text hello", "error limit"}, Class: Limit, Reason: ReasonMaxCost, Final: "hello"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			job := standin(t, tt.acts...)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if tt.after == "" {
				cancel(tt.cause)
			}
			got, out := look(func(sink Sink) Outcome {
				return Run(ctx, job, func(c stream.Chunk) error {
					if lineOf(c) == tt.after {
						cancel(tt.cause)
					}
					return sink(c)
				})
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, out.Err)
			}
			if !errors.Is(out.Err, tt.cause) {
				t.Errorf("%v does not name its cause", out.Err)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

// Our reader goes away: nothing more is emitted, and nothing stays.
func TestRunReaderGone(t *testing.T) {
	for _, at := range []string{"run_start", "hello", "background_ended", "result"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			job := standin(t, "breed", "out:"+hello, "out:"+done)
			calls, gone := 0, false
			out := Run(t.Context(), job, func(c stream.Chunk) error {
				if gone {
					t.Errorf("%v came after the reader had gone", c)
				}
				calls++
				gone = c.Content == at || orEmpty(c.Metadata).Notice == at || string(c.Type) == at
				if gone {
					return syscall.EPIPE
				}
				return nil
			})
			if !gone || !out.ReaderGone || out.Cancelled() {
				t.Errorf("after %d chunks: gone %v, outcome %+v", calls, gone, out)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

// A sink that panics leaves no folder either.
func TestRunSinkPanics(t *testing.T) {
	job := standin(t, "out:"+hello, "hang")
	func() {
		defer func() {
			if r := recover(); r != "no" {
				t.Errorf("recovered %v", r)
			}
		}()
		Run(t.Context(), job, func(c stream.Chunk) error {
			if c.Type == stream.Text {
				panic("no")
			}
			return nil
		})
	}()
	isGone(t, job.Request.Dir)
}

func TestRunStartFails(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name   string
		change func(*Job)
		class  Class
		reason string
		hint   string
	}{
		{"missing", func(j *Job) { j.Binary = dir + "/none" }, NotFound, "", "install fake"},
		{"not executable", func(j *Job) { j.Binary = write("plain", "x", 0o600) }, NotFound, "", "FAKE_BIN"},
		{"no interpreter", func(j *Job) { j.Binary = write("script", "#!/nowhere/node\n", 0o700) }, NotFound, "interpreter", "Node.js"},
		{"no program", func(j *Job) { j.Binary = write("other", "\x01\x02", 0o700) }, NotFound, "", "FAKE_BIN"},
		{"argument too long", func(j *Job) { j.Command.Args = []string{strings.Repeat("x", 200<<10)} }, Usage, "argument_too_long", "stdin"},
		{"no directory", func(j *Job) { j.Request.Cwd = dir + "/gone" }, Usage, "path", ""},
		{"no supervisor", func(j *Job) { j.Supervisor = dir + "/none" }, Process, "supervisor", ""},
		{"a supervisor that is none", func(j *Job) { j.Supervisor = "/bin/false" }, Process, "supervisor", ""},
		{"no private folder", func(j *Job) { j.Request.Dir = write("file", "", 0o600) }, Process, "temp", ""},
		{"a file that leads out", func(j *Job) { j.Command.Files = []File{{Name: "../x"}} }, Process, "temp", ""},
		{"stdout file in use", func(j *Job) {
			j.Command.StdoutFile, j.Command.Files = true, []File{{Name: "stdout"}}
		}, Process, "start", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := standin(t, "out:"+done)
			tt.change(&job)
			got, out := job.look(t.Context())
			want := shown{Lines: []string{"error " + string(tt.class)}, Class: tt.class, Reason: tt.reason}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-want +got):\n%s\n%v", diff, out.Err)
			}
			if !strings.Contains(out.Err.Hint, tt.hint) || out.Terminal.Metadata.ExitStatus != nil {
				t.Errorf("hint %q, metadata %+v", out.Err.Hint, out.Terminal.Metadata)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

// A script that finds its interpreter by env(1), as the vendors' do, starts and ends with 127.
func TestRunNoInterpreter(t *testing.T) {
	job := standin(t)
	job.Binary = filepath.Join(t.TempDir(), "script")
	for _, tt := range []struct {
		line   string
		class  Class
		reason string
	}{
		{"#!/usr/bin/env no-such-program\n", NotFound, "interpreter"},
		{"#!/bin/sh\necho 'an env: of another status' >&2; exit 1\n", Protocol, ReasonIncomplete},
		{"#!/bin/sh\necho 'sh: x: not found' >&2; exit 127\n", Protocol, ReasonIncomplete},
		{"#!/bin/sh\necho '{}'; echo 'env: too late' >&2; exit 127\n", Protocol, ReasonIncomplete},
	} {
		if err := os.WriteFile(job.Binary, []byte(tt.line), 0o700); err != nil {
			t.Fatal(err)
		}
		if got, out := job.look(t.Context()); got.Class != tt.class || got.Reason != tt.reason {
			t.Errorf("%q: %s %s: %v", tt.line, got.Class, got.Reason, out.Err)
		}
	}
}

// Who looks after the vendor is killed: what was said by then decides.
func TestRunSupervisorKilled(t *testing.T) {
	tests := []struct {
		name, settled string
		want          shown
	}{
		{"all was said", "true", shown{Lines: []string{"text hello", "system warning", "result"}, Completed: true, Final: "hello"}},
		{"not all", "false", shown{Lines: []string{"text hello", "error process"}, Class: Process, Reason: "supervisor", Final: "hello"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			job := standin(t, "out:"+hello, "parent:"+tt.settled, "hang")
			got, out := look(func(sink Sink) Outcome {
				return Run(t.Context(), job, func(c stream.Chunk) error {
					if c.Type != stream.Thinking {
						return sink(c)
					}
					pid, err := strconv.Atoi(c.Content)
					if err != nil {
						return err
					}
					return syscall.Kill(pid, syscall.SIGKILL)
				})
			})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%v", diff, out.Err)
			}
			if out.Err != nil && !out.Err.Retryable {
				t.Errorf("it may not be tried again: %v", out.Err)
			}
			isGone(t, job.Request.Dir)
		})
	}
}

// A clean-up that failed is told, and changes no verdict.
func TestCleanupFails(t *testing.T) {
	left := fmt.Errorf("%w (also: %w)", &procs.LeftError{Pids: []int{7, 8}}, errors.New("something else"))
	tests := []struct {
		name string
		ctx  error // why it ended
		exit procs.Exit
		want []string
	}{
		{"a good run", nil, procs.Exit{Started: true}, []string{"2 processes could not be ended: [7 8]"}},
		{"a bad one", nil, procs.Exit{Started: true, Code: 3}, []string{"2 processes could not be ended: [7 8]"}},
		{"a cancelled one", errors.New("no"), procs.Exit{Started: true, Ended: true, Background: 2}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(tt.ctx)
			var told []string
			s := settle{loop: newLoop(&fakeMapper{}, Options{}, false, func(c stream.Chunk) error {
				told = append(told, c.Content)
				return nil
			})}
			s.processEnded(ctx, Job{}, tt.exit, left)
			if diff := cmp.Diff(tt.want, told); diff != "" || s.startErr != nil || s.exit.Code != tt.exit.Code {
				t.Errorf("%v, exit %+v (-want +got):\n%s", s.startErr, s.exit, diff)
			}
		})
	}
}

// What is said of a vendor that stayed: how it ended then is our doing, and not told.
func TestRunEndedLate(t *testing.T) {
	for want, acts := range map[string][]string{
		"the vendor stayed after its terminal record and was ended":   {`out:{"done":true,"fail":"auth"}`, "hang"},
		"the vendor stayed after the end of its output and was ended": {"out:" + hello, "part:{\"do", "mute", "deaf"},
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			job := standin(t, acts...)
			job.Options.Clocks.Exit = soon
			told := ""
			out := Run(t.Context(), job, func(c stream.Chunk) error {
				if orEmpty(c.Metadata).Notice == stream.NoticeEndedLate {
					told = c.Content
				}
				return nil
			})
			if meta := out.Terminal.Metadata; told != want || meta.ExitStatus != nil || meta.Signal != "" {
				t.Errorf("told %q, metadata %+v", told, meta)
			}
		})
	}
}

// How the vendor's process ended is told, where there was one and the end was its own.
func TestVendorEnd(t *testing.T) {
	for _, tt := range []struct {
		acts   []string
		status *int
		signal string
	}{
		{[]string{`out:{"done":true,"fail":"auth"}`}, new(0), ""},
		{[]string{`out:{"done":true,"fail":"auth"}`, "exit:3"}, new(3), ""},
		{[]string{`out:{"done":true,"fail":"auth"}`, "die"}, nil, "SIGKILL"},
	} {
		_, out := standin(t, tt.acts...).look(t.Context())
		if diff := cmp.Diff(tt.status, out.Terminal.Metadata.ExitStatus); diff != "" || out.Terminal.Metadata.Signal != tt.signal {
			t.Errorf("%v: signal %q, status (-want +got):\n%s", tt.acts, out.Terminal.Metadata.Signal, diff)
		}
	}
	_, killed := standin(t, "out:"+hello, "part:{\"do", "die").look(t.Context())
	if killed.Err == nil || killed.Err.Reason != ReasonSignal || !killed.Err.Retryable {
		t.Errorf("ended by a signal: %+v", killed.Err)
	}
	_, out := playing(after(0, `{"done":true,"fail":"auth"}`)).look(t.Context())
	if m := out.Terminal.Metadata; m.ExitStatus != nil || m.Signal != "" {
		t.Errorf("without a process: %+v", m)
	}
}

// A failure has words, and says when it may be tried again where that is known.
func TestFailure(t *testing.T) {
	s := settle{provider: About{Title: "Fake"}, loop: &loop{}}
	c := s.failure(&Error{Class: Quota, Message: " \n", RetryAfter: 1500 * time.Millisecond}, stream.Metadata{})
	if m := c.Metadata; c.Content != "Fake failed and did not say why" || m.RetryAfter == nil || *m.RetryAfter != 1.5 || *m.Retryable {
		t.Errorf("got %q, %+v", c.Content, m)
	}
	c = s.failure(&Error{Class: Agent, Message: "no", Retryable: true}, stream.Metadata{})
	if m := c.Metadata; c.Content != "no" || m.RetryAfter != nil || !*m.Retryable {
		t.Errorf("got %q, %+v", c.Content, m)
	}
}

// A clock that ran out just as the vendor ended by itself does not matter.
func TestHostFault(t *testing.T) {
	clock := Errorf(Timeout, ReasonIdle, "too slow")
	cut := Errorf(Protocol, ReasonIncomplete, "cut")
	tests := []struct {
		name    string
		endedBy error
		fault   *Error
		start   *Error
		exit    Exit
		want    Class // "" is none
	}{
		{name: "nothing"},
		{name: "a fault", fault: cut, want: Protocol},
		{name: "a fault and a signal", fault: cut, exit: Exit{Code: -1, Signal: "SIGKILL"}, want: Process},
		{name: "a broken record and a signal", fault: Errorf(Protocol, ReasonMalformed, "x"), exit: Exit{Code: -1, Signal: "SIGKILL"}, want: Protocol},
		{name: "a clock", endedBy: clock, want: Timeout},
		{name: "a clock, then a fault", endedBy: clock, fault: cut, want: Timeout},
		{name: "late", endedBy: errLate},
		{name: "a fault, then late", endedBy: errLate, fault: cut, want: Protocol},
		{name: "no start", start: Errorf(NotFound, "", "x"), endedBy: clock, want: NotFound},
		{name: "a signal to us", endedBy: errors.New("SIGINT"), fault: cut, want: Process},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := settle{endedBy: tt.endedBy, startErr: tt.start, exit: tt.exit, loop: &loop{fault: tt.fault}}
			var got Class
			if err := s.hostFault(); err != nil {
				got = err.Class
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

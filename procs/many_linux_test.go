package procs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// settled waits until the number of goroutines is back, or for good.
func settled(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if now := runtime.NumGoroutine(); now > before {
		stacks := make([]byte, 1<<16)
		t.Errorf("%d goroutines, before %d:\n%s", now, before, stacks[:runtime.Stack(stacks, true)])
	}
}

// TestMany runs many at once, and leaves nothing open and nothing running.
func TestMany(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		if _, _, err := runAll(t, as(t, supervisor, "exit", "0")); err != nil { // what Go starts once
			t.Fatal(err)
		}
		goroutines, files := runtime.NumGoroutine(), openFiles(t)
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				spec := as(t, supervisor, "echo")
				spec.Stdin = []byte(strings.Repeat(fmt.Sprint(i), 50_000))
				out, exit, err := runAll(t, spec)
				if err != nil || exit.Code != 0 || out != string(spec.Stdin) {
					t.Errorf("run %d: %d bytes, %+v, %v", i, len(out), exit, err)
				}
			})
		}
		all.Wait()
		settled(t, goroutines)
		if now := openFiles(t); now != files {
			t.Errorf("%d open files, before %d", now, files)
		}
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
			t.Errorf("a child was not reaped: %d, %v", pid, err)
		}
	})
}

// TestPanic ends the child when read panics.
func TestPanic(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		spec := as(t, supervisor, "vendor", "hangs", "daemon", "-")
		spec.Mark, spec.Grace = fmt.Sprintf("PROCS_TEST=panic%d", os.Getpid()), 50*time.Millisecond
		func() {
			defer func() {
				if r := recover(); r != "read panics" {
					t.Errorf("recovered %v", r)
				}
			}()
			_, _ = Run(t.Context(), spec, func(o *Output) error {
				_, _ = o.Read(make([]byte, 100))
				panic("read panics")
			})
		}()
		if left := marked(spec.Mark); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
}

// TestEarlyReturn ends a child that goes on writing, and lets it say its last
// words although nobody wants them.
func TestEarlyReturn(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		spec := as(t, supervisor, "pours")
		spec.Grace = time.Minute
		exit, err := Run(t.Context(), spec, func(o *Output) error {
			_, err := o.Read(make([]byte, 10))
			return err
		})
		if err != nil || !exit.Ended || exit.Code != 7 {
			t.Errorf("got %+v, %v", exit, err)
		}
	})
}

// TestOverstays ends a child that closed its stdout and stays.
func TestOverstays(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		spec := as(t, supervisor, "mutes")
		spec.ExitGrace = time.Millisecond
		out, exit, err := runAll(t, spec)
		if err != nil || out != "all\n" || !exit.Ended || exit.Signal != syscall.SIGTERM {
			t.Errorf("got %q, %+v, %v", out, exit, err)
		}
	})
}

// TestPause stops and continues the child and its tool.
func TestPause(t *testing.T) {
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		pause := make(chan bool)
		spec := as(t, supervisor, "vendor", "polite", "session", "-")
		spec.Mark, spec.Pause, spec.Grace = fmt.Sprintf("PROCS_TEST=pause%d", os.Getpid()), pause, time.Second
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err := Run(ctx, spec, func(o *Output) error {
			var child, parent int
			if _, err := fmt.Fscanf(o, "%d %d\nthe text\n", &child, &parent); err != nil {
				return err
			}
			for _, stop := range []bool{true, false, true} {
				pause <- stop
				await(t, child, stop)
			}
			cancel() // a stopped child hears the polite end
			rest, err := io.ReadAll(o)
			if string(rest) != "the last words\n" {
				t.Errorf("read %q", rest)
			}
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// await waits until a process is stopped, or is not.
func await(t *testing.T, pid int, stopped bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Error(err)
			return
		}
		_, after, _ := strings.Cut(string(stat), ") ")
		if strings.HasPrefix(after, "T") == stopped {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("stopped is not %v", stopped)
}

// TestStuckSupervisor replaces a supervisor that does not do its work.
func TestStuckSupervisor(t *testing.T) {
	if testing.Short() {
		t.Skip("takes the 6 s that a supervisor is given")
	}
	hurry := make(chan struct{})
	spec := as(t, self, "vendor", "hangs", "daemon", "-")
	spec.Mark, spec.Hurry = fmt.Sprintf("PROCS_TEST=stuck%d", os.Getpid()), hurry
	_, err := Run(t.Context(), spec, func(o *Output) error {
		var child, supervisor int
		if _, err := fmt.Fscanf(o, "%d %d\nthe text\n", &child, &supervisor); err != nil {
			return err
		}
		if err := syscall.Kill(supervisor, syscall.SIGSTOP); err != nil {
			return err
		}
		close(hurry)
		_, err := io.ReadAll(o)
		return err
	})
	if !errors.Is(err, ErrSupervisorLost) {
		t.Errorf("got %v", err)
	}
	if left := marked(spec.Mark); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

package procs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var errRead = errors.New("the reader has seen enough")

// fault is one way for a run to end.
type fault struct {
	name      string
	behaviour string
	// strike is called when the text was read; its error is what read returns.
	strike func(*scene) error
	check  func(Exit, error) string
	words  string // what else is read
	alone  bool   // also without a supervisor
}

// scene is one run of the matrix.
type scene struct {
	cancel     context.CancelFunc
	hurry      chan struct{}
	supervisor int
	child      int
}

func cancelled(s *scene) error { s.cancel(); return nil }

func faults() []fault {
	return []fault{
		{"normal end", "ends", nil, func(e Exit, err error) string {
			return expect(err == nil && e.Code == 0 && !e.Ended)
		}, "", true},
		{"crash", "crashes", nil, func(e Exit, err error) string {
			return expect(err == nil && e.Signal == syscall.SIGKILL && !e.Ended)
		}, "", true},
		{"cancelled, polite", "polite", cancelled, func(e Exit, err error) string {
			return expect(errors.Is(err, context.Canceled) && e.Code == 7 && e.Ended)
		}, "the last words\n", true},
		{"cancelled, hangs", "hangs", cancelled, func(e Exit, err error) string {
			return expect(errors.Is(err, context.Canceled) && e.Signal == syscall.SIGTERM && e.Ended)
		}, "", true},
		{"ignores TERM", "stubborn", cancelled, func(e Exit, err error) string {
			return expect(errors.Is(err, context.Canceled) && e.Signal == syscall.SIGKILL && e.Ended)
		}, "", true},
		{"hurry", "stubborn", func(s *scene) error { s.cancel(); close(s.hurry); return nil }, func(e Exit, err error) string {
			return expect(errors.Is(err, context.Canceled) && e.Signal == syscall.SIGKILL && e.Ended)
		}, "", true},
		{"read error", "polite", func(*scene) error { return errRead }, func(e Exit, err error) string {
			return expect(errors.Is(err, errRead) && e.Code == 7 && e.Ended)
		}, "", true},
		{"supervisor killed", "hangs", func(s *scene) error { return syscall.Kill(s.supervisor, syscall.SIGKILL) }, func(e Exit, err error) string {
			return expect(errors.Is(err, ErrSupervisorLost) && e.Signal == syscall.SIGKILL)
		}, "", false},
	}
}

func expect(ok bool) string {
	if ok {
		return ""
	}
	return "exit"
}

func kinds() []string {
	return []string{"bare-daemon", "none", "plain", "group", "session", "daemon", "holder"}
}

// TestFaults ends runs in every way, with every kind of descendant, and looks
// for what is left by the mark of each run.
func TestFaults(t *testing.T) {
	for _, supervisor := range []string{self, ""} {
		var table strings.Builder
		fmt.Fprintf(&table, "supervisor %q\n%-20s", supervisor, "")
		for _, kind := range kinds() {
			fmt.Fprintf(&table, "%-12s", kind)
		}
		for _, f := range faults() {
			if supervisor == "" && !f.alone {
				continue
			}
			fmt.Fprintf(&table, "\n%-20s", f.name)
			problems := sufferAll(t, supervisor, f)
			if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
				t.Errorf("%s, supervisor %q: a child was not reaped: %v, %v", f.name, supervisor, pid, err)
			}
			for i, kind := range kinds() {
				word := "ok"
				if problems[i] != "" {
					word, _, _ = strings.Cut(problems[i], " ")
					t.Errorf("%s, %s, supervisor %q: %s", f.name, kind, supervisor, problems[i])
				}
				fmt.Fprintf(&table, "%-12s", word)
			}
		}
		t.Log(table.String())
	}
}

// sufferAll runs one row of the matrix, all at once. An orphan without a mark
// cannot be told from another run's when there is no supervisor: see Run.
func sufferAll(t *testing.T, supervisor string, f fault) []string {
	t.Helper()
	problems := make([]string, len(kinds()))
	var cells sync.WaitGroup
	for i, kind := range kinds() {
		if supervisor == "" && kind == "bare-daemon" {
			problems[i] = suffer(t, supervisor, f, kind)
			continue
		}
		cells.Go(func() { problems[i] = suffer(t, supervisor, f, kind) })
	}
	cells.Wait()
	return problems
}

// suffer runs one cell of the matrix and says what went wrong.
func suffer(t *testing.T, supervisor string, f fault, kind string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s := &scene{cancel: cancel, hurry: make(chan struct{})}
	token := fmt.Sprintf("t%d-%d", os.Getpid(), time.Now().UnixNano())
	spec := as(t, supervisor, "vendor", f.behaviour, kind, token)
	spec.Mark, spec.Hurry, spec.Grace = "PROCS_TEST="+token, s.hurry, 700*time.Millisecond
	if f.behaviour == "polite" {
		spec.Grace = 5 * time.Second // for a child that will end, however busy the machine
	}
	if f.name == "hurry" {
		spec.Grace = time.Hour
	}
	var words string
	exit, err := Run(ctx, spec, func(o *Output) error {
		in := bufio.NewReader(o)
		if _, err := fmt.Fscanf(in, "%d %d\nthe text\n", &s.child, &s.supervisor); err != nil {
			return fmt.Errorf("the text before the fault: %w", err)
		}
		if f.strike != nil {
			if err := f.strike(s); err != nil {
				return err
			}
		}
		rest, err := io.ReadAll(in)
		words = string(rest)
		return err
	})
	if left := marked(token); len(left) > 0 {
		return fmt.Sprintf("left %v (%v)", left, err)
	}
	if problem := f.check(exit, err); problem != "" {
		return fmt.Sprintf("%s %+v, %v", problem, exit, err)
	}
	if words != f.words {
		return fmt.Sprintf("text %q", words)
	}
	if exit.Pid != s.child || exit.GaveUp {
		return fmt.Sprintf("exit %+v", exit)
	}
	return ""
}

// marked lists the processes of a run, found by its token in their environment
// or, for those without one, among their arguments.
func marked(token string) []string {
	var list []string
	for _, pattern := range []string{"/proc/[0-9]*/environ", "/proc/[0-9]*/cmdline"} {
		files, _ := filepath.Glob(pattern)
		for _, name := range files {
			content, _ := os.ReadFile(name)
			if strings.Contains(string(content), token) {
				list = append(list, name)
			}
		}
	}
	return list
}

// TestHostKilled kills the process that called Run: the supervisor ends the
// rest, and removes the run's private folder.
func TestHostKilled(t *testing.T) {
	adopt() // what the host leaves comes to us, and can be waited for
	for _, behaviour := range []string{"hangs", "stubborn", "polite"} {
		for _, kind := range kinds() {
			t.Run(behaviour+"/"+kind, func(t *testing.T) {
				token := fmt.Sprintf("h%d-%d", os.Getpid(), time.Now().UnixNano())
				private := t.TempDir() + "/run"
				if err := os.MkdirAll(private+"/sub", 0o700); err != nil {
					t.Fatal(err)
				}
				killHost(t, behaviour, kind, token, private, nil)
				awaitLock(t, private)
				if left := marked(token); len(left) > 0 {
					t.Errorf("the lock that was held is free, and there is: %v", left)
				}
				reapAll()
				if left := marked(token); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
				if _, err := os.Stat(private); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the private folder is still there: %v", err)
				}
			})
		}
	}
}

// killHost starts a host that runs a vendor, and kills it when the text is
// there, after what else is to happen then.
func killHost(t *testing.T, behaviour, kind, token, private string, before func(host, supervisor int) error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	spec := as(t, "", "host", behaviour, kind, token, private)
	pid, err := syscall.ForkExec(spec.Path, append([]string{"host"}, spec.Args...), &syscall.ProcAttr{
		Files: []uintptr{0, w.Fd(), 2},
	})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var child, supervisor int
	if _, err := fmt.Fscanf(bufio.NewReader(r), "%d %d\nthe text\n", &child, &supervisor); err != nil {
		t.Errorf("the text before the fault: %v", err)
	}
	if before != nil {
		if err := before(pid, supervisor); err != nil {
			t.Error(err)
		}
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// awaitLock returns when nobody has the lock of a host.
func awaitLock(t *testing.T, private string) {
	t.Helper()
	f, err := lock(private)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

// lock takes the lock that a host with such a private folder holds.
func lock(private string) (*os.File, error) {
	f, err := os.OpenFile(private+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
	}
	return f, err
}

// host runs a vendor, holding a lock, and passes on what it says.
func host(args []string) int {
	path, _ := os.Executable()
	held, err := lock(args[3])
	if err != nil {
		return 2
	}
	spec := Spec{
		Path: path, Args: []string{"role", "vendor", args[0], args[1], args[2]}, Supervisor: self,
		Mark: "PROCS_TEST=" + args[2], Grace: 100 * time.Millisecond, Cleanup: []string{args[3]}, Hold: []*os.File{held},
	}
	_, err = Run(context.Background(), spec, func(o *Output) error {
		_, err := io.Copy(os.Stdout, o)
		return err
	})
	fmt.Fprintln(os.Stderr, "the host was not killed:", err)
	return 1
}

// TestBothKilled kills the supervisor and its host before either can act: the
// child still dies; for what it had started nothing is promised.
func TestBothKilled(t *testing.T) {
	adopt()
	token := fmt.Sprintf("b%d-%d", os.Getpid(), time.Now().UnixNano())
	killHost(t, "stubborn", "none", token, t.TempDir(), func(host, supervisor int) error {
		return errors.Join(syscall.Kill(host, syscall.SIGSTOP), syscall.Kill(supervisor, syscall.SIGKILL))
	})
	reapAll()
	if left := marked(token); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// reapAll returns when this process has no children: what a killed host leaves
// comes to us.
func reapAll() {
	for {
		if _, err := syscall.Wait4(-1, nil, 0, nil); errors.Is(err, syscall.ECHILD) {
			return
		}
	}
}

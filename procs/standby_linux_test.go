package procs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestStandBy: a supervisor that was started ahead keeps the child of the run
// that it is given to, and is gone after it, whatever came of the run.
func TestStandBy(t *testing.T) {
	tests := []struct {
		name  string
		spec  func(*Spec)
		fails bool
	}{
		{"used", func(*Spec) {}, false},
		{"no such directory", func(s *Spec) { s.Dir = "/no/such" }, true},
		{"no such program", func(s *Spec) { s.Path = "/no/such" }, true},
		{"a word that cannot be one", func(s *Spec) { s.Args = append(s.Args, "\x00") }, true},
		{"killed before", func(s *Spec) { _ = syscall.Kill(s.Standby.pid, syscall.SIGKILL) }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			spec := as(t, self, "exit", "3")
			spec.Mark = fmt.Sprintf("PROCS_TEST=ahead%d-%s", os.Getpid(), t.Name())
			var err error
			if spec.Standby, err = StandBy(spec.Supervisor, spec.Mark); err != nil {
				t.Fatal(err)
			}
			pid := spec.Standby.pid
			tt.spec(&spec)
			_, exit, err := runAll(t, spec)
			if _, start := errors.AsType[*StartError](err); start != tt.fails || !tt.fails && exit.Code != 3 {
				t.Errorf("got %+v, %v", exit, err)
			}
			if _, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
				t.Errorf("the supervisor was not waited for: %v", err)
			}
		})
	}
}

// TestStandByDismissed: one that gets no child is ended, once.
func TestStandByDismissed(t *testing.T) {
	var none *Standby
	none.Dismiss()
	s, err := StandBy(self, "PROCS_TEST=dismissed")
	if err != nil {
		t.Fatal(err)
	}
	pid := s.pid
	for range 2 {
		s.Dismiss()
	}
	if _, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("not waited for: %v", err)
	}
	if _, err := StandBy("/no/such", "A=b"); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("no such program: %v", err)
	}
}

// TestStandByHostKilled: it ends with the process that it waits for.
func TestStandByHostKilled(t *testing.T) {
	adopt() // it comes to us, and can be waited for
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	spec := as(t, "", "expectant")
	host, err := syscall.ForkExec(spec.Path, append([]string{"host"}, spec.Args...), &syscall.ProcAttr{Files: []uintptr{0, w.Fd(), 2}})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanln(bufio.NewReader(r), &pid); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(host, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for _, pid := range []int{host, pid} {
		if _, err := syscall.Wait4(pid, nil, 0, nil); err != nil {
			t.Errorf("waiting for %d: %v", pid, err)
		}
	}
}

// expectant has a supervisor stand by for a child that never comes.
func expectant([]string) int {
	s, err := StandBy(self, "PROCS_TEST=expectant")
	if err != nil {
		return 1
	}
	_, _ = io.WriteString(os.Stdout, fmt.Sprintln(s.pid))
	<-time.After(time.Hour)
	return 0
}

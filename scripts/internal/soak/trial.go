package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// trial is one run under way.
type trial struct {
	choice
	cmd    *exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
}

// try makes one run and says what was wrong with it.
func (h *house) try(ctx context.Context, c choice) []string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd, mark, pids := h.command(ctx, c)
	t := &trial{choice: c, cmd: cmd}
	if err := t.play(); err != nil {
		return []string{err.Error()}
	}
	problems := t.judge()
	if t.status() == 128+int(syscall.SIGKILL) {
		problems = append(problems, h.afterKill(t, mark, pids)...)
	} else if t.id() != "" {
		problems = append(problems, left("folders", h.private(t.id()))...)
	}
	problems = append(problems, left("processes", processes(mark, pids))...)
	_ = os.Remove(pids)
	return problems
}

// afterKill waits until the supervisor has cleaned up behind the dead. The lock is
// the next run's to remove, and so is the folder if there was no vendor yet.
func (h *house) afterKill(t *trial, mark, pids string) []string {
	noted, _ := os.ReadFile(pids)
	clean := func() bool {
		return len(processes(mark, pids)) == 0 && (len(noted) == 0 || t.id() == "" || len(folders(h.private(t.id()))) == 0)
	}
	if eventually(clean) {
		return nil
	}
	return left("folders", folders(h.private(t.id())))
}

// play starts the run, strikes, and waits for its end.
func (t *trial) play() error {
	t.cmd.Stderr = &t.stderr
	ours, err := t.connect()
	if err != nil {
		return err
	}
	read := make(chan error, 1)
	if err := t.cmd.Start(); err != nil {
		return err
	}
	if f, ok := t.cmd.Stdout.(*os.File); ok {
		_ = f.Close()
	}
	go func() { read <- t.take(ours) }()
	if t.strike != nil {
		timer := time.NewTimer(t.after)
		<-timer.C
		if err := t.strike(t); err != nil {
			_ = t.cmd.Process.Kill()
			_ = t.cmd.Wait()
			return fmt.Errorf("%w; stdout %.300s; stderr %.300s", err, t.stdout.Bytes(), t.stderr.Bytes())
		}
	}
	_ = t.cmd.Wait() // how it ended is in ProcessState
	if t.reader == takesNothing {
		return ours.Close()
	}
	return <-read
}

// connect gives the run its stdout; what it returns is our end.
func (t *trial) connect() (*os.File, error) {
	if t.reader == fullDisk {
		full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
		t.cmd.Stdout = full
		return nil, err
	}
	r, w, err := os.Pipe()
	t.cmd.Stdout = w
	return r, err
}

func (t *trial) take(r *os.File) error {
	var err error
	switch t.reader {
	case takesAll:
		_, err = io.Copy(&t.stdout, r)
	case leaves:
		b := make([]byte, 1)
		for err == nil && b[0] != '\n' {
			if _, err = r.Read(b); err == nil {
				t.stdout.Write(b)
			}
		}
	case takesNothing, fullDisk:
		return nil
	}
	if cerr := r.Close(); err == nil {
		err = cerr
	}
	return err
}

// status is the exit status as a shell has it.
func (t *trial) status() int {
	if s, ok := t.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return t.cmd.ProcessState.ExitCode()
}

// id is the run's, from the first line; "" when it never came.
func (t *trial) id() string {
	m := regexp.MustCompile(`"run_id":"([0-9a-f]+)"`).FindSubmatch(t.stdout.Bytes())
	if m == nil {
		return ""
	}
	return string(m[1])
}

func (t *trial) judge() []string {
	var problems []string
	if got := t.status(); got != t.kind.status {
		problems = append(problems, fmt.Sprintf("exit status %d, want %d; stderr: %.500s", got, t.kind.status, &t.stderr))
	}
	for _, words := range t.kind.stdout {
		if !bytes.Contains(t.stdout.Bytes(), []byte(words)) {
			problems = append(problems, fmt.Sprintf("stdout has no %s: %.2000s", words, &t.stdout))
		}
	}
	if !strings.Contains(t.stderr.String(), t.kind.stderr) {
		problems = append(problems, fmt.Sprintf("stderr has no %q: %.500s", t.kind.stderr, &t.stderr))
	}
	if whole := t.stdout.Bytes(); t.status() != 137 && len(whole) > 0 && t.reader == takesAll && whole[len(whole)-1] != '\n' {
		problems = append(problems, "stdout ends in the middle of a line")
	}
	return problems
}

func folders(paths []string) []string {
	var list []string
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			list = append(list, p)
		}
	}
	return list
}

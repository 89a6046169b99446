package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// house is where all runs live: one home and one folder for temporary files, so
// that they meet each other there.
type house struct {
	agentrun, standin string
	home, tmp         string
	pids              string // a file for each run, in which the stand-in notes its processes
	mu                sync.Mutex
	count             int
}

// loop runs the choices, so many at a time, and files how they went.
func (h *house) loop(ctx context.Context, list []choice, parallel int, t *tally) {
	next := make(chan choice)
	var workers sync.WaitGroup
	for range min(parallel, len(list)) {
		workers.Go(func() {
			for c := range next {
				began := time.Now()
				problems := h.try(ctx, c)
				t.run(c.kind, time.Since(began), problems)
			}
		})
	}
	for _, c := range list {
		if ctx.Err() != nil {
			break
		}
		next <- c
	}
	close(next)
	workers.Wait()
}

// command is agentrun with the stand-in as claude, not yet started. The mark is
// a variable that all its processes inherit.
func (h *house) command(ctx context.Context, c choice) (cmd *exec.Cmd, mark, pids string) {
	h.mu.Lock()
	h.count++
	n := h.count
	h.mu.Unlock()
	mark = fmt.Sprintf("SOAK_TRIAL=%d-%d", os.Getpid(), n)
	pids = filepath.Join(h.pids, strconv.Itoa(n))
	args := append([]string{"run", "--output", "chunks", "--bin", h.standin, "--vendor-version", "2.1.332"}, c.flags...)
	cmd = exec.CommandContext(ctx, h.agentrun, append(args, "claude", "hello")...)
	cmd.Dir = h.home
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + h.home, "TMPDIR=" + h.tmp,
		"STANDIN=" + c.act, "STANDIN_PIDS=" + pids, mark,
	}, c.env...)
	return cmd, mark, pids
}

// folders are the places of runs' private folders, with and without a cache.
func (h *house) folders() []string {
	without, _ := filepath.Glob(filepath.Join(h.tmp, "agentrun-*"))
	return append(without, filepath.Join(h.home, ".cache/agentrun/runs"))
}

// private is the private folder of a run.
func (h *house) private(run string) []string {
	var found []string
	for _, dir := range h.folders() {
		list, _ := filepath.Glob(filepath.Join(dir, run+"*"))
		found = append(found, list...)
	}
	return found
}

// swept looks for files that are left when all is over. What a killed agentrun
// left is the next run's to remove, once it is a minute old.
func (h *house) swept(ctx context.Context) []string {
	for _, dir := range h.folders() {
		runs, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, run := range runs {
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(run, old, old); err != nil {
				return []string{err.Error()}
			}
		}
	}
	problems := h.try(ctx, choice{kind: kinds()[0]})
	problems = append(problems, left("private folders", h.private(""))...)
	var stray []string
	entries, _ := os.ReadDir(h.tmp)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "agentrun-") {
			stray = append(stray, e.Name())
		}
	}
	return append(problems, left("temporary files", stray)...)
}

func left(what string, list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s left: %.300q", what, list)}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// bench is one run of all measurements.
type bench struct {
	binary, self string
	dir          string // private; removed at the end
	quick        bool
	progress     io.Writer
}

func newBench(binary string, quick bool, progress io.Writer) (*bench, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(binary)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "agentrun-bench-")
	return &bench{binary: path, self: self, dir: dir, quick: quick, progress: progress}, err
}

func (b *bench) close() { _ = os.RemoveAll(b.dir) }

// all measures everything, prints the table and reports whether a target was missed.
func (b *bench) all(out io.Writer) (bool, error) {
	began := time.Now()
	if err := b.writeHead(out); err != nil {
		return false, err
	}
	bad := false
	for _, group := range []func() ([]row, error){
		b.start, b.speed, b.long, b.memory, b.together, b.growth, b.latency, b.crowd, b.size,
	} {
		rows, err := group()
		if err != nil {
			return false, err
		}
		for _, r := range rows {
			bad = bad || r.verdict() == missed
			if err := writeRow(out, r.cells()); err != nil {
				return false, err
			}
		}
	}
	_, err := fmt.Fprintf(out, "\nTook %s.\n", time.Since(began).Round(time.Second))
	return bad, err
}

func (b *bench) writeHead(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%s\n\n", machine(b.quick))
	rule := strings.Fields(strings.Repeat("--- ", len(head())))
	return errors.Join(err, writeRow(out, head()), writeRow(out, rule))
}

// times is how often to measure: fewer times when it is to be quick.
func (b *bench) times(n int) int {
	if b.quick {
		return max(n/4, 3)
	}
	return n
}

// bytes is how much data to use.
func (b *bench) bytes(n int64) int64 {
	if b.quick {
		return n / 4
	}
	return n
}

func (b *bench) say(format string, args ...any) {
	_, _ = fmt.Fprintf(b.progress, "bench: "+format+"\n", args...)
}

// env is the whole environment of what is measured.
func (b *bench) env() []string {
	return []string{"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + b.dir, "TMPDIR=" + b.dir}
}

func (b *bench) agentrun(args ...string) command {
	return command{args: append([]string{b.binary}, args...), env: b.env()}
}

// vendor is a run of a program that behaves like Claude Code.
func (b *bench) vendor(program string, flags ...string) command {
	return b.agentrun(append([]string{"run", "claude", "hi", "--bin", program, "--vendor-version", "2.1.332"}, flags...)...)
}

func (b *bench) timed(c command) func() (sample, error) {
	return func() (sample, error) { return measure(c) }
}

// script writes an executable shell script.
func (b *bench) script(name, text string) (string, error) {
	path := filepath.Join(b.dir, name)
	return path, os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700)
}

// machine says where the numbers come from.
func machine(quick bool) string {
	kind := "full"
	if quick {
		kind = "quick"
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		load = []byte("unknown")
	}
	return fmt.Sprintf("%s run, %s, %s/%s, %d CPUs (%s), load before %s", kind, runtime.Version(), runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), model(), strings.TrimSpace(string(load)))
}

func model() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

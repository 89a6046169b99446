package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// command is one program to measure. Its stdin is empty unless there is a feeder,
// and its stdout goes nowhere.
type command struct {
	args   []string // the program's path first
	env    []string
	stdout *os.File // nil is /dev/null
	stdin  *os.File // nil is /dev/null
}

// sample is what one process used, with all its descendants that were waited for.
type sample struct {
	wall, user, system time.Duration
	rss                int64 // peak of the largest process, in bytes
}

// measure runs a command to its end, which must be a success.
func measure(c command) (sample, error) {
	began := time.Now()
	p, err := begin(c)
	if err != nil {
		return sample{}, err
	}
	return finish(p, c, began)
}

func begin(c command) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	files := []*os.File{null, null, os.Stderr}
	if c.stdin != nil {
		files[0] = c.stdin
	}
	if c.stdout != nil {
		files[1] = c.stdout
	}
	return os.StartProcess(c.args[0], c.args, &os.ProcAttr{Env: c.env, Files: files})
}

func finish(p *os.Process, c command, began time.Time) (sample, error) {
	state, err := p.Wait()
	wall := time.Since(began)
	if err != nil {
		return sample{}, err
	}
	if !state.Success() {
		return sample{}, fmt.Errorf("%v: %v", c.args, state)
	}
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return sample{}, errors.New("no resource usage on this system")
	}
	return sample{wall: wall, user: state.UserTime(), system: state.SystemTime(), rss: usage.Maxrss << 10}, nil
}

// piped runs a command with the output of another as its stdin.
func piped(feeder, c command) (sample, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return sample{}, err
	}
	feeder.stdout, c.stdin = w, r
	from, err := begin(feeder)
	_ = w.Close()
	if err != nil {
		_ = r.Close()
		return sample{}, err
	}
	began := time.Now()
	p, err := begin(c)
	_ = r.Close()
	if err != nil {
		return sample{}, errors.Join(err, from.Kill())
	}
	s, err := finish(p, c, began)
	_, ferr := finish(from, feeder, began)
	return s, errors.Join(err, ferr)
}

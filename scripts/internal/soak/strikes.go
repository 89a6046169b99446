package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// send sends a signal to agentrun alone.
func send(s syscall.Signal) func(*trial) error {
	return func(t *trial) error { return t.cmd.Process.Signal(s) }
}

// intTwice sends the second long enough after the first not to be one with it.
func intTwice(t *trial) error {
	if err := t.cmd.Process.Signal(syscall.SIGINT); err != nil {
		return err
	}
	timer := time.NewTimer(200 * time.Millisecond)
	<-timer.C
	return t.cmd.Process.Signal(syscall.SIGINT)
}

// killSupervisor strikes as soon as there is one that has a child.
func killSupervisor(t *trial) error {
	pid := 0
	if !eventually(func() bool {
		pid = childOf(t.cmd.Process.Pid)
		return pid != 0 && childOf(pid) != 0
	}) {
		return errors.New("no supervisor was seen")
	}
	return syscall.Kill(pid, syscall.SIGKILL)
}

// childOf is the pid of a child of the process, or 0. Any thread may have started it.
func childOf(pid int) int {
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	for _, file := range tasks {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if list := strings.Fields(string(data)); len(list) > 0 {
			child, _ := strconv.Atoi(list[0])
			return child
		}
	}
	return 0
}

// eventually waits until the condition holds, for a minute at most.
func eventually(holds func() bool) bool {
	limit := time.Now().Add(time.Minute)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for ; time.Now().Before(limit); <-tick.C {
		if holds() {
			return true
		}
	}
	return false
}

package procs

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// roles are the programs that the test binary can be.
func roles() map[string]func(args []string) int {
	return map[string]func([]string) int{
		"exit":   func(args []string) int { n, _ := strconv.Atoi(args[0]); return n },
		"echo":   func([]string) int { _, _ = io.Copy(os.Stdout, os.Stdin); return 0 },
		"facts":  facts,
		"floods": floods,
		"vendor": vendor, "tool": tool, "daemonize": daemonize, "host": host,
		"pours": pours, "mutes": mutes, "expectant": expectant,
		"crash": func([]string) int { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} },
	}
}

// facts prints what a child can see of how it was started.
func facts([]string) int {
	for fd := range 3 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		_, _ = fmt.Fprintln(os.Stdout, "fd", fd, flags&unix.O_NONBLOCK, err)
	}
	entries, _ := os.ReadDir("/proc/self/fd")
	var open []string
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err != nil || strings.HasPrefix(target, "anon_inode:") || strings.HasPrefix(target, "/sys/fs/cgroup/") {
			continue // of our own runtime
		}
		open = append(open, target)
	}
	_, _ = fmt.Fprintln(os.Stdout, "open", len(open))
	sid, _ := unix.Getsid(0)
	_, _ = fmt.Fprintln(os.Stdout, "leader", sid == os.Getpid(), unix.Getpgrp() == os.Getpid())
	_, _ = fmt.Fprintln(os.Stdout, "dir", os.Getenv("PWD"), signal.Ignored(syscall.SIGTERM)) //nolint:forbidigo // the environment is what is tested
	return 0
}

// floods writes so many bytes to stdout and to stderr.
func floods(args []string) int {
	for i, f := range []*os.File{os.Stdout, os.Stderr} {
		n, _ := strconv.Atoi(args[i])
		w := bufio.NewWriter(f)
		for j := range n {
			_ = w.WriteByte(byte('a' + j%23))
		}
		if err := w.Flush(); err != nil {
			return 9
		}
	}
	return 0
}

// pours writes until it is asked to end, and then its last words, which fill a
// pipe more than once.
func pours([]string) int {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	line := []byte("and so on\n")
	for left := 20_000; left > 0; {
		if _, err := os.Stdout.Write(line); err != nil {
			return 9
		}
		if len(asked) > 0 {
			left--
		}
	}
	return 7
}

// mutes closes its stdout and stays.
func mutes([]string) int {
	_, _ = fmt.Fprintln(os.Stdout, "all")
	os.Stdout.Close()
	return block()
}

package main

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// ends are the acts about how the process ends, or does not.
func ends() map[string]func() error {
	good := []string{begin(), say("msg_1", "Hello."), result("Hello.")}
	half := []string{begin(), say("msg_1", "Hello.")}
	return map[string]func() error{
		"crash":                 func() error { return after(half, crash) },
		"crash after result":    func() error { return after(good, crash) },
		"killed":                func() error { return after(half, kill) },
		"exit 1":                func() error { return after(half, func() error { return exit(1) }) },
		"exit 3 after result":   func() error { return after(good, func() error { return exit(3) }) },
		"hang silently":         hang,
		"hang":                  func() error { return after(half, hang) },
		"hang in a tool":        func() error { return after(append(half, call("toolu_1")), hang) },
		"hang after result":     func() error { return after(good, hang) },
		"ignore signals":        func() error { return after(half, ignore) },
		"close stdout":          func() error { return after(good, closeStdout) },
		"close stdout too soon": func() error { return after(half, closeStdout) },
	}
}

func after(records []string, end func() error) error {
	if err := print(records...); err != nil {
		return err
	}
	return end()
}

// crash dies by SIGABRT, with last words on stderr.
func crash() error {
	debug.SetTraceback("crash")
	panic("out of luck")
}

// kill is what the system does when memory is short.
func kill() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return err
	}
	return hang()
}

func exit(code int) error {
	os.Exit(code)
	return nil
}

func ignore() error {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	if err := note(); err != nil {
		return err
	}
	return hang()
}

func closeStdout() error {
	if err := os.Stdout.Close(); err != nil {
		return err
	}
	return hang()
}

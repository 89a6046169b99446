package conformance

import (
	"syscall"
	"testing"

	"agentrun/providers"
)

// teardown is a way to end a run from outside.
type teardown struct {
	name   string
	do     func(*testing.T, *running)
	status int
}

func teardowns() []teardown {
	send := func(signals ...syscall.Signal) func(*testing.T, *running) {
		return func(_ *testing.T, r *running) {
			for _, s := range signals {
				r.signal(s)
			}
		}
	}
	return []teardown{
		{"INT", send(syscall.SIGINT), 130},
		{"TERM", send(syscall.SIGTERM), 143},
		{"HUP", send(syscall.SIGHUP), 129},
		{"INT twice", send(syscall.SIGINT, syscall.SIGINT), 130},
		{"KILL", send(syscall.SIGKILL), 137},
		{"KILL of the supervisor", killSupervisor, providers.Process.ExitStatus()},
	}
}

func killSupervisor(t *testing.T, r *running) {
	t.Helper()
	pid := r.supervisor()
	if pid == 0 {
		t.Fatal("agentrun has no child")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

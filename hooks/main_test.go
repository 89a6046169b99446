package hooks

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// TestMain lets the test binary be a hook, and a host that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "hook" {
		os.Exit(act(os.Args[2:])) //nolint:forbidigo // a program of its own
	}
	if len(os.Args) > 1 && os.Args[1] == "host" {
		host(os.Args[2])
	}
	m.Run()
}

// act is a hook: each argument is something that it does.
func act(acts []string) int {
	for _, a := range acts {
		verb, what, _ := strings.Cut(a, ":")
		switch verb {
		case "out":
			_, _ = os.Stdout.WriteString(what)
		case "err":
			fmt.Fprintln(os.Stderr, what)
		case "exit":
			code, _ := strconv.Atoi(what)
			return code
		case "die":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			<-time.After(time.Hour)
		case "pour": // more than a hook may
			_, _ = os.Stdout.WriteString(strings.Repeat("x", outputLimit+1))
		case "deaf":
			signal.Ignore(syscall.SIGTERM)
		case "hold": // has a child that keeps the pipe's end, and says so
			_, _ = syscall.ForkExec(self(), []string{"hook", "hook", "open:" + what, "hang"}, &syscall.ProcAttr{
				Env: os.Environ(), Files: []uintptr{2, 2, 2}, Sys: &syscall.SysProcAttr{Setsid: runtime.GOOS == "linux"}, //nolint:forbidigo // as a child has it
			})
		case "open":
			fd, err := syscall.Open(what, syscall.O_WRONLY, 0)
			if err != nil {
				return 98
			}
			_, _ = syscall.Write(fd, []byte("held\n"))
		case "await": // somebody who writes there
			_, _ = os.ReadFile(what)
		case "hang":
			<-time.After(time.Hour)
		case "told": // answers with what it was told
			input, _ := io.ReadAll(os.Stdin)
			cwd, _ := os.Getwd()
			words := fmt.Sprintf("%s|%s|%s|%s", strings.TrimSpace(string(input)), os.Getenv("AGENTRUN_HOOK"), os.Getenv("AGENTRUN_RUN_ID"), cwd) //nolint:forbidigo // the environment is what is tested
			_ = writeAnswer(stream.HookAnswer{Action: stream.HookBlock, Reason: words})
		default:
			fmt.Fprintln(os.Stderr, "cannot do", a)
			return 99
		}
	}
	return 0
}

func writeAnswer(a stream.HookAnswer) error {
	text, err := ndjson.Marshal(a)
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	return err
}

// host runs a hook that never ends, until it is killed.
func host(fifo string) {
	h := hostIn(os.TempDir())
	h.Run(context.Background(), hookThat("deaf", "hold:"+fifo, "hang"), stream.HookInput{Event: stream.HookAfterRun}, nil)
}

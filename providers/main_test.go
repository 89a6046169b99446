package providers

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary be the vendor's program as well.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "vendor" {
		os.Exit(vendor(os.Args[2:])) //nolint:forbidigo // a program of its own
	}
	m.Run()
}

// vendor is the stand-in program: each argument is something that it does.
func vendor(acts []string) int {
	for _, act := range acts {
		verb, what, _ := strings.Cut(act, ":")
		switch verb {
		case "out":
			_, _ = os.Stdout.WriteString(what + "\n")
		case "part":
			_, _ = os.Stdout.WriteString(what)
		case "err":
			fmt.Fprintln(os.Stderr, what)
		case "exit":
			code, _ := strconv.Atoi(what)
			return code
		case "die":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			<-time.After(time.Hour)
		case "mute":
			os.Stdout.Close()
		case "deaf": // leaves with a status of its own when it is asked to go
			asked := make(chan os.Signal, 1)
			signal.Notify(asked, syscall.SIGTERM)
			<-asked
			return 3
		case "flood": // never stops to say it
			for {
				if _, err := os.Stdout.WriteString(what + "\n"); err != nil {
					return 0
				}
			}
		case "hang":
			<-time.After(time.Hour)
		case "parent": // says who looks after it
			_, _ = fmt.Fprintf(os.Stdout, `{"chunk":{"type":"thinking","content":"%d"},"done":%s}`+"\n", os.Getppid(), what)
		case "breed": // leaves a process of its own behind
			_, _ = syscall.ForkExec("/proc/self/exe", []string{"vendor", "vendor", "hang"}, &syscall.ProcAttr{
				Env:   os.Environ(), //nolint:forbidigo // the mark is in it
				Files: []uintptr{2, 2, 2},
				Sys:   &syscall.SysProcAttr{Setsid: true},
			})
		case "modes": // of the files that it was given
			for name := range strings.SplitSeq(what, ",") {
				info, err := os.Stat(name)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					return 1
				}
				fmt.Fprintln(os.Stderr, info.Mode())
			}
		default:
			fmt.Fprintln(os.Stderr, "cannot do", act)
			return 99
		}
	}
	return 0
}

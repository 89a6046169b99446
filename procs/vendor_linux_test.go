package procs

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// vendor is a child with a tool: it starts the tool of the kind args[1], tells
// its own and its parent's pid, prints a line, and then behaves as args[0] says.
func vendor(args []string) int {
	behaviour, kind, token := args[0], args[1], args[2]
	polite := make(chan os.Signal, 1)
	switch behaviour {
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
	case "polite":
		signal.Notify(polite, syscall.SIGTERM)
	}
	if err := startTool(kind, token); err != nil {
		fmt.Fprintln(os.Stderr, "tool:", err)
		return 98
	}
	_, _ = fmt.Fprintf(os.Stdout, "%d %d\nthe text\n", os.Getpid(), os.Getppid())
	switch behaviour {
	case "ends":
		return 0
	case "crashes":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case "polite":
		<-polite
		_, _ = fmt.Fprintln(os.Stdout, "the last words")
		return 7
	}
	return block()
}

// startTool starts a tool and waits until it is what it is meant to be.
func startTool(kind, token string) error {
	if kind == "none" {
		return nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	role := "tool"
	cmd := &exec.Cmd{Path: self}
	cmd.ExtraFiles = []*os.File{w}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	switch kind {
	case "group":
		cmd.SysProcAttr.Setpgid = true
	case "session":
		cmd.SysProcAttr.Setsid = true
	case "holder":
		cmd.Stdout = os.Stdout
	case "daemon", "bare-daemon":
		role = "daemonize"
	}
	cmd.Args = []string{"tool", "role", role, kind, token}
	if err := cmd.Start(); err != nil {
		return err
	}
	w.Close()
	if role == "daemonize" {
		if err := cmd.Wait(); err != nil {
			return err
		}
	}
	_, err = r.Read(make([]byte, 1))
	return err
}

// daemonize starts a tool in a session of its own and leaves it an orphan.
func daemonize(args []string) int {
	cmd := &exec.Cmd{Path: self}
	cmd.Args = append([]string{"tool", "role", "tool"}, args...)
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "ready")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if args[0] == "bare-daemon" {
		cmd.Env = []string{"NOTHING=1"}
	}
	if err := cmd.Start(); err != nil {
		return 1
	}
	return 0
}

// tool stays until it is killed. A plain one lets itself be asked.
func tool(args []string) int {
	if args[0] != "plain" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	}
	ready := os.NewFile(3, "ready")
	if _, err := ready.Write([]byte{1}); err != nil {
		return 1
	}
	ready.Close()
	return block()
}

func block() int {
	for {
		_, _ = unix.Poll(nil, -1)
	}
}

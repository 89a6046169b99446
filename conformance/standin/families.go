package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// families are the acts that leave processes behind.
func families() map[string]func() error {
	good := []string{begin(), say("msg_1", "Hello."), result("Hello.")}
	half := []string{begin(), say("msg_1", "Hello.")}
	return map[string]func() error{
		// Left behind at a good end.
		"daemon":          func() error { return after(good, func() error { return spawn("fork", nil) }) },
		"nameless daemon": func() error { return after(good, func() error { return spawn("fork nameless", nil) }) },
		"pipe holder":     func() error { return after(good, func() error { return spawn("sit", os.Stdout) }) },
		"chatty holder":   func() error { return after(good, func() error { return spawn("chat", os.Stdout) }) },
		// A crowd that ignores every polite signal, around a vendor that does not end.
		"crowd": func() error {
			for range 12 {
				if err := spawn("fork", os.Stdout); err != nil {
					return err
				}
			}
			return after(half, ignore)
		},
		// The roles of those processes.
		"sit":           ignore,
		"chat":          chat,
		"fork":          func() error { return spawn("sit", os.Stdout) },
		"fork nameless": func() error { return spawnWith("sit", nil, nil) },
	}
}

// spawn starts this program in another role and its own session, and waits
// until it has noted its pid, but not for its end.
func spawn(role string, stdout *os.File) error { return spawnWith(role, stdout, os.Environ()) }

// spawnWith is spawn with another environment: an empty one has no mark.
func spawnWith(role string, stdout *os.File, env []string) error {
	ready, done, err := os.Pipe()
	if err != nil {
		return err
	}
	c := exec.CommandContext(context.Background(), os.Args[0])
	c.Env = append(env, "STANDIN="+role, "STANDIN_PIDS="+os.Getenv("STANDIN_PIDS"), "STANDIN_READY=1")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c.ExtraFiles = []*os.File{done}
	if stdout != nil {
		c.Stdout = stdout
	}
	if err := c.Start(); err != nil {
		return err
	}
	if err := done.Close(); err != nil {
		return err
	}
	_, _ = ready.Read(make([]byte, 1)) // ends when the last copy of done is closed
	return ready.Close()
}

// note tells the test our pid, and whoever started us that we are there.
func note() error {
	f, err := os.OpenFile(os.Getenv("STANDIN_PIDS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(f, os.Getpid()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if os.Getenv("STANDIN_READY") == "" {
		return nil
	}
	return os.NewFile(3, "ready").Close()
}

// chat writes to the pipe for ever: a reader that waits for its end never sees it.
func chat() error {
	if err := note(); err != nil {
		return err
	}
	for {
		if err := print("still here\n"); err != nil {
			return err
		}
	}
}

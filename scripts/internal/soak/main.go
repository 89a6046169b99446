// Soak runs agentrun many times against a vendor that misbehaves, ends it in
// every way at random moments, and looks for whatever is left: processes, files,
// memory, descriptors. The same seed makes the same choices.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	runs := flag.Int("runs", 1000, "runs in a loop")
	burst := flag.Int("burst", 200, "runs at once, after the loop")
	host := flag.Int("host", 200, "runs in one process, after that")
	parallel := flag.Int("parallel", 4, "runs of the loop that go on at the same time")
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "of all choices")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// Caught, so that agentrun starts with the default also under nohup.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	fmt.Printf("seed %d\n", *seed)
	text, ok, err := soak(ctx, plan{*runs, *burst, *host, *parallel, *seed})
	fmt.Print(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// plan is how much to do.
type plan struct {
	runs, burst, host, parallel int
	seed                        uint64
}

// soak returns the table, and whether all was well.
func soak(ctx context.Context, p plan) (text string, ok bool, err error) {
	top, err := os.MkdirTemp("", "soak-")
	if err != nil {
		return "", false, err
	}
	defer func() { _ = os.RemoveAll(top) }()
	h, err := build(ctx, top)
	if err != nil {
		return "", false, err
	}
	tally := newTally()
	for _, phase := range []struct{ runs, parallel int }{{p.runs, p.parallel}, {p.burst, p.burst}} {
		h.loop(ctx, choose(phase.runs, p.seed), phase.parallel, tally)
	}
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	tally.file("files at the end", h.swept(ctx))
	if p.host > 0 {
		h.manyInOne(ctx, p.host, tally)
	}
	text, ok = tally.report()
	return text, ok, nil
}

// build makes the two programs, and the world that all runs share.
func build(ctx context.Context, top string) (*house, error) {
	h := &house{
		agentrun: filepath.Join(top, "agentrun"), standin: filepath.Join(top, "standin"),
		home: filepath.Join(top, "home"), tmp: filepath.Join(top, "tmp"), pids: filepath.Join(top, "pids"),
	}
	for _, dir := range []string{h.home, h.tmp, h.pids} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
	}
	for file, pkg := range map[string]string{h.agentrun: "agentrun", h.standin: "agentrun/conformance/standin"} {
		cmd := exec.CommandContext(ctx, "go", "build", "-o", file, pkg)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("go build %s: %w", pkg, err)
		}
	}
	return h, nil
}

package conformance

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
)

// built is where TestMain put the programs under test.
var built struct {
	agentrun string // the product
	standin  string // a vendor of our own
	cache    string // shared by all runs, so that a vendor's version is asked once
}

// TestMain builds the programs once. A product that does not build fails everything.
func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	built.agentrun = filepath.Join(dir, "agentrun")
	built.cache = filepath.Join(dir, "cache")
	built.standin = filepath.Join(dir, "standin")
	for file, pkg := range map[string]string{built.agentrun: "agentrun", built.standin: "agentrun/conformance/standin"} {
		build := exec.CommandContext(context.Background(), "go", "build", "-o", file, pkg)
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build %s: %v\n%s", pkg, err, out)
			return 1
		}
	}
	heed()
	flag.Parse()
	if err := parallel(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// heed lets what we start heed the signals that we were told to ignore, as under
// nohup or behind &: a signal that is caught is no more inherited as ignored.
func heed() {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM} {
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

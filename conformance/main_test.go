package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	defer os.RemoveAll(dir)
	built.agentrun = filepath.Join(dir, "agentrun")
	built.cache = filepath.Join(dir, "cache")
	build := exec.Command("go", "build", "-o", built.agentrun, "agentrun")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	if os.Getenv("AGENTRUN_REAL") == "1" {
		flag.Parse()
		// The CLIs mostly wait: for their own start-up, their retries, the model.
		if err := flag.Set("test.parallel", "3"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return m.Run()
}

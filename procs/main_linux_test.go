package procs

import (
	"fmt"
	"maps"
	"os"
	"testing"
)

// TestMain lets the test binary be the programs that the tests run: the child,
// its tools, and hosts that are killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "role" {
		os.Exit(play(os.Args[2], os.Args[3:])) //nolint:forbidigo // and so is this
	}
	m.Run()
}

func play(name string, args []string) int {
	all := roles()
	maps.Copy(all, attachRoles())
	role, ok := all[name]
	if !ok {
		fmt.Fprintln(os.Stderr, "no role", name)
		return 99
	}
	return role(args)
}

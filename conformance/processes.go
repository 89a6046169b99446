package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// NothingLeft fails the test for each process of the run that lives.
func NothingLeft(t *testing.T, run string) {
	t.Helper()
	for _, p := range marked(run) {
		t.Errorf("left behind: %s", p)
	}
}

// process is one process of a run, as /proc shows it.
type process struct {
	pid  int
	args string
}

func (p process) String() string { return fmt.Sprintf("%d (%.100s)", p.pid, p.args) }

// marked lists the living processes whose environment has the run's mark. It
// finds nothing where there is no /proc.
func marked(run string) []process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var found []process
	for _, dir := range dirs {
		environ, err := os.ReadFile(dir + "/environ")
		if err != nil || !hasMark(environ, run) {
			continue
		}
		args, _ := os.ReadFile(dir + "/cmdline")
		pid, _ := strconv.Atoi(filepath.Base(dir))
		found = append(found, process{pid, strings.TrimSpace(strings.ReplaceAll(string(args), "\x00", " "))})
	}
	return found
}

// hasMark: a nested run carries the marks of all, with colons between.
func hasMark(environ []byte, run string) bool {
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		if marks, ok := bytes.CutPrefix(v, []byte("AGENTRUN_RUN=")); ok {
			return run != "" && slices.Contains(strings.Split(string(marks), ":"), run)
		}
	}
	return false
}

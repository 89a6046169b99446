package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// teardown ends a run while its tool works and has left a daemon behind: what
// was said is kept, and neither is left.
func (d Trials) teardown(ctx context.Context) error {
	pids := filepath.Join(d.Dir, "pids")
	script := filepath.Join(d.Dir, "teardown.json")
	const turns = `{"turns":[{"parts":[{"text":"I wait."},{"shell":"echo $$ >pids; (setsid sleep 301 & echo $! >>pids); sleep 300"}]},{"parts":[{"text":"It is over."}]}]}`
	if err := os.WriteFile(script, []byte(turns), 0o600); err != nil {
		return err
	}
	running, end := context.WithCancel(ctx)
	defer end()
	go func() {
		awaitLines(running, pids, 2)
		end()
	}()
	r := d.run(running, script, "wait", d.Shell...)
	started := linesOf(pids)
	switch {
	case len(started) < 2:
		return r.wrong("the tool did not start")
	case r.text() != "I wait.":
		return r.wrong("what was said before the end is %.200q", r.text())
	}
	var left []string
	for _, pid := range started {
		if n, err := strconv.Atoi(pid); err == nil && syscall.Kill(n, 0) == nil {
			left = append(left, pid)
		}
	}
	if len(left) > 0 {
		return r.wrong("processes are left: %s", strings.Join(left, ", "))
	}
	return nil
}

// awaitLines returns when the file has so many lines, or ctx ends.
func awaitLines(ctx context.Context, path string, n int) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for len(linesOf(path)) < n {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// linesOf lists the whole lines of a file.
func linesOf(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	lines := strings.Split(string(data), "\n")
	return lines[:len(lines)-1]
}

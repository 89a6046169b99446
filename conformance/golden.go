package conformance

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
)

//nolint:gochecknoglobals // a test flag has to be one
var update = flag.Bool("update", false, "write the golden files anew")

// ending is the last line of a golden file: what a run of agentrun would end with.
type ending struct {
	ExitStatus int    `json:"exit_status"`
	Final      string `json:"final"`
	Completed  bool   `json:"completed"`
}

// Golden replays every recording below dir and compares what comes out, chunk by
// chunk, with want.jsonl beside it.
func Golden(t *testing.T, p providers.Provider, dir string) {
	t.Helper()
	for _, path := range recordings(t, dir) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			rec, err := Load(path)
			if err != nil {
				t.Fatal(err)
			}
			lines, out, err := Replay(p, rec)
			if err != nil {
				t.Fatal(err)
			}
			end, err := ndjson.Marshal(ending{status(out), out.Final, out.Completed})
			if err != nil {
				t.Fatal(err)
			}
			Compare(t, filepath.Join(path, "want.jsonl"), string(lines)+string(end)+"\n")
		})
	}
}

func recordings(tb testing.TB, dir string) []string {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		if e.IsDir() {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	if len(paths) == 0 {
		tb.Fatalf("no recordings in %s", dir)
	}
	return paths
}

// Compare compares got with a golden file, line by line; -update writes that anew.
func Compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update and review it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func status(out providers.Outcome) int {
	if out.Err == nil {
		return 0
	}
	return out.Err.Class.ExitStatus()
}

//go:build real

package cmd_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/sessions"
)

// TestRealKept: the real CLIs keep their sessions where their providers say, and
// one that cannot do so is found out.
func TestRealKept(t *testing.T) {
	for _, p := range all.Providers() {
		name := p.About().Name
		keeper, ok := p.(providers.Keeper)
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home, state := t.TempDir(), t.TempDir()
			env := []string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + state, "TMPDIR=" + state, "XDG_STATE_HOME=" + state, "XDG_CACHE_HOME=" + state,
				"AGENTRUN_" + strings.ToUpper(name) + "_BIN=" + pinnedBinary(t, name, name),
			}
			run := func(warned bool) sessions.Record {
				t.Helper()
				c := exec.CommandContext(t.Context(), "agentrun", "run", name, "hello", "--mock", "--mock-home", home, "--no-config", "-o", "result")
				c.Dir, c.Env = t.TempDir(), env
				out, err := c.CombinedOutput()
				if err != nil || strings.Contains(string(out), "cannot be carried on") != warned {
					t.Fatalf("%v: %s", err, out)
				}
				store, err := sessions.Open(filepath.Join(state, "agentrun", "sessions"))
				if err != nil {
					t.Fatal(err)
				}
				rec, err := store.Find(sessions.LastQuery, sessions.Filter{})
				if err != nil || rec.SessionID == "" || rec.Resumable == warned {
					t.Fatalf("%+v, %v", rec, err)
				}
				return rec
			}
			rec := run(false)
			dir, pattern := keeper.Kept(providers.Request{Env: providers.Lookup([]string{"HOME=" + home})}, rec.SessionID)
			if found, err := fs.Glob(os.DirFS(dir), pattern); err != nil || len(found) != 1 {
				t.Errorf("%s in %s fits %q, %v", pattern, dir, found, err)
			}
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(dir, nil, 0o600); err != nil { // no folder can be made there
				t.Fatal(err)
			}
			run(true)
		})
	}
}

package conformance

import (
	"path/filepath"
	"strings"
	"testing"

	"agentrun/providers/all"
)

// TestProviders holds every provider against every rule, over its own recordings.
func TestProviders(t *testing.T) {
	for _, p := range all.Providers() {
		name := p.About().Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := Examine(p, fixtures(t, name)...)
			var text strings.Builder
			if err := table.Write(&text); err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%s", text.String())
			for _, row := range table {
				if row.Result == Failed {
					t.Errorf("%s: %s: %v", row.Check, row.Result, row.Err)
				}
			}
		})
	}
}

// fixtures are the recordings and cases of a provider, and those that we have for it.
func fixtures(tb testing.TB, name string) []Recording {
	tb.Helper()
	var list []Recording
	for _, pattern := range []string{"../providers/" + name + "/testdata/*/*", "testdata/" + name + "/*"} {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			tb.Fatal(err)
		}
		for _, dir := range dirs {
			if rec, err := Load(dir); err == nil {
				list = append(list, rec)
			}
		}
	}
	if len(list) == 0 {
		tb.Fatalf("no recordings of %s", name)
	}
	return list
}

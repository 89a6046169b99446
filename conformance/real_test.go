//go:build real && real

package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentrun/providers"
	"agentrun/providers/all"
)

// vendor is one real CLI at its pinned version.
type vendor struct {
	name     string // as in scripts/vendors.txt
	provider string
	bin      string
	can      providers.Capabilities
	// shell lets the vendor run any command: what it does unasked is another test's business.
	shell []string
}

// TestReal runs the product against the real CLIs, which talk to the embedded
// model: no key, no network. A CLI that is missing is a failure.
func TestReal(t *testing.T) {
	vendors := realVendors(t)
	t.Run("scenarios", func(t *testing.T) { realScenarios(t, vendors) })
	t.Run("forms", func(t *testing.T) { realForms(t, vendors) })
	t.Run("sessions", func(t *testing.T) { realSessions(t, vendors) })
	t.Run("prompts", func(t *testing.T) { realPrompts(t, vendors) })
	t.Run("teardown", func(t *testing.T) { realTeardown(t, vendors) })
}

// realVendors lists the pinned CLIs; each is installed by scripts/vendor.
func realVendors(t *testing.T) []vendor {
	t.Helper()
	// As the superuser claude refuses --access full.
	shell := map[string][]string{"claude": {"--allow-tool", "Bash"}}
	var list []vendor
	for _, name := range pinned(t) {
		v := vendor{name: name, provider: strings.TrimSuffix(name, "-old"), shell: []string{"--access", "full"}}
		for _, p := range all.Providers() {
			if about := p.About(); about.Name == v.provider {
				v.can = about.Capabilities
			}
		}
		if v.can.Transport == "" {
			t.Fatalf("scripts/vendors.txt has %s, but there is no provider %s", name, v.provider)
		}
		if s, ok := shell[v.provider]; ok {
			v.shell = s
		}
		var err error
		if v.bin, err = filepath.Abs(filepath.Join("../.tools/vendors", name, "bin", v.provider)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(v.bin); err != nil {
			t.Fatalf("%v: run scripts/vendor %s", err, name)
		}
		list = append(list, v)
	}
	return list
}

// pinned lists the names of scripts/vendors.txt.
func pinned(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../scripts/vendors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+)\s`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatal("scripts/vendors.txt has no vendors")
	}
	return names
}

// args is the command line of a run of the vendor in a scenario.
func (v vendor) args(scenario, prompt string, more ...string) []string {
	return slices.Concat([]string{"--mock=" + scenario, "--bin", v.bin, v.provider}, more, []string{"--", prompt})
}

// each runs the test for every vendor, in parallel.
func each(t *testing.T, vendors []vendor, test func(*testing.T, vendor)) {
	t.Helper()
	for _, v := range vendors {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			test(t, v)
		})
	}
}

// quickRetries keeps pi's own repeats of a failed request short; the other
// CLIs are told so by the adapter.
func (v vendor) quickRetries(w *world) []string {
	if v.provider != "pi" {
		return nil
	}
	dir := filepath.Join(w.home, ".pi/agent")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	settings := `{"retry":{"maxRetries":1,"baseDelayMs":100}}`
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return []string{"--mock-home", w.home}
}

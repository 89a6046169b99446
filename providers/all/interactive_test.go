package all_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/providers/all"
)

// TestInteractive: whatever can be resumed can be carried on by hand.
func TestInteractive(t *testing.T) {
	const session = "5f0c1d2e-0000-4000-8000-00000000000a"
	want := map[string][]string{
		"claude": {"--resume", session, "--x"},
		"codex":  {"--x", "resume", session},
		"gemini": {"--resume", session, "--x"},
		"pi":     {"--session", session, "--x"},
	}
	for _, p := range all.Providers() {
		about := p.About()
		hands, ok := p.(providers.Interactive)
		if resumable := about.Capabilities.Resumable; ok != resumable {
			t.Errorf("%s: resumable %v, interactive %v", about.Name, resumable, ok)
		}
		if !ok {
			continue
		}
		r := providers.Request{VendorArgs: []string{"--x"}, Cwd: "/repo", Dir: "/run", Root: true, Env: func(string) string { return "" }}
		c, err := hands.Interactive(session, r)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want[about.Name], c.Args); diff != "" {
			t.Errorf("%s (-want +got):\n%s", about.Name, diff)
		}
		if fenced := slices.Contains(c.SetEnv, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=/run/system-defaults.json"); fenced != (about.Name == "gemini") {
			t.Errorf("%s: environment %q", about.Name, c.SetEnv)
		}
	}
}

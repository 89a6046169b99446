//go:build real

package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realHooked are the pinned CLIs that ask before they use a tool.
func realHooked() []struct{ vendor, tool string } {
	return []struct{ vendor, tool string }{
		{"claude", "Bash"}, {"codex", "command_execution"}, {"gemini", "run_shell_command"}, {"pi", "bash"},
	}
}

func realHookedEnv(t *testing.T, vendor string) []string {
	t.Helper()
	return []string{
		"IS_SANDBOX=1", // claude refuses full access to the superuser
		"AGENTRUN_" + strings.ToUpper(vendor) + "_BIN=" + pinnedBinary(t, vendor, vendor),
	}
}

// TestRealHooksPage runs the examples of docs/hooks.md with every real CLI.
func TestRealHooksPage(t *testing.T) {
	for _, v := range realHooked() {
		t.Run(v.vendor, func(t *testing.T) {
			p := newHooksPage(t)
			p.write(t, "push.json", `{"turns": [{"parts": [{"shell": "git push origin main"}]}, {"parts": [{"text": "It said: {{tool_output}} {{prompt}}"}]}]}`, 0o600)
			out := p.run(t, realHookedEnv(t, v.vendor), "run", v.vendor, "push it", "--mock="+filepath.Join(p.home, "push.json"), "--access", "full", "--timeout", "90s")
			p.check(t, out, v.vendor, v.tool)
			if !strings.Contains(out, `Keep the public API as it is.`) {
				t.Errorf("the prompt was not added to:\n%s", out)
			}
		})
	}
}

// TestRealHooksModify: where the CLI takes another input, the tool runs with it, in
// runs and live sessions; elsewhere it does not run at all.
func TestRealHooksModify(t *testing.T) {
	for _, v := range realHooked() {
		t.Run(v.vendor, func(t *testing.T) {
			p := newHooksPage(t)
			p.write(t, ".config/agentrun/config.toml", `
[defaults]
policy = "rules.toml"
[[hooks]]
event = "before_tool"
command = ["~/change.sh"]
`, 0o600)
			p.write(t, "change.sh", `#!/bin/sh
jq -c '{action: "modify", tool_input: (.tool_input + {command: "echo changed >made.txt; echo was changed"})}'
`, 0o700)
			out := p.run(t, realHookedEnv(t, v.vendor), "run", v.vendor, "say hello", "--mock=tool", "--access", "full", "--timeout", "90s")
			_, err := os.Stat(filepath.Join(p.repo, "made.txt"))
			want := `"tool_output":"was changed`
			if v.vendor == "codex" || v.vendor == "gemini" {
				want = `failed (block): the agent takes no other input for this`
			}
			if changed := v.vendor == "claude" || v.vendor == "pi"; changed != (err == nil) {
				t.Errorf("the changed command: %v", err)
			}
			if !strings.Contains(out, want) {
				t.Errorf("%s is not in:\n%s", want, out)
			}
		})
	}
}

//go:build real

package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// realHooked are the pinned CLIs that ask before they use a tool.
func realHooked() []struct{ vendor, tool, access string } {
	return []struct{ vendor, tool, access string }{
		{"claude", "Bash", "--access=edit"}, // full it refuses to the superuser
		{"codex", "command_execution", "--access=full"},
		{"gemini", "run_shell_command", "--access=full"},
		{"pi", "bash", "--access=full"},
	}
}

func realHookedEnv(t *testing.T, vendor string) []string {
	t.Helper()
	return []string{"AGENTRUN_" + strings.ToUpper(vendor) + "_BIN=" + pinnedBinary(t, vendor, vendor)}
}

// TestRealHooksPage runs the examples of docs/hooks.md with every real CLI.
func TestRealHooksPage(t *testing.T) {
	for _, v := range realHooked() {
		t.Run(v.vendor, func(t *testing.T) {
			p := newHooksPage(t)
			out := succeed(t, p.command(t, realHookedEnv(t, v.vendor), "run", v.vendor, "push it", p.pushing(t), "--timeout=90s", v.access))
			p.check(t, out, v.vendor, v.tool)
			if !strings.Contains(out, `Keep the public API as it is.`) {
				t.Errorf("the prompt was not added to:\n%s", out)
			}
		})
	}
}

// TestRealHooksLive: the same in a live session whose inputs end at once.
func TestRealHooksLive(t *testing.T) {
	for _, v := range realHooked() {
		t.Run(v.vendor, func(t *testing.T) {
			p := newHooksPage(t)
			c := p.command(t, realHookedEnv(t, v.vendor), "live", v.vendor, p.pushing(t), v.access)
			c.Stdin = strings.NewReader(`{"type":"message","text":"push it"}` + "\n")
			out := succeed(t, c)
			for _, want := range []string{
				`"content":"hook no-push.sh at before_tool ` + v.tool + `: block: pushing is for people"`, `"action":"decline","by":"hook"`,
				`"type":"turn_end","turn":1,"status":"completed"`, `"type":"state","state":"closed"`,
			} {
				if !strings.Contains(out, want) {
					t.Errorf("%s is not in:\n%s", want, out)
				}
			}
		})
	}
}

// TestRealHooksAbort: an abort while a hook thinks ends the turn and the hook, and
// the session goes on.
func TestRealHooksAbort(t *testing.T) {
	for _, v := range realHooked() {
		t.Run(v.vendor, func(t *testing.T) {
			p := newHooksPage(t)
			holding(t, p, "before_tool")
			c := p.command(t, realHookedEnv(t, v.vendor), "live", v.vendor, p.pushing(t), v.access)
			in, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			say := func(line string) {
				if _, err := in.Write([]byte(line + "\n")); err != nil {
					t.Error(err)
				}
			}
			go func() {
				say(`{"type":"message","text":"push it"}`)
				gone := held(t, p)
				say(`{"type":"abort"}`)
				gone()
				say(`{"type":"close"}`)
				_ = in.Close()
			}()
			out := succeed(t, c)
			for _, want := range []string{`"type":"request_end"`, `"status":"cancelled"`, `"type":"state","state":"closed"`} {
				if !strings.Contains(out, want) {
					t.Errorf("%s is not in:\n%s", want, out)
				}
			}
		})
	}
}

// pushing is the flag for a model that wants to push.
func (p hooksPage) pushing(t *testing.T) string {
	t.Helper()
	p.write(t, "push.json", `{"turns": [{"parts": [{"shell": "git push origin main"}]}, {"parts": [{"text": "It said: {{tool_output}} {{prompt}}"}]}]}`, 0o600)
	return "--mock=" + filepath.Join(p.home, "push.json")
}

// TestRealHooksModify: where the CLI takes another input, the tool runs with it;
// elsewhere it does not run at all.
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
			out := succeed(t, p.command(t, realHookedEnv(t, v.vendor), "run", v.vendor, "say hello", "--mock=tool", "--timeout=90s", v.access))
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

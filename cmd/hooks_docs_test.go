package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// hooksPage is docs/hooks.md set up as it says: a home with the configuration, the
// programs, and a policy that allows all.
type hooksPage struct{ home, repo string }

func newHooksPage(t *testing.T) hooksPage {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "hooks.md"))
	if err != nil {
		t.Fatal(err)
	}
	p := hooksPage{t.TempDir(), t.TempDir()}
	p.write(t, ".config/agentrun/config.toml", fenced(t, string(page), "```toml\n# ~/.config/agentrun/config.toml\n"), 0o600)
	p.write(t, ".config/agentrun/rules.toml", "default = \"allow\"\n", 0o600)
	for _, name := range []string{"house-rules.sh", "no-push.sh", "log-tools.sh", "notify.sh"} {
		p.write(t, ".config/agentrun/"+name, "#!/bin/sh\n"+fenced(t, string(page), "```sh\n#!/bin/sh\n# "+name), 0o700)
	}
	p.write(t, "notify-send", "#!/bin/sh\nprintf '%s|' \"$@\" >\"$HOME/notified\"\n", 0o700)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(p.home, "agentrun")); err != nil {
		t.Fatal(err)
	}
	return p
}

// fenced is the block of a page that begins so.
func fenced(t *testing.T, page, begin string) string {
	t.Helper()
	_, block, found := strings.Cut(page, begin)
	block, _, closed := strings.Cut(block, "```\n")
	if !found || !closed {
		t.Fatalf("the page has no block that begins with %q", begin)
	}
	return block
}

func (p hooksPage) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(p.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func (p hooksPage) read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(p.home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// command is agentrun there.
func (p hooksPage) command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(t.Context(), filepath.Join(p.home, "agentrun"), args...)
	c.Dir = p.repo
	c.Env = append([]string{"PATH=" + p.home + ":" + os.Getenv("PATH"), "HOME=" + p.home, "TMPDIR=" + p.home}, env...)
	return c
}

// succeed returns the stdout of a command that ends well, without a warning.
func succeed(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	var errs strings.Builder
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v\n%s%s", err, out, &errs)
	}
	if errs.Len() > 0 {
		t.Errorf("it warned: %s", &errs)
	}
	return string(out)
}

// standin makes the vendor of the story of hooks the one that runs.
func (p hooksPage) standin(t *testing.T) (env []string) {
	t.Helper()
	story, err := txtar.ParseFile(filepath.Join("testdata", "script", "hooks.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range story.Files {
		if f.Name == "claude.sh" {
			p.write(t, f.Name, string(f.Data), 0o700)
		}
	}
	return []string{"AGENTRUN_CLAUDE_BIN=" + filepath.Join(p.home, "claude.sh")}
}

// check holds what the run left against what the page promises.
func (p hooksPage) check(t *testing.T, out, provider, tool string) {
	t.Helper()
	for what, text := range map[string]string{
		`"content":"hook no-push.sh at before_tool ` + tool + `: block: pushing is for people"`: out,
		`"event":"before_run","hook":"house-rules.sh","place":"`:                                out,
		`"tool_name":"` + tool + `"`:                                                            p.read(t, "agent-tools.jsonl"),
		`"is_error":true`:                                                                       p.read(t, "agent-tools.jsonl"),
		"agentrun|" + provider + ": done, exit 0|":                                              p.read(t, "notified"),
	} {
		if !strings.Contains(text, what) {
			t.Errorf("%s is not in:\n%s", what, text)
		}
	}
}

// TestHooksPage runs the examples of docs/hooks.md against a stand-in that wants to
// run its prompt as a command.
func TestHooksPage(t *testing.T) {
	p := newHooksPage(t)
	out := succeed(t, p.command(t, p.standin(t), "run", "claude", "git push"))
	p.check(t, out, "claude", "Bash")
	if !strings.Contains(out, `"tool_input":{"command":"git push\n\nKeep the public API as it is."}`) {
		t.Errorf("the prompt was not added to:\n%s", out)
	}
}

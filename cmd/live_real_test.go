//go:build real

package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRealLiveStory runs the script of docs/live.md with a real CLI: what the
// agent wants to write is declined, and the session ends in good order.
func TestRealLiveStory(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "live.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, script, _ := strings.Cut(string(page), "```sh\n#!/bin/sh\n")
	script, _, found := strings.Cut(script, "```\n")
	if !found {
		t.Fatal("docs/live.md has no script")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	if err := os.Symlink(self, filepath.Join(top, "agentrun")); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "sh", "-c", script, "supervise.sh", "write a file", "claude", "--mock=denied-tool")
	c.Dir = t.TempDir()
	c.Env = []string{
		"PATH=" + top + ":" + os.Getenv("PATH"), "HOME=" + top, "TMPDIR=" + top,
		"AGENTRUN_CLAUDE_BIN=" + pinnedBinary(t, "claude", "claude"),
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !strings.Contains(string(out), "I tried to write a file: ") || !strings.Contains(string(out), "only go test is allowed here") {
		t.Errorf("it said:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(c.Dir, "written-by-mock.txt")); err == nil {
		t.Error("the agent wrote a file that it was not allowed to write")
	}
}

package cmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// TestLiveDocs holds the table in docs/live.md against the code; -update writes it.
func TestLiveDocs(t *testing.T) {
	path := filepath.Join("..", "docs", "live.md")
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(have), "<!-- capabilities -->\n")
	_, after, found := strings.Cut(rest, "<!-- end -->\n")
	if !found {
		t.Fatal("docs/live.md has no place for the capabilities")
	}
	page := before + "<!-- capabilities -->\n" + liveCapabilities() + "<!-- end -->\n" + after
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(page, string(have)); diff != "" {
		t.Errorf("docs/live.md is not what the code says (-code +page):\n%s", diff)
	}
}

func liveCapabilities() string {
	titles, list := []string{""}, []providers.LiveCapabilities{}
	for _, v := range vendors() {
		if c, ok := v.(providers.Converser); ok {
			titles, list = append(titles, v.About().Title), append(list, c.Live())
		}
	}
	yes := func(b bool) string {
		if b {
			return "yes"
		}
		return "-"
	}
	var p page
	p.head(titles...)
	for _, r := range []struct {
		name string
		of   func(providers.LiveCapabilities) string
	}{
		{"`steer`", func(c providers.LiveCapabilities) string { return yes(c.Steer) }},
		{"`abort`", func(c providers.LiveCapabilities) string { return yes(c.Abort) }},
		{"`update`", func(c providers.LiveCapabilities) string { return or(strings.Join(c.Update, ", ")) }},
		{"images", func(c providers.LiveCapabilities) string { return yes(c.Images) }},
		{"asks", func(c providers.LiveCapabilities) string { return or(strings.Join(c.Asks, ", ")) }},
		{"answers for the session", func(c providers.LiveCapabilities) string { return yes(c.Session) }},
	} {
		cells := []string{r.name}
		for _, c := range list {
			cells = append(cells, r.of(c))
		}
		p.row(cells...)
	}
	return p.String()
}

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

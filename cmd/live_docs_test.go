package cmd_test

import (
	"os"
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
		{"`--deltas`", func(c providers.LiveCapabilities) string { return yes(c.Deltas) }},
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

package cmd

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/config"
)

// TestRepositoryReach: the page lists what a repository's file can say, and
// nothing else can be said.
func TestRepositoryReach(t *testing.T) {
	page, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## What a repository's file can say")
	table, _, _ = strings.Cut(table, "Anything else is an error")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(table, -1) {
		for name := range strings.FieldsSeq(row[1]) {
			listed = append(listed, strings.Trim(name, "`"))
		}
	}
	var open []string
	for _, k := range configSchema().Keys {
		if k.Reach != config.UserOnly {
			open = append(open, k.Name)
		}
	}
	slices.Sort(listed)
	slices.Sort(open)
	if diff := cmp.Diff(open, listed); diff != "" {
		t.Errorf("docs/configuration.md (-code +page):\n%s", diff)
	}
	for name, fields := range configSchema().Fields {
		for _, f := range fields {
			if f.Reach != config.UserOnly {
				t.Errorf("a repository's file can set %s's field %s", name, f.Name)
			}
		}
	}
}

package codex_test

import (
	"os"
	"strings"
	"testing"

	"agentrun/providers"
	"agentrun/providers/codex"
)

// The user's page names every field, with the version it came in, and every fence.
func TestDocs(t *testing.T) {
	data, err := os.ReadFile("../../docs/vendors/codex.md")
	if err != nil {
		t.Fatal(err)
	}
	page, about := string(data), codex.New().About()
	for _, f := range providers.FieldsOf(codex.New().NewFields()) {
		row := "`" + f.Name + "`"
		if !strings.Contains(page, row) || f.Since != "" && !rowHas(page, row, "since "+f.Since) {
			t.Errorf("field %s (since %q) is not on the page", f.Name, f.Since)
		}
	}
	for _, f := range about.Fences {
		if !strings.Contains(page, "| `"+f.Name+"`") {
			t.Errorf("fence %s is not on the page", f.Name)
		}
	}
	for _, v := range []string{about.Binary.Oldest, about.Binary.Newest, about.Binary.Env} {
		if !strings.Contains(page, v) {
			t.Errorf("%s is not on the page", v)
		}
	}
}

func rowHas(page, begin, word string) bool {
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "| "+begin) {
			return strings.Contains(line, word)
		}
	}
	return false
}

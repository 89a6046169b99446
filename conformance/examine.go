package conformance

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// Findings compares what a provider says of a machine with what is wanted. Every
// file that was seen is one that it looks at, and all but good news has advice.
func Findings(t *testing.T, p providers.Examined, m providers.Machine, seen providers.Seen, want []string) {
	t.Helper()
	looks := p.Looks(m)
	for path := range seen.Files {
		if !slices.Contains(looks.Files, path) {
			t.Errorf("%s is not looked at", path)
		}
	}
	var got []string
	for _, f := range p.Diagnose(m, seen) {
		got = append(got, f.String())
		if f.Level != providers.LevelOK && f.Advice == "" {
			t.Errorf("no advice: %s", f)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

// SeenTexts are files with these texts, by path.
func SeenTexts(files map[string]string) map[string]providers.SeenFile {
	seen := map[string]providers.SeenFile{}
	for path, text := range files {
		seen[path] = providers.SeenFile{Data: []byte(text)}
	}
	return seen
}

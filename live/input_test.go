package live

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

func TestParts(t *testing.T) {
	load := func(path string) ([]byte, error) {
		if path != "a.png" {
			return nil, providers.Errorf(providers.Permission, providers.ReasonPathEscape, "%s is outside", path)
		}
		return []byte("\x89PNG\r\n\x1a\n"), nil
	}
	parts := []stream.Part{{Type: "text", Text: "words"}, {Type: "file", Path: "a.go"}, {Type: "image", Path: "a.png"}, {Type: "image", Data: "R0lGODlh"}}
	got, _ := play(t, Config{Job: job(t, allCapabilities()), Load: load}, []step{
		{after: "state idle", in: stream.LiveInput{Type: stream.LiveMessage, ID: "x", Parts: []stream.Part{{Type: "image", Path: "/etc/x"}}}},
		{in: stream.LiveInput{Type: stream.LiveMessage, ID: "y", Parts: []stream.Part{{Type: "image", Data: "%"}}}},
		{in: stream.LiveInput{Type: stream.LiveMessage, ID: "1", Text: "say text", Parts: parts}},
		{after: "text image  image/gif R0lGODlh", in: in(stream.LiveAbort, "", "")},
		{end: true},
	})
	var kept []string
	for _, n := range got {
		if strings.HasPrefix(n, "refused") || strings.HasPrefix(n, "text") {
			kept = append(kept, n)
		}
	}
	want := []string{
		"refused x message path_escape", "refused y message usage",
		"text text", "text text words", "text text File: a.go", "text image  image/png iVBORw0KGgo=", "text image  image/gif R0lGODlh",
	}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

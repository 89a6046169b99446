package pi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
)

func TestLoopback(t *testing.T) {
	got := New().Loopback(providers.Loopback{URL: "http://127.0.0.1:1/", Home: "/home", Dir: "/tmp"})
	var models loopbackModels
	if len(got.Files) != 1 || got.Files[0].Name != ".pi/agent/models.json" {
		t.Fatalf("files: %+v", got.Files)
	}
	if err := ndjson.Unmarshal(got.Files[0].Content, &models); err != nil {
		t.Fatal(err)
	}
	urls := map[string]string{}
	for name, p := range models.Providers {
		urls[name] = p.BaseURL
		if !strings.HasPrefix(p.APIKey, "sk-loopback") {
			t.Errorf("%s has the key %q", name, p.APIKey)
		}
	}
	want := map[string]string{
		"mock": "http://127.0.0.1:1", "anthropic": "http://127.0.0.1:1", "openai": "http://127.0.0.1:1/v1",
	}
	if diff := cmp.Diff(want, urls); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	env := []string{
		"HOME=/home", "PI_CODING_AGENT_DIR=/home/.pi/agent", "TMPDIR=/tmp",
		"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0",
	}
	if diff := cmp.Diff(env, got.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"--model", "mock/mock-1"}, got.Args); diff != "" {
		t.Errorf("args (-want +got):\n%s", diff)
	}
}

// TestAbout: what About says is the caller's to change.
func TestAbout(t *testing.T) {
	before, a := New().About(), New().About()
	a.EnvDrop[0], a.Fences[0].Name, a.Capabilities.Access[0] = "", "", ""
	if diff := cmp.Diff(before, New().About()); diff != "" {
		t.Errorf("About changed (-before +after):\n%s", diff)
	}
}

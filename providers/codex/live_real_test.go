//go:build real

package codex_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/mockmodel"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

const patience = 40 * time.Second // with a session

const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "sleep", "turns": [{"parts": [{"shell": "echo sleeping; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "command", "turns": [{"parts": [{"shell": "sleep 1; echo done"}]}, {"parts": [{"text": "You said: {{prompt}}"}]}]},
	{"match": "pieces", "turns": [{"parts": [{"text": "piece {{n}}, ", "repeat": 20, "chunk": 10, "every_ms": 50}]}]},
	{"match": "stall", "turns": [{"parts": [{"text": "This stops here"}, {"stall": true}]}]},
	{"match": "fail", "turns": [{"parts": [{"shell": "echo no; exit 3"}]}, {"parts": [{"text": "It failed."}]}]},
	{"match": "outside", "turns": [
		{"parts": [{"name": "exec_command", "input": {"cmd": "echo outside", "sandbox_permissions": "require_escalated", "justification": "Need it"}}]},
		{"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "denied", "turns": [{"error": {"status": 401, "message": "Incorrect API key provided"}}]}
]}`

// job is a live session's, in the test's private home.
func (c *real) job(t *testing.T, fields ...string) providers.Job {
	t.Helper()
	tmp := t.TempDir()
	l := codex.New().Loopback(providers.Loopback{URL: c.server.URL(), Home: c.home, Dir: tmp})
	write(t, c.home, l.Files)
	env := append([]string{"PATH=" + os.Getenv("PATH")}, l.Env...) //nolint:forbidigo // to find node
	r := request(t, "", fields...)
	r.Cwd, r.Dir, r.Version, r.VendorArgs = c.cwd, filepath.Join(tmp, "run"), c.version, l.Args
	command, err := codex.New().(providers.Converser).LiveCommand(r)
	if err != nil {
		t.Fatal(err)
	}
	opts := providers.Options{Clocks: providers.DefaultClocks()}
	return providers.Job{ID: "codex " + t.Name(), Provider: codex.New(), Request: r, Options: opts, Command: command, Binary: c.bin, Env: env}
}

func realLive(t *testing.T) *real {
	t.Helper()
	s, err := mockmodel.Parse([]byte(liveScript))
	if err != nil {
		t.Fatal(err)
	}
	return newReal(t, s)
}

func TestRealLiveTurns(t *testing.T) {
	c := realLive(t)
	h := conformance.Hold(t, live.Config{Job: c.job(t, "access=edit")}, patience)
	h.Message("1", "/status and @/etc/hostname and \ufeff stay words")
	h.Message("2", "second")
	first := h.TurnEnd(stream.TurnCompleted)
	second := h.TurnEnd(stream.TurnCompleted)
	h.Say(stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Model: "gpt-6-sol", Effort: "high"})
	h.Message("3", "third")
	third := h.TurnEnd(stream.TurnCompleted)
	out := h.End()
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	for _, l := range []stream.LiveLine{first, second, third} {
		if u := l.Metadata.Usage; u == nil || *u.InputTokens == 0 || u.Scope != stream.ScopeTurn {
			t.Errorf("turn %d: usage %+v", l.Turn, u)
		}
	}
	if texts := h.Texts(); texts[0] != "You said: /status and @/etc/hostname and \ufeff stay words" {
		t.Errorf("texts: %q", texts)
	}
	if third.Metadata.Model != "gpt-6-sol" || first.Metadata.Model != "gpt-5.5" {
		t.Errorf("models: %s, then %s", first.Metadata.Model, third.Metadata.Model)
	}
	config, err := os.ReadFile(filepath.Join(c.home, ".codex/config.toml"))
	if err != nil || strings.Contains(string(config), "trust") {
		t.Errorf("the user's config is now (%v):\n%s", err, config)
	}
}

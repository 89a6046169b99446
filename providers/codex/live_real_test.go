//go:build real

package codex_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/live"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

// held is a live session with the pinned CLI under way.
type held struct {
	t      *testing.T
	inputs chan live.Input
	lines  chan any // stream.Chunk and stream.LiveLine, in order
	seen   []any
	done   chan struct{}
	out    providers.Outcome
	cancel context.CancelFunc
}

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

func (c *real) hold(t *testing.T, cfg live.Config) *held {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	t.Cleanup(cancel)
	h := &held{t: t, inputs: make(chan live.Input), lines: make(chan any, 10_000), done: make(chan struct{}), cancel: cancel}
	cfg.Inputs = h.inputs
	cfg.Chunk = func(c stream.Chunk) error { h.lines <- c; return nil }
	cfg.Line = func(l stream.LiveLine) error { h.lines <- l; return nil }
	go func() {
		defer close(h.done)
		h.out = live.Run(ctx, cfg)
		close(h.lines)
	}()
	return h
}

func (h *held) say(in stream.LiveInput) {
	h.t.Helper()
	select {
	case h.inputs <- live.Input{LiveInput: in}:
	case <-h.done:
		h.t.Fatalf("the session is over: %v", h.out.Err)
	}
}

func words(id, text string) stream.LiveInput {
	return stream.LiveInput{Type: stream.LiveMessage, ID: id, Text: text}
}

// next waits for a line that fits; what came before it has been seen.
func (h *held) next(what string, fits func(any) bool) any {
	h.t.Helper()
	for l := range h.lines {
		h.seen = append(h.seen, l)
		if fits(l) {
			return l
		}
	}
	h.log()
	h.t.Fatalf("%s never came; the session ended with %v", what, h.out.Err)
	return nil
}

func (h *held) log() {
	for _, l := range h.seen {
		text, _ := ndjson.Marshal(l)
		h.t.Logf("%.400s", text)
	}
	h.t.Logf("stderr: %s", h.out.Stderr)
}

func (h *held) line(kind stream.LiveType) stream.LiveLine {
	h.t.Helper()
	return h.next(string(kind), func(l any) bool { line, ok := l.(stream.LiveLine); return ok && line.Type == kind }).(stream.LiveLine)
}

func (h *held) chunk(kind stream.Type) {
	h.t.Helper()
	h.next(string(kind), func(l any) bool { c, ok := l.(stream.Chunk); return ok && c.Type == kind })
}

func (h *held) turnEnd(status stream.TurnStatus) stream.LiveLine {
	h.t.Helper()
	line := h.line(stream.LiveTurnEnd)
	if line.Status != status {
		h.log()
		h.t.Fatalf("turn %d ended as %s (%s/%s: %s), want %s", line.Turn, line.Status, line.Class, line.Reason, line.Message, status)
	}
	return line
}

// end closes the session and returns its outcome.
func (h *held) end() providers.Outcome {
	h.t.Helper()
	h.say(stream.LiveInput{Type: stream.LiveClose, ID: "end"})
	return h.wait()
}

func (h *held) wait() providers.Outcome {
	h.t.Helper()
	for l := range h.lines {
		h.seen = append(h.seen, l)
	}
	<-h.done
	if h.t.Failed() || testing.Verbose() {
		h.log()
	}
	return h.out
}

func (h *held) texts() []string {
	var list []string
	for _, l := range h.seen {
		if c, ok := l.(stream.Chunk); ok && c.Type == stream.Text {
			list = append(list, c.Content)
		}
	}
	return list
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
	h := c.hold(t, live.Config{Job: c.job(t, "access=edit")})
	h.say(words("1", "/status and @/etc/hostname and \ufeff stay words"))
	h.say(words("2", "second"))
	first := h.turnEnd(stream.TurnCompleted)
	second := h.turnEnd(stream.TurnCompleted)
	h.say(stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Model: "gpt-6-sol", Effort: "high"})
	h.say(words("3", "third"))
	third := h.turnEnd(stream.TurnCompleted)
	out := h.end()
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	for _, l := range []stream.LiveLine{first, second, third} {
		if u := l.Metadata.Usage; u == nil || *u.InputTokens == 0 || u.Scope != stream.ScopeRun {
			t.Errorf("turn %d: usage %+v", l.Turn, u)
		}
	}
	if texts := h.texts(); texts[0] != "You said: /status and @/etc/hostname and \ufeff stay words" {
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

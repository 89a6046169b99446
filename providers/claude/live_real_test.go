//go:build real

package claude

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

const liveScript = `{"turns": [{"parts": [{"text": "You said: {{prompt}}"}]}], "when": [
	{"match": "<task-notification>", "turns": [{"parts": [{"write": {"path": "after.txt", "content": "x"}}]}, {"parts": [{"text": "Reported."}]}]},
	{"match": "sleep", "turns": [{"parts": [{"shell": "echo sleeping; sleep 300"}]}, {"parts": [{"text": "Slept."}]}]},
	{"match": "command", "turns": [{"parts": [{"shell": "sleep 1; echo done"}]}, {"parts": [{"text": "You said: {{prompt}}"}]}]},
	{"match": "late", "turns": [{"parts": [{"text": "piece {{n}}, ", "repeat": 20, "chunk": 10, "every_ms": 50}]}]},
	{"match": "stall", "turns": [{"parts": [{"text": "This stops here"}, {"stall": true}]}]},
	{"match": "colour?", "turns": [
		{"parts": [{"name": "AskUserQuestion", "input": {"questions": [{"question": "Which colour?", "header": "Colour", "multiSelect": false,
			"options": [{"label": "red", "description": "warm"}, {"label": "blue", "description": "cold"}]}]}}]},
		{"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "plan", "turns": [{"parts": [{"name": "ExitPlanMode", "input": {"plan": "1. do it"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]},
	{"match": "in the background", "turns": [
		{"parts": [{"name": "Bash", "input": {"command": "sleep 1; echo done", "description": "bg", "run_in_background": true}}]},
		{"parts": [{"text": "Began."}]}]},
	{"match": "Be a subagent.", "turns": [{"parts": [{"write": {"path": "sub.txt", "content": "x"}}]}, {"parts": [{"text": "Sub: {{tool_output}}"}]}]},
	{"match": "delegate", "turns": [{"parts": [{"agent": "Be a subagent."}]}, {"parts": [{"text": "Delegated."}]}]},
	{"match": "write", "turns": [{"parts": [{"write": {"path": "a.txt", "content": "by the model"}}]}, {"parts": [{"text": "Result: {{tool_output}}"}]}]}
]}`

func hold(t *testing.T, r *realRun, cfg live.Config, fields ...string) *conformance.Held {
	t.Helper()
	return holdRequest(t, r, cfg, providers.Request{}, fields...)
}

func holdRequest(t *testing.T, r *realRun, cfg live.Config, req providers.Request, fields ...string) *conformance.Held {
	t.Helper()
	cfg.Job = r.job(t, New().(providers.Converser).LiveCommand, req, fields...)
	return conformance.Hold(t, cfg, 2*time.Minute)
}

func realLive(t *testing.T) *realRun {
	t.Helper()
	r := realCLI(t, "say")
	script, err := mockmodel.Parse([]byte(liveScript))
	if err != nil {
		t.Fatal(err)
	}
	server, err := mockmodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	r.server = server
	return r
}

func TestRealLiveTurns(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	h.Message("1", "/context and @/etc/hostname stay words")
	h.Message("2", "second")
	first := h.TurnEnd(stream.TurnCompleted)
	second := h.TurnEnd(stream.TurnCompleted)
	out := h.End()
	conformance.WantOutcome(t, out, "", "")
	for _, l := range []stream.LiveLine{first, second} {
		if u := l.Metadata.Usage; u == nil || u.InputTokens == nil || *u.InputTokens != 120 || u.Partial {
			t.Errorf("turn %d: usage %+v", l.Turn, u)
		}
		if c := l.Metadata.TotalCostUSD; c == nil || *c < 0.001 || *c > 0.0011 {
			t.Errorf("turn %d: cost %v", l.Turn, c)
		}
	}
	if got := *out.Facts.Usage.InputTokens; got != 240 {
		t.Errorf("the session used %d tokens, want 240", got)
	}
	if text := h.Texts()[0]; text != "You said: /context and @/etc/hostname stay words" {
		t.Errorf("the model got %q", text)
	}
}

func TestRealLiveSteer(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	h.Message("1", "run a command")
	h.Chunk(stream.ToolUse)
	h.Say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "steered in"})
	h.TurnEnd(stream.TurnCompleted)
	// Too late for the only answer of the turn: the turn goes on with it.
	h.Message("2", "late")
	h.Line(stream.LiveTurnStart)
	h.Say(stream.LiveInput{Type: stream.LiveSteer, ID: "t", Text: "steered behind"})
	end := h.TurnEnd(stream.TurnCompleted)
	h.EndWell()
	if end.Turn != 2 {
		t.Errorf("the last turn was %d, want 2", end.Turn)
	}
	if texts := h.Texts(); texts[len(texts)-1] != "You said: steered behind" {
		t.Errorf("texts: %q", texts)
	}
	steered := 0
	for _, q := range r.server.Requests() {
		if strings.Contains(string(q.Body), "steered in") {
			steered++
		}
	}
	if steered < 2 { // within the turn, and in the history of the next
		t.Errorf("%d requests have the words that steered", steered)
	}
}

func TestRealLivePermission(t *testing.T) {
	written := map[string]string{"accept": "by the model", "session": "by the model", "changed": "by us"}
	changed := stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"file_path":"CWD/a.txt","content":"by us"}`)}
	for _, c := range append(conformance.Permissions(New().(providers.Converser)), conformance.Permission{Name: "changed", Answer: changed, Status: stream.TurnCompleted}) {
		t.Run(c.Name, func(t *testing.T) {
			r := realLive(t)
			c.Answer.Data = ndjson.RawMessage(strings.ReplaceAll(string(c.Answer.Data), "CWD", r.cwd))
			ask := scenes().Permit(t, hold(t, r, live.Config{}), c)
			if ask.Context.ToolName != "Write" || len(ask.Context.Paths) != 1 {
				t.Errorf("asked: %+v", ask.Context)
			}
			data, _ := os.ReadFile(filepath.Join(r.cwd, "a.txt"))
			if string(data) != written[c.Name] {
				t.Errorf("the file has %q, want %q", data, written[c.Name])
			}
		})
	}
}

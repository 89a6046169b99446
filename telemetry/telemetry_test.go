package telemetry

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for _, p := range pairs {
			if key, value, _ := strings.Cut(p, "="); key == name {
				return value
			}
		}
		return ""
	}
}

func TestRead(t *testing.T) {
	const parent = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-"
	for _, c := range []struct {
		name            string
		env             []string
		traces, metrics string
		warns           string
	}{
		{"nothing", nil, "", "", ""},
		{"one for both", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h:4318/"}, "http://h:4318/v1/traces", "http://h:4318/v1/metrics", ""},
		{"each its own, as it is", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://h/t", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=https://h/m"}, "https://h/t", "https://h/m", ""},
		{"its own comes first", []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://h", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=http://m"}, "http://h/v1/traces", "http://m", ""},
		{"disabled", []string{"OTEL_SDK_DISABLED=true", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h"}, "", "", ""},
		{"none", []string{"OTEL_TRACES_EXPORTER=none", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h"}, "", "http://h/v1/metrics", ""},
		{"another exporter", []string{"OTEL_METRICS_EXPORTER=prometheus", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h"}, "http://h/v1/traces", "", "prometheus"},
		{"protocol", []string{"OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h"}, "", "http://h/v1/metrics", "http/protobuf"},
		{"no URL", []string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=h:4318"}, "", "", "no http or https URL"},
		{"not sampled", []string{"TRACEPARENT=" + parent + "00", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h"}, "", "http://h/v1/metrics", ""},
		{"sampled", []string{"TRACEPARENT=" + parent + "01", "OTEL_EXPORTER_OTLP_ENDPOINT=http://h"}, "http://h/v1/traces", "http://h/v1/metrics", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, warnings := Read(environment(c.env...), "1")
			if got.Traces.URL != c.traces || got.Metrics.URL != c.metrics {
				t.Errorf("goes to %q and %q, want %q and %q", got.Traces.URL, got.Metrics.URL, c.traces, c.metrics)
			}
			if all := strings.Join(warnings, "\n"); (all == "") != (c.warns == "") || !strings.Contains(all, c.warns) {
				t.Errorf("warns %q, want %q", all, c.warns)
			}
		})
	}
}

func TestReadDetails(t *testing.T) {
	c, _ := Read(environment(
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=1, api-key=x%20y", "OTEL_EXPORTER_OTLP_METRICS_HEADERS=b=2",
		"OTEL_EXPORTER_OTLP_TIMEOUT=300", "OTEL_RESOURCE_ATTRIBUTES=team=a%2Cb,service.name=other", "OTEL_SERVICE_NAME=mine",
	), "7")
	own, _ := Read(environment("OTEL_EXPORTER_OTLP_ENDPOINT=http://h", "OTEL_RESOURCE_ATTRIBUTES=service.name=theirs,service.version=2"), "7")
	if diff := cmp.Diff([]attribute{text("service.name", "theirs"), text("service.version", "2")}, own.resource); diff != "" {
		t.Errorf("what the user says of the service (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"a": "1", "api-key": "x y"}, c.Traces.Header); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"b": "2"}, c.Metrics.Header); diff != "" {
		t.Error(diff)
	}
	want := []attribute{text("service.name", "mine"), text("service.version", "7"), text("team", "a,b")}
	if diff := cmp.Diff(want, c.resource); diff != "" || c.Timeout != 300*time.Millisecond {
		t.Errorf("timeout %s, resource (-want +got):\n%s", c.Timeout, diff)
	}
	for _, bad := range []string{"", "x", "00-0-0-01", "00-00000000000000000000000000000000-0123456789abcdef-01", "ff-0123456789abcdef0123456789abcdef-0123456789abcdef-01"} {
		if p := readParent(bad); p != (Parent{}) {
			t.Errorf("%q is %+v", bad, p)
		}
	}
}

// receiver stands in for an OTLP receiver.
type receiver struct {
	mu      sync.Mutex
	spans   []*span
	metrics []metric
	bad     []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, _ := io.ReadAll(q.Body)
	var t traces
	var m metrics
	if q.Header.Get("Content-Type") != "application/json" || q.Header.Get("User-Agent") != "agentrun/1" || q.Header.Get("Key") != "k" || json.Unmarshal(body, &t) != nil || json.Unmarshal(body, &m) != nil {
		r.bad = append(r.bad, string(body))
	}
	for _, one := range t.ResourceSpans {
		for _, s := range one.ScopeSpans {
			r.spans = append(r.spans, s.Spans...)
		}
	}
	for _, one := range m.ResourceMetrics {
		for _, s := range one.ScopeMetrics {
			r.metrics = append(r.metrics, s.Metrics...)
		}
	}
	w.WriteHeader(http.StatusOK)
}

func (s *span) get(key string) string {
	for _, a := range s.Attributes {
		if a.Key != key {
			continue
		}
		switch {
		case a.Value.String != nil:
			return *a.Value.String
		case a.Value.Int != nil:
			return *a.Value.Int
		}
	}
	return ""
}

func start(t *testing.T, r http.Handler, about About, env ...string) *Run {
	t.Helper()
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	cfg, warnings := Read(environment(append(env, "OTEL_EXPORTER_OTLP_ENDPOINT="+server.URL, "OTEL_EXPORTER_OTLP_HEADERS=key=k")...), "1")
	if len(warnings) > 0 {
		t.Fatal(warnings)
	}
	return Start(cfg, about, time.Now)
}

func chunks() []stream.Chunk {
	return []stream.Chunk{
		{Type: stream.System, Metadata: &stream.Metadata{SessionID: "s", Model: "m"}},
		{Type: stream.Text, Content: "secret words"},
		{Type: stream.ToolUse, ToolName: "Task", ToolID: "1", ToolInput: json.RawMessage(`{"a":"secret input"}`)},
		{Type: stream.ToolUse, ToolName: "Bash", ToolID: "2", Metadata: &stream.Metadata{ParentToolID: "1"}},
		{Type: stream.ToolResult, ToolName: "Bash", ToolID: "2", IsError: true, ToolOutput: json.RawMessage(`"secret output"`)},
		{Type: stream.ToolResult, ToolName: "Task", ToolID: "1"},
		{Type: stream.ToolUse, ToolName: "Lost", ToolID: "3"},
		{Type: stream.Result, Metadata: &stream.Metadata{Usage: &stream.Usage{InputTokens: new(int64(120)), OutputTokens: new(int64(40))}, TotalCostUSD: new(0.5)}},
	}
}

func TestRun(t *testing.T) {
	const parent = "TRACEPARENT=00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
	for _, content := range []bool{false, true} {
		var got receiver
		env := []string{parent}
		if content {
			env = append(env, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true")
		}
		r := start(t, &got, About{ID: "run", Provider: "claude", Service: "anthropic", Title: "Claude Code", Model: "m0", Prompt: "secret prompt", Self: "1"}, env...)
		for _, c := range chunks() {
			r.Chunk(c)
		}
		if err := r.End("limit", "max_turns"); err != nil || len(got.bad) > 0 {
			t.Fatalf("%v, bad %q", err, got.bad)
		}
		spans := map[string]*span{}
		for _, s := range got.spans {
			spans[s.Name] = s
			if s.TraceID != "0123456789abcdef0123456789abcdef" || s.Start > s.End || s.End == "" {
				t.Errorf("%s: trace %s, from %s to %s", s.Name, s.TraceID, s.Start, s.End)
			}
		}
		run, turn, task := spans["invoke_agent Claude Code"], spans["turn 1"], spans["execute_tool Task"]
		if len(spans) != 5 || run == nil || turn == nil || task == nil {
			t.Fatalf("spans: %v", spans)
		}
		if want := "00-0123456789abcdef0123456789abcdef-" + run.SpanID + "-01"; r.Traceparent() != want {
			t.Errorf("the vendor is told %s, want %s", r.Traceparent(), want)
		}
		parents := []string{run.ParentID, turn.ParentID, task.ParentID, spans["execute_tool Bash"].ParentID, spans["execute_tool Lost"].ParentID}
		if diff := cmp.Diff([]string{"0123456789abcdef", run.SpanID, turn.SpanID, task.SpanID, turn.SpanID}, parents); diff != "" {
			t.Errorf("parents (-want +got):\n%s", diff)
		}
		facts := []string{
			run.get("gen_ai.provider.name"), run.get("agentrun.provider"), run.get("gen_ai.request.model"),
			run.get("gen_ai.usage.input_tokens"), run.get("gen_ai.conversation.id"), run.get("gen_ai.response.model"), run.get("error.type"),
			turn.get("agentrun.turn.status"), spans["execute_tool Bash"].get("error.type"), spans["execute_tool Lost"].get("error.type"), task.get("error.type"),
		}
		if diff := cmp.Diff([]string{"anthropic", "claude", "m0", "120", "s", "m", "limit/max_turns", "failed", "tool_error", "no_result", ""}, facts); diff != "" {
			t.Errorf("facts (-want +got):\n%s", diff)
		}
		all, err := json.Marshal(got.spans)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"secret prompt", "secret words", "secret input", "secret output"} {
			if strings.Contains(string(all), secret) != content {
				t.Errorf("content wanted: %v, but %q is there: %v", content, secret, !content)
			}
		}
		var names []string
		for _, m := range got.metrics {
			names = append(names, m.Name)
		}
		if diff := cmp.Diff([]string{"gen_ai.client.token.usage", "agentrun.cost", "gen_ai.client.operation.duration"}, names); diff != "" {
			t.Errorf("metrics (-want +got):\n%s", diff)
		}
		if points := got.metrics[0].Histogram.Points; len(points) != 2 || points[0].Sum+points[1].Sum != 160 {
			t.Errorf("token points: %+v", points)
		}
	}
}

func TestLive(t *testing.T) {
	var got receiver
	r := start(t, &got, About{ID: "run", Provider: "codex", Title: "Codex", Live: true, Self: "1"})
	for n := 1; n <= 2; n++ {
		r.Line(stream.LiveLine{Type: stream.LiveTurnStart, Turn: n})
		r.Line(stream.LiveLine{Type: stream.LiveTurnEnd, Turn: n, Status: stream.TurnCompleted})
	}
	r.Line(stream.LiveLine{Type: stream.LiveStateLine, State: stream.StateClosed})
	if err := r.End("", ""); err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, s := range got.spans {
		names[s.Name]++
	}
	if diff := cmp.Diff(map[string]int{"invoke_agent Codex": 1, "turn 1": 1, "turn 2": 1}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What the user says belongs to the turn in which it is acknowledged, where it is wanted.
func TestHeard(t *testing.T) {
	for content, want := range map[string]string{"true": `[{"role":"user","parts":[{"type":"text","content":"one"},{"type":"text","content":"part"},{"type":"text","content":"left"}]}]`, "false": ""} {
		var got receiver
		r := start(t, &got, About{Title: "Codex", Live: true, Self: "1"}, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="+content)
		for _, in := range []stream.LiveInput{
			{Type: stream.LiveMessage, ID: "1", Text: "one", Parts: []stream.Part{{Type: "text", Text: "part"}, {Type: "image", Path: "x.png"}}},
			{Type: stream.LiveMessage, ID: "2", Text: "refused"},
			{Type: stream.LiveMessage, ID: "3", Text: "two"},
			{Type: stream.LiveSteer, Text: "left"},
			{Type: stream.LiveAnswer, ID: "4", Message: "no words of a turn"},
		} {
			r.Heard(in)
		}
		for _, l := range []stream.LiveLine{
			{Type: stream.LiveAck, ID: "1", Input: stream.LiveMessage},
			{Type: stream.LiveTurnStart, Turn: 1},
			{Type: stream.LiveRefused, ID: "2", Input: stream.LiveMessage},
			{Type: stream.LiveAck, ID: "3", Input: stream.LiveMessage, Queued: true},
			{Type: stream.LiveAck, Input: stream.LiveSteer},
			{Type: stream.LiveTurnEnd, Turn: 1, Status: stream.TurnCompleted},
			{Type: stream.LiveAck, ID: "3", Input: stream.LiveMessage},
			{Type: stream.LiveTurnStart, Turn: 2},
		} {
			r.Line(l)
		}
		if err := r.End("", ""); err != nil {
			t.Fatal(err)
		}
		asked := map[string]string{}
		for _, s := range got.spans {
			asked[s.Name] = s.get("gen_ai.input.messages")
		}
		second := strings.Replace(want, `"one"},{"type":"text","content":"part"},{"type":"text","content":"left"`, `"two"`, 1)
		if diff := cmp.Diff(map[string]string{"invoke_agent Codex": "", "turn 1": want, "turn 2": second}, asked); diff != "" {
			t.Errorf("wanted %s (-want +got):\n%s", content, diff)
		}
	}
}

// What was said is one message: its units are parts, and pieces are joined.
func TestSaid(t *testing.T) {
	var got receiver
	r := start(t, &got, About{Provider: "pi", Self: "1"}, "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true")
	for _, c := range []stream.Chunk{
		{Type: stream.Text, Content: "one"},
		{Type: stream.Text, Content: "two"},
		{Type: stream.Text, Content: "th", IsDelta: true},
		{Type: stream.Text, Content: "ree", IsDelta: true},
		{Type: stream.ToolUse, ToolName: "Task", ToolID: "1"},
		{Type: stream.ToolResult, ToolName: "Task", ToolID: "1"},
		{Type: stream.Text, Content: "not ours", Metadata: &stream.Metadata{ParentToolID: "1"}},
		{Type: stream.ToolUse, ToolName: "Bash", ToolID: "2", Metadata: &stream.Metadata{ParentToolID: "1"}},
		{Type: stream.ToolResult, ToolName: "Bash", ToolID: "2"},
		{Type: stream.Text, Content: "four", IsDelta: true},
	} {
		r.Chunk(c)
	}
	if err := r.End("", ""); err != nil {
		t.Fatal(err)
	}
	spans := map[string]*span{}
	for _, s := range got.spans {
		spans[s.Name] = s
	}
	const part = `{"type":"text","content":"`
	want := `[{"role":"assistant","parts":[` + part + `one"},` + part + `two"},` + part + `three"},` + part + `four"}],"finish_reason":"stop"}]`
	if diff := cmp.Diff(want, spans["turn 1"].get("gen_ai.output.messages")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if up := spans["execute_tool Task"].SpanID; spans["execute_tool Bash"].ParentID != up {
		t.Error("the call of a subagent in the background is not below the call that began it")
	}
}

// TestUnreachable: a receiver that fails or does not answer is an error, in bounded time.
func TestUnreachable(t *testing.T) {
	released := make(chan struct{})
	for name, h := range map[string]http.HandlerFunc{
		"fails":   func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"silence": func(http.ResponseWriter, *http.Request) { <-released },
	} {
		r := start(t, h, About{Provider: "pi"}, "OTEL_EXPORTER_OTLP_TIMEOUT=50")
		if r.End("", "") == nil {
			t.Errorf("%s: no error", name)
		}
	}
	close(released)
}

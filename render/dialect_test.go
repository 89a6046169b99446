package render

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/stream"
)

// tell gives everything to a dialect, and returns its lines, which fit its schema.
func tell(t *testing.T, name string, live bool, all ...any) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	d := NewDialect(name, &out, DialectOptions{Run: "r", Live: live, Now: func() time.Time { return time.UnixMilli(1700000000000) }})
	for _, one := range all {
		var err error
		switch one := one.(type) {
		case stream.Chunk:
			err = d.Emit(one)
		case stream.LiveLine:
			err = d.Line(one)
		case stream.LiveInput:
			d.Heard(one)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := conformance.Valid(name, out.Bytes()); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var lines []map[string]any
	for line := range bytes.Lines(out.Bytes()) {
		var event map[string]any
		if err := json.Unmarshal(line, &event); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, event)
	}
	return lines
}

// brief is what the lines are, for comparison.
func brief(name string, lines []map[string]any) []string {
	var list []string
	for _, l := range lines {
		words := []any{l["type"], l["role"], l["kind"], l["reason"], l["action"], l["threadId"]}
		if ev, ok := l["ev"].(map[string]any); ok && name == SessionEvents {
			words = []any{ev["t"], l["role"], ev["text"], ev["status"], ev["decision"], l["turn"], l["subagent"]}
		}
		var some []string
		for _, w := range words {
			if s, ok := w.(string); ok {
				some = append(some, s)
			}
		}
		list = append(list, strings.Join(some, " "))
	}
	return list
}

func run() []any {
	cost, n := 0.5, int64(3)
	return []any{
		stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeRunStart, RunID: "r", Provider: "claude", Cwd: "/repo"}},
		stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeSession, SessionID: "s", Model: "m"}},
		stream.Chunk{Type: stream.Thinking, Content: "hm"},
		stream.Chunk{Type: stream.Text, Content: "Lo", IsDelta: true},
		stream.Chunk{Type: stream.ToolUse, ToolName: "Task", ToolID: "t1", ToolInput: json.RawMessage(`{"prompt":"look"}`)},
		stream.Chunk{Type: stream.Text, Content: "inside", Metadata: &stream.Metadata{ParentToolID: "t1", AgentType: "explorer"}},
		stream.Chunk{Type: stream.System, Content: "half way", ToolID: "t1", Metadata: &stream.Metadata{Notice: stream.NoticeTask}},
		stream.Chunk{Type: stream.ToolResult, ToolName: "Task", ToolID: "t1", ToolOutput: json.RawMessage(`"done"`)},
		stream.Chunk{Type: stream.ToolUse, ToolName: "odd", ToolInput: json.RawMessage(`[1]`)},
		stream.Chunk{Type: stream.ToolResult, ToolName: "odd", IsError: true, ToolOutput: json.RawMessage(`{"a":1}`)},
		stream.Chunk{Type: stream.Result, Content: "all", Metadata: &stream.Metadata{Usage: &stream.Usage{InputTokens: &n}, TotalCostUSD: &cost}},
	}
}

func session() []any {
	in := func(i stream.LiveInput) any { return i }
	return []any{
		run()[0],
		stream.LiveLine{Type: stream.LiveStateLine, State: stream.StateStarting},
		in(stream.LiveInput{Type: stream.LiveMessage, ID: "1", Text: "go", Parts: []stream.Part{{Type: "text", Text: "on"}, {Type: "file", Path: "a.go"}, {Type: "image", Data: "AA", MediaType: "image/png"}}}),
		stream.LiveLine{Type: stream.LiveAck, ID: "1", Input: stream.LiveMessage, Queued: true},
		stream.LiveLine{Type: stream.LiveAck, ID: "1", Input: stream.LiveMessage},
		stream.LiveLine{Type: stream.LiveTurnStart, Turn: 1, Messages: []string{"1"}},
		in(stream.LiveInput{Type: stream.LiveSteer, Text: "left"}),
		stream.LiveLine{Type: stream.LiveAck, Input: stream.LiveSteer},
		in(stream.LiveInput{Type: stream.LiveSteer, ID: "2", Text: "never"}),
		stream.LiveLine{Type: stream.LiveRefused, ID: "2", Input: stream.LiveSteer, Reason: "no_turn", Message: "no turn runs"},
		stream.LiveLine{Type: stream.LiveRequest, ID: "q", Kind: stream.AskToolPermission, Message: "allow?", Context: &stream.AskContext{ToolName: "Bash", ToolID: "t1"}},
		in(stream.LiveInput{Type: stream.LiveAnswer, ID: "3", RequestID: "q", Action: stream.Accept, For: "session"}),
		stream.LiveLine{Type: stream.LiveRequestEnd, ID: "q", Action: stream.Accept, By: "answer"},
		stream.LiveLine{Type: stream.LiveAck, ID: "3", Input: stream.LiveAnswer},
		stream.LiveLine{Type: stream.LiveRequest, ID: "p", Kind: stream.AskQuestion, Schema: json.RawMessage(`{"type":"object"}`)},
		stream.LiveLine{Type: stream.LiveRequestEnd, ID: "p", By: "agent"},
		stream.LiveLine{Type: stream.LiveRequestEnd, ID: "unasked", Action: stream.Decline, By: "policy"},
		in(stream.LiveInput{Type: stream.LiveAbort}),
		stream.LiveLine{Type: stream.LiveAck, Input: stream.LiveAbort},
		stream.LiveLine{Type: stream.LiveTurnEnd, Turn: 1, Status: stream.TurnCancelled, Metadata: &stream.Metadata{}},
		in(stream.LiveInput{Type: stream.LiveUpdate, Model: "other", Effort: "high"}),
		stream.LiveLine{Type: stream.LiveAck, Input: stream.LiveUpdate},
		stream.LiveLine{Type: stream.LiveTurnStart, Turn: 2},
		stream.LiveLine{Type: stream.LiveTurnEnd, Turn: 2, Status: stream.TurnFailed, Class: "limit", Reason: "max_turns", Message: "too many", Content: "so far"},
		stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{SessionID: "s"}},
		stream.LiveLine{Type: stream.LiveStateLine, State: stream.StateClosed},
	}
}

func TestDialects(t *testing.T) {
	for _, c := range []struct {
		name string
		live bool
		in   []any
		want []string
	}{
		{AgentEvents, false, run(), []string{
			"initialize", "session_update", "message agent", "message agent", "tool_request", "message agent t1", "tool_update",
			"tool_response", "tool_request", "tool_response", "message agent", "usage", "stream_end completed",
		}},
		{SessionEvents, false, run(), []string{
			"session-control-changed agent", "turn-start agent r.t1", "agent-configuration-changed agent r.t1", "text agent hm r.t1", "text agent Lo r.t1",
			"tool-call-start agent r.t1", "subagent-start agent r.t1", "text agent inside r.t1 t1", "service agent half way r.t1",
			"subagent-stop agent r.t1", "tool-call-end agent r.t1", "tool-call-start agent r.t1", "tool-call-end agent r.t1",
			"text agent all r.t1", "turn-end agent completed r.t1",
		}},
		{AgentEvents, false, run()[:3], []string{"initialize", "session_update", "message agent", "stream_end aborted"}},
		{SessionEvents, false, run()[:3], []string{
			"session-control-changed agent", "turn-start agent r.t1", "agent-configuration-changed agent r.t1", "text agent hm r.t1", "turn-end agent cancelled r.t1",
		}},
		{AgentEvents, true, session(), []string{
			"initialize", "custom state", "custom ack", "message user", "custom ack", "custom turn_start", "message user", "custom ack", "custom refused",
			"elicitation_request", "elicitation_response accept", "custom ack", "elicitation_request", "elicitation_response cancel", "custom request_end", "custom ack",
			"stream_end aborted", "session_update", "custom ack", "custom turn_start", "message agent", "error", "stream_end max_turns", "custom session_end", "custom state",
		}},
		{SessionEvents, true, session(), []string{
			"session-control-changed agent", "service agent starting", "service agent ack", "text user go", "text user on", "file user", "file user", "service agent ack",
			"turn-start agent r.t1", "text user left r.t1", "service agent ack r.t1", "service agent no turn runs r.t1",
			"permission-request agent r.t1", "permission-response user allow-always r.t1", "service agent ack r.t1", "permission-request agent r.t1",
			"permission-response agent withdrawn r.t1", "service agent decline r.t1", "abort user r.t1", "service agent ack r.t1", "turn-end agent cancelled r.t1",
			"agent-configuration-changed user", "service agent ack", "turn-start agent r.t2", "text agent so far r.t2", "turn-end agent failed r.t2",
			"service agent the session has ended", "service agent closed",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			lines := tell(t, c.name, c.live, c.in...)
			if diff := cmp.Diff(c.want, brief(c.name, lines)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(lines, tell(t, c.name, c.live, c.in...)); diff != "" {
				t.Errorf("twice is not the same:\n%s", diff)
			}
		})
	}
}

// TestDialectsTotal: every chunk, of every notice and with every fact, and every
// line has a place, and its words and facts are in it.
func TestDialectsTotal(t *testing.T) {
	var all []any
	for _, typ := range append(stream.Types(), "new_type") {
		c := stream.Chunk{Type: typ, Content: "mark", ToolName: "mark", ToolID: "mark", Metadata: &stream.Metadata{MessageID: "mark"}}
		all = append(all, c)
	}
	for _, notice := range []string{
		stream.NoticeRunStart, stream.NoticeSession, stream.NoticeRetry, stream.NoticeCompaction, stream.NoticeDenied, stream.NoticeRateLimit, stream.NoticeModel,
		stream.NoticeTask, stream.NoticeTodo, stream.NoticeRetracted, stream.NoticeWarning, stream.NoticeInfo, stream.NoticeNoise, stream.NoticeUnknown,
		stream.NoticeMalformed, stream.NoticeTooLarge, stream.NoticeEncoding, stream.NoticeEndedLate, stream.NoticeBackground, stream.NoticePolicy, stream.NoticeHook,
		stream.NoticeFence, stream.NoticeOutputFailed, "a_vendors_own", "",
	} {
		all = append(all, stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: notice, Data: json.RawMessage(`"mark"`)}})
	}
	for f := range reflect.TypeFor[stream.Metadata]().Fields() {
		m := &stream.Metadata{}
		if f.Type.Kind() != reflect.String {
			continue
		}
		reflect.ValueOf(m).Elem().FieldByName(f.Name).SetString("mark")
		all = append(all, stream.Chunk{Type: stream.Text, Content: "mark", Metadata: m})
	}
	for _, typ := range []stream.LiveType{
		stream.LiveAck, stream.LiveRefused, stream.LiveRequest, stream.LiveRequestEnd, stream.LiveTurnStart, stream.LiveTurnEnd, stream.LiveStateLine, "new_line",
	} {
		all = append(all, stream.LiveLine{Type: typ, ID: "mark", Kind: "mark", Message: "mark", Turn: 1, Status: stream.TurnFailed, State: stream.StateIdle})
	}
	for _, name := range []string{AgentEvents, SessionEvents} {
		for _, one := range all {
			said := tell(t, name, true, one)
			text, err := json.Marshal(said)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), "mark") {
				t.Errorf("%s has no place for %+v: %s", name, one, text)
			}
		}
	}
}

// TestDialectSchemas: the schemas have the fields of the events, and no others.
func TestDialectSchemas(t *testing.T) {
	type schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	names := func(typ reflect.Type) []string {
		var list []string
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			list = append(list, name)
		}
		slices.Sort(list)
		return list
	}
	union := func(list []schema) []string {
		all := map[string]bool{}
		for _, s := range list {
			for name := range s.Properties {
				all[name] = true
			}
		}
		return slices.Sorted(maps.Keys(all))
	}
	var events struct {
		OneOf []schema `json:"oneOf"`
	}
	var envelopes struct {
		Properties struct {
			Ev struct {
				OneOf []schema `json:"oneOf"`
			} `json:"ev"`
		} `json:"properties"`
	}
	for name, v := range map[string]any{AgentEvents: &events, SessionEvents: &envelopes} {
		text, _ := stream.Schema(name)
		if err := json.Unmarshal(text, v); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(names(reflect.TypeFor[agentEvent]()), union(events.OneOf)); diff != "" {
		t.Errorf("%s (-type +schema):\n%s", AgentEvents, diff)
	}
	if diff := cmp.Diff(names(reflect.TypeFor[sessionEvent]()), union(envelopes.Properties.Ev.OneOf)); diff != "" {
		t.Errorf("%s (-type +schema):\n%s", SessionEvents, diff)
	}
}

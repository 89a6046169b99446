package stream_test

import (
	"encoding/json"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/stream"
)

// object is as much of a schema as the comparison needs.
type object struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Defs       map[string]object          `json:"$defs"`
}

func load(t *testing.T, name string) object {
	t.Helper()
	text, ok := stream.Schema(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// keys lists the JSON names of a struct's fields, embedded structs flattened.
func keys(t reflect.Type) []string {
	var names []string
	for f := range t.Fields() {
		if f.Anonymous {
			names = append(names, keys(f.Type)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func properties(o object) []string {
	var names []string
	for name := range o.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func TestSchemaHasEveryField(t *testing.T) {
	chunk := load(t, "chunk")
	result := load(t, "result")
	input := load(t, "live-input")
	line := load(t, "live-line")
	hook := load(t, "hook-input")
	hookAnswer := load(t, "hook-answer")
	tests := []struct {
		name string
		typ  any
		got  object
	}{
		{"chunk", stream.Stamped{}, chunk},
		{"metadata", stream.Metadata{}, chunk.Defs["metadata"]},
		{"usage", stream.Usage{}, chunk.Defs["usage"]},
		{"denial", stream.Denial{}, chunk.Defs["denial"]},
		{"open_tool", stream.OpenTool{}, chunk.Defs["open_tool"]},
		{"result", stream.OneShot{}, result},
		{"live-input", stream.LiveInput{}, input},
		{"part", stream.Part{}, input.Defs["part"]},
		{"live-line", stampedLine{}, line},
		{"context", stream.AskContext{}, line.Defs["context"]},
		{"hook-input", stream.HookInput{}, hook},
		{"hook request", stream.HookRequest{}, hook.Defs["request"]},
		{"hook error", stream.OneShotError{}, hook.Defs["error"]},
		{"hook result", stream.OneShot{}, hook.Defs["result"]},
		{"hook-answer", stream.HookAnswer{}, hookAnswer},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(keys(reflect.TypeOf(tt.typ)), properties(tt.got)); diff != "" {
				t.Errorf("fields of the type and of the schema (-type +schema):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(line.Defs["context"], hook.Defs["context"]); diff != "" {
		t.Errorf("live-line and hook-input describe a request's context differently:\n%s", diff)
	}
	for _, own := range []string{"context", "request", "error", "result"} {
		delete(line.Defs, own)
		delete(hook.Defs, own)
	}
	for name, other := range map[string]object{"result": result, "live-line": line, "hook-input": hook} {
		if diff := cmp.Diff(chunk.Defs, other.Defs); diff != "" {
			t.Errorf("chunk and %s describe the same things differently:\n%s", name, diff)
		}
	}
}

// stampedLine is a line of a live session under --stamp.
type stampedLine struct {
	stream.Stamp
	stream.LiveLine
}

func TestSchemaRefuses(t *testing.T) {
	tests := []struct {
		name, line string
		ok         bool
	}{
		{"text", `{"type":"text","content":"hi"}`, true},
		{"error", `{"type":"error","content":"no","is_error":true,"metadata":{"class":"auth","origin":"provider","retryable":false}}`, true},
		{"unknown type", `{"type":"telemetry"}`, false},
		{"unknown key", `{"type":"text","content":"hi","colour":"red"}`, false},
		{"unknown class", `{"type":"error","content":"no","is_error":true,"metadata":{"class":"sad","origin":"host","retryable":false}}`, false},
		{"error without is_error", `{"type":"error","content":"no","metadata":{"class":"auth","origin":"host","retryable":false}}`, false},
		{"notice without a word", `{"type":"system","metadata":{}}`, false},
		{"live-input: message", `{"type":"message","id":"1","text":"hi","parts":[{"type":"image","path":"a.png"}]}`, true},
		{"live-input: answer", `{"type":"answer","request_id":"7","action":"accept","data":{"command":"ls"},"for":"session"}`, true},
		{"live-input: message without words", `{"type":"message"}`, false},
		{"live-input: image without an image", `{"type":"message","parts":[{"type":"image"}]}`, false},
		{"live-input: answer to nothing", `{"type":"answer","action":"accept"}`, false},
		{"live-input: empty update", `{"type":"update"}`, false},
		{"live-input: unknown", `{"type":"dance"}`, false},
		{"live-line: turn_end", `{"type":"turn_end","turn":1,"status":"completed","metadata":{"num_turns":1}}`, true},
		{"live-line: request", `{"type":"request","id":"7","kind":"question","message":"which?","schema":{"type":"object"},"context":{"tool_name":"Ask"}}`, true},
		{"live-line: no reason", `{"type":"refused","id":"1","message":"no"}`, false},
		{"live-line: turn 0", `{"type":"turn_start","turn":0}`, false},
		{"live-line: unknown state", `{"type":"state","state":"asleep"}`, false},
		{"hook-input: a tool", `{"event":"before_tool","run_id":"1","provider":"pi","cwd":"/","turn":1,"tool_name":"bash","tool_input":{"command":"ls"},"command":"ls"}`, true},
		{"hook-input: no request", `{"event":"on_request","run_id":"1","provider":"pi","cwd":"/"}`, false},
		{"hook-input: unknown event", `{"event":"after_all","run_id":"1","provider":"pi","cwd":"/"}`, false},
		{"hook-answer: block", `{"action":"block","reason":"no"}`, true},
		{"hook-answer: a changed input", `{"action":"modify","tool_input":{"command":"ls"}}`, true},
		{"hook-answer: nothing is changed", `{"action":"modify"}`, false},
		{"hook-answer: two things are changed", `{"action":"modify","prompt":"x","data":{}}`, false},
		{"hook-answer: a change without modify", `{"action":"proceed","prompt":"x"}`, false},
		{"hook-answer: unknown", `{"action":"allow"}`, false},
		{"live-line: a chunk", `{"type":"text","content":"hi"}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			schema, _, named := strings.Cut(tt.name, ": ")
			if !named {
				schema = "chunk"
			}
			if err := conformance.Valid(schema, []byte(tt.line+"\n")); (err == nil) != tt.ok {
				t.Errorf("valid: want %v, got %v", tt.ok, err)
			}
		})
	}
}

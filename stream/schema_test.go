package stream_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentrun/stream"
)

// object is as much of a schema as the comparison needs.
type object struct {
	Properties map[string]json.RawMessage `json:"properties"`
	Defs       map[string]object          `json:"$defs"`
}

func load(t *testing.T, name string) (object, *jsonschema.Schema) {
	t.Helper()
	text, ok := stream.Schema(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	var o object
	if err := json.Unmarshal(text, &o); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return o, s
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
	chunk, _ := load(t, "chunk")
	result, _ := load(t, "result")
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(keys(reflect.TypeOf(tt.typ)), properties(tt.got)); diff != "" {
				t.Errorf("fields of the type and of the schema (-type +schema):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(chunk.Defs, result.Defs); diff != "" {
		t.Errorf("the two schemas describe the same things differently:\n%s", diff)
	}
}

func TestSchemaRefuses(t *testing.T) {
	_, chunk := load(t, "chunk")
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
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := jsonschema.UnmarshalJSON(strings.NewReader(tt.line))
			if err != nil {
				t.Fatal(err)
			}
			if err := chunk.Validate(doc); (err == nil) != tt.ok {
				t.Errorf("valid: want %v, got %v", tt.ok, err)
			}
		})
	}
}

package providers

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompileSchema(t *testing.T) {
	tests := []struct{ name, text, err string }{
		{"object", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"integer"}}}`, ""},
		{"anything", `true`, ""},
		{"draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"string"}`, ""},
		{"no JSON", `{`, "the schema is not JSON"},
		{"nothing", ``, "the schema is not JSON"},
		{"no schema", `[1]`, "not a JSON Schema"},
		{"unknown type", `{"type":"nope"}`, "not a JSON Schema"},
		{"unknown type of a property", `{"properties":{"a":{"type":["string","nope"]}}}`, `at "/properties/a": no type "nope"`},
		{"unknown type of a branch", `{"anyOf":[true,{"items":{"type":"nope"}}]}`, `at "/anyOf/1/items": no type "nope"`},
		{"values that look like types", `{"enum":[{"type":"nope"}],"const":{"type":"nope"},"default":{"type":"nope"},"examples":[{"type":"nope"}]}`, ""},
		{"a property called type", `{"properties":{"type":{"type":"string"}}}`, ""},
		{"dangling reference", `{"$ref":"#/$defs/x"}`, "not a JSON Schema"},
		{"another file", `{"$ref":"other.json"}`, "only references inside"},
		{"an absolute file", `{"$ref":"file:///etc/passwd"}`, "only references inside"},
		{"the network", `{"$ref":"https://example.com/x"}`, "only references inside"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			schema, err := CompileSchema([]byte(tt.text))
			if tt.err == "" {
				if err != nil || schema == nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Class != Usage || e.Reason != "schema" || !strings.Contains(e.Message, tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
		})
	}
}

func TestSchemaCheck(t *testing.T) {
	schema, err := CompileSchema([]byte(`{"type":"object","required":["a"],"properties":{"b":{"type":"array","items":{"type":"integer"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ value, want string }{
		{`{"a":null,"b":[1,9007199254740993]}`, ""},
		{`{"b":["x"]}`, `at /properties/b/items: type: x has type "string", want "integer"`},
		{`7`, `type: 7 has type "integer", want "object"`},
		{`{`, "unexpected end of JSON input"},
	}
	for _, tt := range tests {
		got := ""
		if err := schema.Check([]byte(tt.value)); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.value, diff)
		}
	}
}

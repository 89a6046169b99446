package stream_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

// The types and the schema name the same things, in the same order.
func TestTypes(t *testing.T) {
	var schema struct {
		Properties struct {
			Type struct{ Enum []stream.Type }
		}
	}
	text, _ := stream.Schema("chunk")
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stream.Types(), schema.Properties.Type.Enum); diff != "" {
		t.Errorf("(-types +schema):\n%s", diff)
	}
}

func TestSchemaNames(t *testing.T) {
	for _, name := range stream.SchemaNames() {
		if text, ok := stream.Schema(name); !ok || !json.Valid(text) {
			t.Errorf("%s: there %v, valid %v", name, ok, json.Valid(text))
		}
	}
	for _, name := range []string{"", "nope", "../chunk", "chunk.json"} {
		if _, ok := stream.Schema(name); ok {
			t.Errorf("%q is a schema", name)
		}
	}
}

// Absent is not zero, and a stamp is part of the same object.
func TestChunkJSON(t *testing.T) {
	tests := []struct {
		in   any
		want string
	}{
		{stream.Chunk{Type: stream.Text}, `{"type":"text"}`},
		{
			stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{NumTurns: new(0), TotalCostUSD: new(0.0), Usage: &stream.Usage{OutputTokens: new(int64(0))}}},
			`{"type":"result","metadata":{"usage":{"output_tokens":0},"total_cost_usd":0,"num_turns":0}}`,
		},
		{
			stream.Chunk{Type: stream.Error, IsError: true, Metadata: &stream.Metadata{Retryable: new(false), ExitStatus: new(0)}},
			`{"type":"error","is_error":true,"metadata":{"retryable":false,"exit_status":0}}`,
		},
		{stream.Stamped{Stamp: stream.Stamp{Seq: 1, Run: "r"}, Chunk: stream.Chunk{Type: stream.Text, Content: "x"}}, `{"seq":1,"time":"","run":"r","type":"text","content":"x"}`},
		{stream.OneShot{}, `{"result":"","session_id":null,"model":null,"usage":{},"metadata":{},"error":null}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(tt.in)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, string(got)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

package stream_test

import (
	"encoding/json"
	"testing"
	"time"

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

func TestOutputText(t *testing.T) {
	for output, want := range map[string]string{
		`"a\n\"b\""`: "a\n\"b\"", `{"a": 1}`: `{"a": 1}`, `["x"]`: `["x"]`, "7": "7", "": "", `""`: "", "null": "",
	} {
		if got := (&stream.Chunk{ToolOutput: json.RawMessage(output)}).OutputText(); got != want {
			t.Errorf("%s: got %q, want %q", output, got, want)
		}
	}
}

func TestStampTime(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6_789_000, time.FixedZone("", 3600))
	if got := stream.StampTime(at); got != "2026-01-02T02:04:05.006Z" {
		t.Error(got)
	}
}

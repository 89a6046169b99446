package pi

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// FuzzMapper feeds any records in any order: no panic, no terminal chunk, no
// tool result without its call, no error of another class.
func FuzzMapper(f *testing.F) {
	paths, err := filepath.Glob("testdata/recordings/*/stdout.jsonl")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 16<<10 {
			f.Add(data, uint8(0))
			f.Add(data, uint8(3))
		}
	}
	f.Add([]byte(`{"type":"tool_execution_end","toolCallId":"a"}`+"\n"+`{"type":"agent_settled"}`), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, skip uint8) {
		m := New().NewMapper(providers.Request{Fields: New().NewFields()})
		open := map[string]int{}
		for i, line := range bytes.Split(data, []byte("\n")) {
			if !ndjson.Valid(line) || len(line) == 0 || line[0] != '{' || skip > 0 && i%(int(skip)+1) == 1 {
				continue
			}
			err := m.Map(ndjson.Record{Raw: line}, func(c stream.Chunk) { checkChunk(t, open, c) })
			var e *providers.Error
			if err != nil && (!errors.As(err, &e) || e.Class != providers.Protocol) {
				t.Fatalf("%s: error %v is not of class protocol", line, err)
			}
			m.Facts()
		}
		if v := m.Verdict(providers.Exit{Code: int(skip % 2)}); v.Err != nil && v.Err.Class == "" {
			t.Fatalf("an error without class: %v", v.Err)
		}
	})
}

func checkChunk(t *testing.T, open map[string]int, c stream.Chunk) {
	t.Helper()
	switch c.Type {
	case stream.Result, stream.Error:
		t.Fatalf("the mapper emitted a terminal chunk: %+v", c)
	case stream.ToolUse:
		open[c.ToolID]++
	case stream.ToolResult:
		if open[c.ToolID]--; open[c.ToolID] < 0 {
			t.Fatalf("result of %q without its call", c.ToolID)
		}
	case stream.System:
		if c.Metadata == nil || c.Metadata.Notice == "" {
			t.Fatalf("a system chunk that is no notice: %+v", c)
		}
	case stream.Text, stream.Thinking:
		if c.Content == "" {
			t.Fatal("an empty piece")
		}
	}
}

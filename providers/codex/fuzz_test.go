package codex_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

// FuzzMapper feeds the mapper records in any order and shape.
func FuzzMapper(f *testing.F) {
	paths, err := filepath.Glob("testdata/recordings/*/stdout.jsonl")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no recordings: %v", err)
	}
	for i, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, uint16(i), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, turn uint16, grease bool) {
		lines := bytes.Split(data, []byte("\n"))
		if len(lines) > 1 { // begin anywhere
			at := int(turn) % len(lines)
			lines = append(lines[at:len(lines):len(lines)], lines[:at]...)
		}
		m := codex.New().NewMapper(providers.Request{Fields: codex.New().NewFields()})
		open := map[string]bool{}
		for _, line := range lines {
			if grease {
				line = bytes.Replace(line, []byte(`{"type"`), []byte(`{"zz_new":{"text":[1,null]},"type"`), 1)
			}
			if !ndjson.Valid(line) || line[0] != '{' {
				continue
			}
			_ = m.Map(ndjson.Record{Raw: line}, func(c stream.Chunk) { checkChunk(t, c, open) })
		}
		if v := m.Verdict(providers.Exit{}); v.Err != nil && v.Err.Message == "" {
			t.Error("a failure without words")
		}
	})
}

func checkChunk(t *testing.T, c stream.Chunk, open map[string]bool) {
	t.Helper()
	switch c.Type {
	case stream.Result, stream.Error:
		t.Errorf("the mapper emitted a %s", c.Type)
	case stream.ToolUse:
		open[c.ToolID] = true
	case stream.ToolResult:
		if !open[c.ToolID] {
			t.Errorf("a result of %q without its use", c.ToolID)
		}
		delete(open, c.ToolID)
	case stream.Text, stream.Thinking:
		if c.Content == "" {
			t.Errorf("an empty %s", c.Type)
		}
	case stream.System:
		if c.Metadata == nil || c.Metadata.Notice == "" {
			t.Error("a system chunk without a notice")
		}
	default:
		t.Errorf("unknown type %q", c.Type)
	}
	for _, raw := range [][]byte{c.ToolInput, c.ToolOutput} {
		if len(raw) > 0 && !ndjson.Valid(raw) {
			t.Errorf("not JSON: %s", raw)
		}
	}
}

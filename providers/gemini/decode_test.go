package gemini

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
)

// What read reads is what the struct's tags say.
func TestReadAgreesWithTags(t *testing.T) {
	for _, line := range []string{
		`{"type":"t","session_id":"s","model":"m","role":"r","content":"c\n\"é","delta":true,"tool_name":"n","tool_id":"i","parameters":{"a": [1]},` +
			`"output":"o\n","status":"u","error":{"type":"y","message":"z"},"severity":"v","message":"w","stats":{"total_tokens":3,"models":{"m":{}}},"new":{"type":"x"}}`,
		`{"type":"message","content":null,"delta":null,"output":null,"error":null,"stats":null}`, `{}`,
	} {
		var want, got event
		if err := ndjson.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		f := ndjson.Record{Raw: []byte(line)}.Fields()
		got.read(&f)
		if diff := cmp.Diff(want, got); diff != "" || f.Err() != nil {
			t.Errorf("%s: %v (-tags +read):\n%s", line, f.Err(), diff)
		}
	}
}

func TestReadRefusesOtherTypes(t *testing.T) {
	for _, line := range []string{`{"type":1}`, `{"content":{}}`, `{"delta":"true"}`, `{"error":"x"}`, `{"stats":[]}`} {
		f := ndjson.Record{Raw: []byte(line)}.Fields()
		if new(event).read(&f); f.Err() == nil {
			t.Errorf("%s: no error", line)
		}
	}
}

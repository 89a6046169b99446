package codex

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
)

// What read reads is what the structs' tags say.
func TestReadAgreesWithTags(t *testing.T) {
	lines := []string{
		`{"type":"item.completed","thread_id":"t","message":"m","error":{"message":"e"},"usage":{"input_tokens":1,"output_tokens":0},` +
			`"item":{"id":"i","type":"k","status":"s","text":"a\n\"ä\"","message":"m","command":"c","aggregated_output":"o\n","exit_code":3,` +
			`"changes":[{"a": 1}],"server":"s","tool":"t","arguments":{},"result":null,"error":{"message":"x"},"sender_thread_id":"a",` +
			`"receiver_thread_ids":["b"],"prompt":"p","agents_states":{"c":1},"query":"q","action":{"d":[]},"items":[1],"new":{"id":"z"}}}`,
		`{"type":"item.started","item":{"id":"a","id":"b","exit_code":null,"error":null,"text":null}}`,
		`{"type":"item.started","item":null}`, `{"type":"turn.started"}`, `{}`,
	}
	for _, line := range lines {
		var want, got event
		var it item
		if err := ndjson.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		f := ndjson.Record{Raw: []byte(line)}.Fields()
		got.read(&f, &it)
		if diff := cmp.Diff(want, got); diff != "" || f.Err() != nil {
			t.Errorf("%s: %v (-tags +read):\n%s", line, f.Err(), diff)
		}
	}
}

func TestReadRefusesOtherTypes(t *testing.T) {
	for _, line := range []string{
		`{"type":5}`, `{"type":"error","message":{}}`, `{"item":"x"}`, `{"item":{"text":[]}}`, `{"item":{"exit_code":"1"}}`, `{"error":"x"}`, `{"usage":1}`,
	} {
		f := ndjson.Record{Raw: []byte(line)}.Fields()
		new(event).read(&f, &item{})
		if f.Err() == nil {
			t.Errorf("%s: no error", line)
		}
	}
}

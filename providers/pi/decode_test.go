package pi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
)

// What read reads is what the structs' tags say.
func TestReadAgreesWithTags(t *testing.T) {
	for _, line := range []string{
		`{"type":"message_update","assistantMessageEvent":{"type":"t","contentIndex":2,"delta":"d\n","content":"c","partial":{"type":"x"}},"message":{"type":"y"}}`,
		`{"type":"message_update","assistantMessageEvent":null}`, `{"type":"turn_end","message":{"content":["}"]}}`, `{}`,
		`{"assistantMessageEvent":{"contentIndex":null,"delta":null}}`,
	} {
		var want, got head
		if err := ndjson.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		f := ndjson.Record{Raw: []byte(line)}.Fields()
		got.read(&f, &update{})
		if diff := cmp.Diff(want, got); diff != "" || f.Err() != nil {
			t.Errorf("%s: %v (-tags +read):\n%s", line, f.Err(), diff)
		}
	}
}

func TestReadRefusesOtherTypes(t *testing.T) {
	for _, line := range []string{`{"type":1}`, `{"assistantMessageEvent":[]}`, `{"assistantMessageEvent":{"contentIndex":"1"}}`, `{"assistantMessageEvent":{"delta":{}}}`} {
		f := ndjson.Record{Raw: []byte(line)}.Fields()
		if new(head).read(&f, &update{}); f.Err() == nil {
			t.Errorf("%s: no error", line)
		}
	}
}

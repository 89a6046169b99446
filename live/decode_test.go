package live

import (
	"strings"
	"testing"

	"agentrun/stream"
)

func TestRead(t *testing.T) {
	lines := strings.Join([]string{
		`{"type":"message","id":"1","text":"hi"}`,
		``,
		`null`,
		`nonsense`,
		`{"type":"message","id":"2","text":3}`,
		`{"type":"message","id":"3","txet":"hi","zzz":1}`,
		`{"type":"message","id":"4","text":"` + strings.Repeat("x", inputLimit) + `"}`,
		`{"type":"answer","id":"5","data":{"a":[1,2]}}`,
		`{"type":"close","id":"6"`,
	}, "\n")
	want := []struct {
		id, err string
	}{
		{"1", ""},
		{"", "not a JSON object"},
		{"", "not a JSON object"},
		{"2", "json"},
		{"3", `unknown key "txet"`},
		{"", "record"},
		{"5", ""},
		{"", "inside a record"},
	}
	n := 0
	for in := range Read(strings.NewReader(lines)) {
		if n == len(want) {
			t.Fatalf("more inputs than expected: %+v", in)
		}
		w := want[n]
		n++
		switch {
		case in.ID != w.id:
			t.Errorf("input %d has id %q, want %q", n, in.ID, w.id)
		case w.err == "" && in.Err != nil, w.err != "" && (in.Err == nil || !strings.Contains(in.Err.Error(), w.err)):
			t.Errorf("input %d: %v, want %q", n, in.Err, w.err)
		}
		if in.ID == "5" && (in.Type != stream.LiveAnswer || string(in.Data) != `{"a":[1,2]}`) {
			t.Errorf("input 5: %+v", in)
		}
	}
	if n != len(want) {
		t.Errorf("%d inputs, want %d", n, len(want))
	}
}

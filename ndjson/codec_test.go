package ndjson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Broken parts are found also where the Go type has no place for them.
func TestDecodeRefusesBrokenParts(t *testing.T) {
	for _, part := range []string{`tru`, `01`, `1.`, `-`, `"\q"`, `"\u12g4"`, "\"\t\"", `[1,]`, `{"y" 1}`, `{,}`, `[}`, `+1`, `nul`, `'x'`, ``} {
		raw := []byte(`{"unknown":` + part + `,"type":"x"}`)
		var v struct{ Type string }
		if err := (Record{Raw: raw}).Decode(&v); err == nil {
			t.Errorf("Decode(%s) accepted it", raw)
		}
		if Valid(raw) {
			t.Errorf("Valid(%s)", raw)
		}
	}
}

func TestDecodeIsLenientLikeTheStandardLibrary(t *testing.T) {
	type fields struct {
		Text string
		N    *int
	}
	cases := []struct {
		raw  string
		want fields
	}{
		{`{"text":"\ud83d\ude00"}`, fields{Text: "😀"}},
		{`{"text":"\ud83dx\udc00"}`, fields{Text: "\uFFFDx\uFFFD"}},
		{`{"text":"a","text":"b"}`, fields{Text: "b"}},
		{`{"TEXT":"case"}`, fields{Text: "case"}},
		{`{"n":null,"text":null}`, fields{}},
		{`{"unknown":{"text":"inner"},"n":0}`, fields{N: new(int)}},
	}
	for _, c := range cases {
		var got fields
		if err := Unmarshal([]byte(c.raw), &got); err != nil || !cmp.Equal(c.want, got) {
			t.Errorf("%s: got %+v, %v, want %+v", c.raw, got, err, c.want)
		}
	}
}

// What was decoded outlives the record.
func TestDecodeCopies(t *testing.T) {
	raw := []byte(`{"text":"first","raw":{"a":1}}`)
	var v struct {
		Text string
		Raw  RawMessage
	}
	if err := (Record{Raw: raw}).Decode(&v); err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		raw[i] = 'x'
	}
	if v.Text != "first" || string(v.Raw) != `{"a":1}` {
		t.Errorf("got %q and %s after the buffer was used again", v.Text, v.Raw)
	}
}

func TestDepth(t *testing.T) {
	for _, n := range []int{maxDepth, maxDepth + 1} {
		for _, raw := range []string{
			strings.Repeat("[", n) + strings.Repeat("]", n),
			strings.Repeat(`{"a":`, n) + "0" + strings.Repeat("}", n),
		} {
			if got, want := Valid([]byte(raw)), json.Valid([]byte(raw)); got != want {
				t.Errorf("depth %d of %.5q: Valid is %v, encoding/json says %v", n, raw, got, want)
			}
			var v any
			if got, want := Unmarshal([]byte(raw), &v) == nil, json.Unmarshal([]byte(raw), &v) == nil; got != want {
				t.Errorf("depth %d of %.5q: Unmarshal accepts: %v, encoding/json: %v", n, raw, got, want)
			}
		}
	}
}

func TestMarshal(t *testing.T) {
	got, err := Marshal(struct {
		Text string     `json:"text"`
		Raw  RawMessage `json:"raw,omitempty"`
	}{"a<b> & \u2028\xff", nil})
	const want = `{"text":"a<b> & \u2028\ufffd"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

func TestPresent(t *testing.T) {
	for in, want := range map[string]string{"": "", "null": "", `"null"`: `"null"`, "0": "0", "{}": "{}", "nul": "nul"} {
		got := Present(RawMessage(in))
		if string(got) != want || want == "" && got != nil {
			t.Errorf("Present(%q) = %q", in, got)
		}
	}
}

func TestEncode(t *testing.T) {
	if got := string(Encode([]any{"<a> & \"b\"", 1, RawMessage(`{"c":[]}`)})); got != `["<a> & \"b\"",1,{"c":[]}]` {
		t.Error(got)
	}
	if got := Encode(func() {}); got != nil {
		t.Errorf("%s", got)
	}
}

package ndjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
)

// member is what Fields finds, as encoding/json would decode it.
type member struct {
	Text string
	Bool bool
	Int  int
	Raw  string
}

func members(text string) (map[string]member, error) {
	out := map[string]member{}
	f := ndjson.Record{Raw: []byte(text)}.Fields()
	for f.Next() {
		m := member{Raw: string(f.Raw())}
		switch f.Value()[0] {
		case '"':
			m.Text = f.Text()
		case 't', 'f':
			m.Bool = f.Bool()
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			m.Int = f.Int()
		}
		out[string(f.Key())] = m
	}
	return out, f.Err()
}

func TestFields(t *testing.T) {
	text := `{"a":"x\n\"\\\/\u00e4\ud83d\ude00\ud800 \"","b" : [1,"]}",{"c":"}"}] , "n":-12,
		"t":true,"f":false,"null":null,"":{}, "k\u0065y":"€","\u0061\u00e4":1,"a2":"\\"} `
	got, err := members(text)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]member{
		"a":    {Text: "x\n\"\\/ä😀\uFFFD \"", Raw: `"x\n\"\\\/\u00e4\ud83d\ude00\ud800 \""`},
		"b":    {Raw: `[1,"]}",{"c":"}"}]`},
		"n":    {Int: -12, Raw: "-12"},
		"t":    {Bool: true, Raw: "true"},
		"f":    {Raw: "false"},
		"null": {Raw: "null"},
		"":     {Raw: "{}"},
		"key":  {Text: "€", Raw: `"€"`},
		"aä":   {Int: 1, Raw: "1"},
		"a2":   {Text: `\`, Raw: `"\\"`},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

func TestFieldsNull(t *testing.T) {
	f := ndjson.Record{Raw: []byte(`{"a":null,"b":1}`)}.Fields()
	if !f.Next() || f.Text() != "" || f.Bool() || f.Int() != 0 || !f.IsNull() {
		t.Error("null is not empty")
	}
	v := 7
	if f.Decode(&v); v != 7 {
		t.Error("null was stored")
	}
	inner := f.Enter()
	if inner.Next() {
		t.Error("null has members")
	}
	f.Leave(&inner)
	if !f.Next() || f.Int() != 1 || f.Next() || f.Next() || f.Err() != nil {
		t.Error("not b, and then the end", f.Err())
	}
}

// Members of members, read to the end, to the middle or not at all.
func TestFieldsEnter(t *testing.T) {
	const text = `{"a":{ "x" : 1 , "y":{"z":[{"}":2}]}, "w":2 } , "b":{}, "c":3}`
	for most := range 5 {
		f := ndjson.Record{Raw: []byte(text)}.Fields()
		var seen string
		for f.Next() {
			seen += string(f.Key())
			if f.Value()[0] != '{' {
				continue
			}
			inner := f.Enter()
			for n := 0; n < most && inner.Next(); n++ {
				seen += string(inner.Key())
			}
			f.Leave(&inner)
		}
		if want := "a" + "xyw"[:min(most, 3)] + "bc"; seen != want || f.Err() != nil {
			t.Errorf("at most %d: saw %q, want %q (%v)", most, seen, want, f.Err())
		}
	}
}

func TestFieldsOfAnotherType(t *testing.T) {
	tests := map[string]func(*ndjson.Fields){
		`{"k":5}`:   func(f *ndjson.Fields) { f.Text() },
		`{"k":"5"}`: func(f *ndjson.Fields) { f.Int() },
		`{"k":1.5}`: func(f *ndjson.Fields) { f.Int() },
		`{"k":1}`:   func(f *ndjson.Fields) { f.Bool() },
		`{"k":[]}`:  func(f *ndjson.Fields) { f.Decode(new(string)) },
		`{"k":{"l":1}}`: func(f *ndjson.Fields) {
			inner := f.Enter()
			inner.Next()
			inner.Text()
			f.Leave(&inner)
		},
		`{"k":7}`: func(f *ndjson.Fields) {
			inner := f.Enter()
			f.Leave(&inner)
		},
	}
	for text, read := range tests {
		f := ndjson.Record{Raw: []byte(text)}.Fields()
		for f.Next() {
			read(&f)
		}
		if f.Err() == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// FuzzFields compares with encoding/json on valid objects.
func FuzzFields(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":"\ud83d\ude00\udc00\ud800x","b":{"c":["\"}",1e5]},"d":null}`, ` { "x" : "\\\"" , "y":[ ] } `, `{"a":1,"a":"\u0000é"}`, `{"a\\":true}`,
		`{"\u0061":1}`, `{"a":`, `{"a"`, `{`, ``, // the last are no objects
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		whole := ndjson.Record{Raw: text}.Fields()
		walk(&whole) // no panic, whatever it is
		var want map[string]json.RawMessage
		r := ndjson.NewReader(bytes.NewReader(text), 0)
		rec, err := r.Next()
		if err != nil || rec.Kind != ndjson.Object || json.Unmarshal(rec.Raw, &want) != nil {
			return
		}
		got := map[string]json.RawMessage{}
		fields := rec.Fields()
		for fields.Next() {
			key := string(fields.Key())
			got[key] = fields.Raw()
			if got[key][0] == '{' {
				inner := fields.Enter() // as if it had been read
				fields.Leave(&inner)
			}
			if got[key][0] != '"' {
				continue
			}
			var s string
			if err := json.Unmarshal(got[key], &s); err != nil || s != fields.Text() {
				t.Fatalf("%s: got %q, want %q (%v)", got[key], fields.Text(), s, err)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || fields.Err() != nil {
			t.Fatalf("%s: %v (-want +got):\n%s", rec.Raw, fields.Err(), diff)
		}
	})
}

// walk reads all that there is.
func walk(f *ndjson.Fields) {
	for f.Next() {
		f.Key()
		f.Text()
		f.Int()
		f.Bool()
		inner := f.Enter()
		walk(&inner)
		f.Leave(&inner)
	}
}

package ndjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzReader compares the reader with a splitter that is slow and obvious, and
// checks that the records account for every byte.
func FuzzReader(f *testing.F) {
	for _, c := range framings() {
		f.Add([]byte(c.in), uint8(c.limit), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, limit, step uint8) {
		want := split(in)
		if d := cmp.Diff(want, drain(NewReader(bytes.NewReader(in), 0))); d != "" {
			t.Errorf("records of %q (-slow +reader):\n%s", in, d)
		}
		whole := drain(NewReader(bytes.NewReader(in), int(limit)))
		pieces := drain(NewReader(&stepReader{in, int(step)%7 + 1}, int(limit)))
		if d := cmp.Diff(whole, pieces); d != "" {
			t.Errorf("%q with limit %d in pieces (-whole +pieces):\n%s", in, limit, d)
		}
		if left := unaccounted(in); left != "" {
			t.Errorf("records of %q do not account for %q", in, left)
		}
	})
}

// stepReader reads a few bytes at once.
type stepReader struct {
	rest []byte
	step int
}

func (r *stepReader) Read(p []byte) (int, error) {
	n := copy(p, r.rest[:min(r.step, len(r.rest))])
	r.rest = r.rest[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// split says what drain should, in the slowest way.
func split(in []byte) []string {
	var out []string
	lines := bytes.Split(in, []byte("\n"))
	for i, line := range lines {
		for lead := false; ; lead = true {
			line = trimFront(line)
			if len(line) == 0 {
				break
			}
			n := objectPrefix(line)
			if n == 0 {
				out = append(out, remainder(line, lead, i == len(lines)-1))
				break
			}
			out = append(out, printed("object", line[:n]))
			line = line[n:]
		}
	}
	return out
}

func remainder(line []byte, lead, last bool) string {
	raw := bytes.TrimRight(line, " \t\r")
	switch {
	case line[0] == '{' && last && isCut(line):
		return "error " + (&CutError{Bytes: len(line)}).Error()
	case line[0] == '{':
		return printed("malformed", raw)
	case !lead && json.Valid(raw):
		return printed("value", raw)
	}
	return printed("noise", raw)
}

func trimFront(b []byte) []byte {
	for {
		rest := bytes.TrimPrefix(bytes.TrimLeft(b, " \t\r"), []byte("\uFEFF"))
		if len(rest) == len(b) {
			return b
		}
		b = rest
	}
}

// objectPrefix returns the length of the object with which b begins, or 0.
func objectPrefix(b []byte) int {
	for n := range len(b) + 1 {
		if n > 0 && b[0] == '{' && b[n-1] == '}' && json.Valid(b[:n]) {
			return n
		}
	}
	return 0
}

func isCut(b []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(b)).Decode(&v), io.ErrUnexpectedEOF)
}

// printed replaces each run of invalid bytes.
func printed(kind string, raw []byte) string {
	var text strings.Builder
	replaced, inRun := 0, false
	for i, c := range string(raw) {
		invalid := c == utf8.RuneError && !bytes.HasPrefix(raw[i:], []byte("\uFFFD"))
		if invalid && !inRun {
			replaced++
		}
		if !invalid || !inRun {
			text.WriteRune(c)
		}
		inRun = invalid
	}
	if replaced > 0 {
		kind = fmt.Sprintf("%s+%d", kind, replaced)
	}
	return kind + " " + text.String()
}

// unaccounted returns from where on the records of valid UTF-8 do not follow
// each other with nothing but blanks between them.
func unaccounted(in []byte) string {
	r := NewReader(bytes.NewReader(in), 0)
	rest := in
	for {
		rec, err := r.Next()
		rest = bytes.TrimLeft(rest, " \t\r\n\uFEFF")
		var cut *CutError
		switch {
		case errors.Is(err, io.EOF):
			return string(rest)
		case errors.As(err, &cut):
			rec.Raw = cut.Tail
		case rec.Replaced > 0:
			return "" // the slow splitter covers these
		}
		if !bytes.HasPrefix(rest, rec.Raw) {
			return string(rest)
		}
		rest = rest[len(rec.Raw):]
	}
}

// event has the shapes that adapters decode into.
type event struct {
	Type    string                     `json:"type"`
	Subtype *string                    `json:"subtype"`
	IsError bool                       `json:"is_error"`
	Cost    *float64                   `json:"cost"`
	Turns   *int64                     `json:"turns"`
	Code    int                        `json:"code"`
	Input   json.RawMessage            `json:"input"`
	Content []block                    `json:"content"`
	Message *block                     `json:"message"`
	Models  map[string]json.RawMessage `json:"models"`
	Names   map[string]string          `json:"names"`
	Tags    []string                   `json:"tags"`
	Any     any                        `json:"any"`
}

type block struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	Inner *block `json:"inner"`
	Usage struct {
		Input  *int64 `json:"input_tokens"`
		Output *int64 `json:"output_tokens"`
	} `json:"usage"`
}

func decodeSeeds() []string {
	return []string{
		`{"type":"assistant","subtype":null,"is_error":true,"cost":0.25,"turns":3,"code":-1,"input":{"a":[1]},"content":[{"id":"x","text":"\u00e4\ud83d\ude00"}]}`,
		`{"message":{"id":"m","inner":{"text":"deep"},"usage":{"input_tokens":12,"output_tokens":0}},"models":{"a":1,"b":{}},"names":{"k":"v"},"tags":["a","b"],"any":[1,"x",null,{"y":false}]}`,
		`{"TYPE":"case","Type":"case"}`, `{"type":"a","type":"b"}`, `{"message":{"id":"a"},"message":{"text":"b"}}`,
		`{"any":"\ud83d","type":"\udc00x\ud83d\u0041"}`, `{"type":"` + "\xff" + `"}`, `{"turns":1.0}`, `{"turns":1e2}`, `{"turns":99999999999999999999}`,
		`{"code":01}`, `{"x":tru}`, `{"x":"` + "\t" + `"}`, `{"x":"\q"}`, `{"x":[1,]}`, `{"x":1.}`, `{"x":-}`, `{"x":{"y" 1}}`,
		`{"cost":1e400}`, `{"any":1e400}`, `{"type":7}`, `{"is_error":"yes"}`, `{"content":null,"message":null,"tags":null}`, `{"ty\u0070e":"escaped key"}`,
		`null`, `[]`, ``, ` {} `, `{}{}`, "\uFEFF{}", strings.Repeat(`{"message":`, 4), `{"any":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`,
	}
}

// FuzzDecode compares Valid and Unmarshal with encoding/json.
func FuzzDecode(f *testing.F) {
	for _, s := range decodeSeeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, want := Valid(in), json.Valid(in); got != want {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", in, got, want)
		}
		compareDecode[event](t, in)
		compareDecode[map[string]json.RawMessage](t, in)
		compareDecode[any](t, in)
	})
}

func compareDecode[T any](t *testing.T, in []byte) {
	t.Helper()
	var want, got T
	wantErr, err := json.Unmarshal(in, &want), Unmarshal(in, &got)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("Unmarshal(%q) into %T: %v, encoding/json says %v", in, got, err, wantErr)
	}
	if err == nil && !reflect.DeepEqual(want, got) { // cmp.Diff takes for ever on deep nesting
		t.Errorf("Unmarshal(%q) into %T = %+v, encoding/json says %+v", in, got, got, want)
	}
}

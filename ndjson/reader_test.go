package ndjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// drain reads everything and prints one line per record or error.
func drain(r *Reader) []string {
	var out []string
	for {
		rec, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case err != nil:
			out = append(out, "error "+err.Error())
		case rec.Replaced > 0:
			out = append(out, fmt.Sprintf("%v+%d %s", rec.Kind, rec.Replaced, rec.Raw))
		default:
			out = append(out, fmt.Sprintf("%v %s", rec.Kind, rec.Raw))
		}
	}
}

type framing struct {
	name  string
	limit int
	in    string
	want  []string
}

func framings() []framing {
	return []framing{
		{name: "empty", in: ""},
		{name: "lines", in: "{\"a\":1}\n{\"b\":2}\n", want: []string{`object {"a":1}`, `object {"b":2}`}},
		{name: "last line without newline", in: `{"a":1}`, want: []string{`object {"a":1}`}},
		{name: "CRLF", in: "{\"a\":1}\r\nnoise\r\n", want: []string{`object {"a":1}`, "noise noise"}},
		{name: "lone CR ends nothing", in: "a\rb\n", want: []string{"noise a\rb"}},
		{name: "empty lines", in: "\n\r\n  \t\n{}\n\n", want: []string{"object {}"}},
		{name: "blanks", in: " \t{\"a\" : [ 1 , 2 ] } \t\n", want: []string{`object {"a" : [ 1 , 2 ] }`}},
		{name: "line separators end nothing", in: "{\"a\":\"x\u2028y\u2029z\u0085\"}\n", want: []string{"object {\"a\":\"x\u2028y\u2029z\u0085\"}"}},
		{name: "byte order mark", in: "\uFEFF{}\n\uFEFF\n{}\uFEFF{}", want: []string{"object {}", "object {}", "object {}"}},
		{name: "concatenated", in: `{"a":{}}{"b":"}{"} {"c":[{}]}`, want: []string{`object {"a":{}}`, `object {"b":"}{"}`, `object {"c":[{}]}`}},
		{name: "braces and quotes in strings", in: `{"a":"{\"}\\"}{"b\\\"{":"\\\\"}`, want: []string{`object {"a":"{\"}\\"}`, `object {"b\\\"{":"\\\\"}`}},
		{name: "duplicate keys", in: `{"id":1,"id":2}`, want: []string{`object {"id":1,"id":2}`}},
		{name: "lone surrogate escape", in: `{"a":"\ud83d"}`, want: []string{`object {"a":"\ud83d"}`}},
		{name: "values", in: "[1,{}]\nnull\n-1.5e3\n\"s\"\ntrue\n[]", want: []string{"value [1,{}]", "value null", "value -1.5e3", `value "s"`, "value true", "value []"}},
		{name: "noise", in: "Debugger attached.\n[broken\n\"x\n}\nnul\x00l\n[1] [2]", want: []string{"noise Debugger attached.", "noise [broken", `noise "x`, "noise }", "noise nul\x00l", "noise [1] [2]"}},
		{name: "noise behind an object", in: "{\"a\":1} tail {\"b\":2}\n{}[1]\n{},{}\n7", want: []string{`object {"a":1}`, `noise tail {"b":2}`, "object {}", "noise [1]", "object {}", "noise ,{}", "value 7"}},
		{name: "malformed", in: "{a}{}\n{\"a\":1\n}\n{\"a\":tru}{}\n{\"a\":\"\t\"}\n{}", want: []string{"malformed {a}{}", `malformed {"a":1`, "noise }", `malformed {"a":tru}{}`, "malformed {\"a\":\"\t\"}", "object {}"}},
		{name: "malformed behind an object", in: "{}{]}\n{}", want: []string{"object {}", "malformed {]}", "object {}"}},
		{name: "wrong bracket", in: "{\"a\":[}\n{\"a\":[}]}\n", want: []string{`malformed {"a":[}`, `malformed {"a":[}]}`}},
		{name: "malformed at the end", in: `{"a" 1`, want: []string{`malformed {"a" 1`}},
		{name: "cut", in: "{}\n{\"a\":[1,\"x", want: []string{"object {}", "error stream ended inside a record after 10 bytes"}},
		{name: "cut literal", in: `{"a":tr`, want: []string{"error stream ended inside a record after 7 bytes"}},
		{name: "cut behind an object", in: `{}{`, want: []string{"object {}", "error stream ended inside a record after 1 bytes"}},
		{name: "invalid UTF-8", in: "{\"a\":\"\xff\xfe-\xe2\x82\"}\n\x80\n{\"\uFFFD\":\"\xc0\"}", want: []string{"object+2 {\"a\":\"\uFFFD-\uFFFD\"}", "noise+1 \uFFFD", "object+1 {\"\uFFFD\":\"\uFFFD\"}"}},
		{name: "at the limit", limit: 7, in: "{\"a\":1}\n1234567\n{\"a\":1}{\"b\":2}     \n{bcdefg", want: []string{`object {"a":1}`, "value 1234567", `object {"a":1}`, `object {"b":2}`, "malformed {bcdefg"}},
		{name: "too large", limit: 6, in: "{\"a\":1}{}\n{}\n1234567\n{}{\"a\":12\n{}\n{abcdef\n{}\n{\"a\":[[", want: []string{
			"error record is longer than 6 bytes", "object {}", "error record is longer than 6 bytes",
			"object {}", "error record is longer than 6 bytes", "object {}",
			"error record is longer than 6 bytes", "object {}", "error record is longer than 6 bytes",
		}},
	}
}

func TestNext(t *testing.T) {
	ways := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"one byte":     iotest.OneByteReader,
		"half":         iotest.HalfReader,
		"data and EOF": iotest.DataErrReader,
	}
	for _, c := range framings() {
		for way, wrap := range ways {
			t.Run(c.name+"/"+way, func(t *testing.T) {
				got := drain(NewReader(wrap(strings.NewReader(c.in)), c.limit))
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("records of %q (-want +got):\n%s", c.in, d)
				}
			})
		}
	}
}

// An error at any byte is returned once and loses nothing.
func TestNextGoesOnAfterErrors(t *testing.T) {
	for _, c := range framings() {
		for at := range len(c.in) + 1 {
			src := io.MultiReader(strings.NewReader(c.in[:at]), &failOnce{err: os.ErrDeadlineExceeded}, strings.NewReader(c.in[at:]))
			want := 1
			if got := drainDeadlines(NewReader(src, c.limit), &want); !cmp.Equal(c.want, got) || want != 0 {
				t.Errorf("%s: error at byte %d: got %q with %d errors missing, want %q", c.name, at, got, want, c.want)
			}
		}
	}
}

// failOnce fails one read.
type failOnce struct{ err error }

func (f *failOnce) Read([]byte) (int, error) {
	err := f.err
	f.err = io.EOF
	return 0, err
}

// drainDeadlines is drain, taking deadline errors out of the count left.
func drainDeadlines(r *Reader, left *int) []string {
	var out []string
	for _, line := range drain(r) {
		if line == "error "+os.ErrDeadlineExceeded.Error() {
			*left--
			continue
		}
		out = append(out, line)
	}
	return out
}

func TestNextPrefixes(t *testing.T) {
	const stream = "{\"type\":\"text\",\"n\":[-1.5e+3,0,true,false,null],\"s\":\"\\u00e4\\\"\u20ac\"}\r\n{\"a\":{}}{\"b\":[]}\n"
	whole := drain(NewReader(strings.NewReader(stream), 0))
	if len(whole) != 3 {
		t.Fatalf("got %q, want 3 records", whole)
	}
	for n := range len(stream) {
		r := NewReader(strings.NewReader(stream[:n]), 0)
		var seen int
		for {
			rec, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if cut, ok := errors.AsType[*CutError](err); ok {
				if cut.Bytes != len(cut.Tail) || !strings.HasSuffix(stream[:n], string(cut.Tail)) {
					t.Errorf("first %d bytes: cut error has %d bytes and tail %q", n, cut.Bytes, cut.Tail)
				}
				continue
			}
			if err != nil || rec.Kind != Object {
				t.Fatalf("first %d bytes: got %v %q, %v", n, rec.Kind, rec.Raw, err)
			}
			if got := "object " + string(rec.Raw); got != whole[seen] {
				t.Errorf("first %d bytes: record %d is %q, want %q", n, seen, got, whole[seen])
			}
			seen++
		}
	}
}

// An object is returned when its last byte is there: the reader does not ask for more.
func TestNextDoesNotWait(t *testing.T) {
	stop := errors.New("asked for more")
	r := NewReader(io.MultiReader(strings.NewReader(`{"a":"}\"{\\"}{"b`), &failOnce{err: stop}, strings.NewReader(`":2}`), &failOnce{err: stop}), 0)
	for _, want := range []string{`{"a":"}\"{\\"}`, `{"b":2}`} {
		rec, err := r.Next()
		if errors.Is(err, stop) && want == `{"b":2}` {
			rec, err = r.Next()
		}
		if err != nil || string(rec.Raw) != want {
			t.Errorf("got %q, %v, want %q", rec.Raw, err, want)
		}
	}
}

func TestNextReadErrors(t *testing.T) {
	if _, err := NewReader(iotest.ErrReader(io.ErrUnexpectedEOF), 0).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v, want the source's error as it is", err)
	}
	if _, err := NewReader(idle{}, 0).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("source that never reads anything: got %v, want io.ErrNoProgress", err)
	}
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// The buffer follows the records: it grows for a huge one, within the limit, and shrinks again.
func TestNextMemory(t *testing.T) {
	const limit = 16 << 20
	huge := `{"a":"` + strings.Repeat("x", limit-8) + "\"}\n"
	tooLarge := `{"a":"` + strings.Repeat("x", 4*limit) + "\"}\n"
	small := strings.Repeat("{\"a\":1}\n", 100_000)
	r := NewReader(io.MultiReader(strings.NewReader(huge), strings.NewReader(tooLarge), strings.NewReader(small)), limit)
	if rec, err := r.Next(); err != nil || len(rec.Raw) != limit {
		t.Fatalf("huge record: %d bytes, %v", len(rec.Raw), err)
	}
	var large *TooLargeError
	if _, err := r.Next(); !errors.As(err, &large) || !bytes.HasPrefix([]byte(tooLarge), large.Head) || len(large.Head) == 0 {
		t.Fatalf("got %v, want a TooLargeError with the head", err)
	}
	if got := cap(r.in.buf); got > limit+chunkSize {
		t.Errorf("buffer of %d bytes for a limit of %d", got, limit)
	}
	for range 100_000 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if got := cap(r.in.buf); got > keepSize {
		t.Errorf("buffer of %d bytes is kept for small records", got)
	}
}

// Looking at every byte again at each read would take hours here.
func TestNextByteByByteIsLinear(t *testing.T) {
	in := `{"a":"` + strings.Repeat(`\\\"`, 1<<20) + `"}`
	rec, err := NewReader(iotest.OneByteReader(strings.NewReader(in)), 0).Next()
	if err != nil || string(rec.Raw) != in {
		t.Errorf("got %v with %d bytes, %v, want an object with %d", rec.Kind, len(rec.Raw), err, len(in))
	}
}

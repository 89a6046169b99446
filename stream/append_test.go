package stream_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"agentrun/stream"
)

// standard is the line that encoding/json writes.
func standard(tb testing.TB, v any) string {
	tb.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fill gives every field below v a value that is not empty, each another one.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("s%d\n", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(fmt.Appendf(nil, ` {"n": [%d, "a b\\\" c"] }`, *n))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, n)
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

func TestAppendJSONHasEveryField(t *testing.T) {
	var s stream.Stamped
	n := 0
	fill(reflect.ValueOf(&s).Elem(), &n)
	if got, want := string(s.AppendJSON(nil)), standard(t, s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := string(s.Chunk.AppendJSON([]byte("x"))), "x"+standard(t, s.Chunk); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAppendJSONOfZeros(t *testing.T) {
	zero := func() *stream.Chunk {
		return &stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{
			Usage: &stream.Usage{InputTokens: new(int64)}, TotalCostUSD: new(float64), NumTurns: new(int), Retryable: new(bool),
			Denials: []stream.Denial{{}}, Warnings: []string{""}, OpenTools: []stream.OpenTool{{}, {}},
		}}
	}
	for _, c := range []*stream.Chunk{{}, {Metadata: &stream.Metadata{}}, zero()} {
		if got, want := string(c.AppendJSON(nil)), standard(t, c); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestAppendJSONLeavesOutWhatIsNoNumber(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		c := stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{TotalCostUSD: &f}}
		if got, want := string(c.AppendJSON(nil)), `{"type":"result","metadata":{}}`; got != want {
			t.Errorf("%v: got %s, want %s", f, got, want)
		}
	}
}

// FuzzAppendJSON compares with encoding/json.
func FuzzAppendJSON(f *testing.F) {
	f.Add("text", "plain words, long enough for more than one step", []byte(`{"a": [1, "x y", "\\", "\"  \\\""] ,"b":null}`), 0.1, int64(3), true)
	f.Add("error", "\x00\x1f\x7f\"\\\b\f\n\r\t</script>&\u2028\u2029é日本😀\xff\xc3", []byte(`"  \u2028 \" "`), 1e-9, int64(-1), false)
	f.Add("", "1234567\"", []byte(" \n 12 \t"), -1e21, int64(0), true)
	f.Add("", "12345678\xe2\x80", []byte("{}"), 1e100, int64(math.MinInt64), true)
	for _, short := range []string{`"`, `\`, "\x1f", "\x7f", "\uFFFD", "\xff", "\u2028", "é", "12345678\"", `12345678\`} {
		f.Add("text", short, []byte(`"\\"`), 1.0, int64(1), true)
	}
	f.Fuzz(func(t *testing.T, kind, words string, raw []byte, number float64, n int64, flag bool) {
		if !json.Valid(raw) || math.IsNaN(number) || math.IsInf(number, 0) {
			return
		}
		c := stream.Chunk{
			Type: stream.Type(kind), Content: words, ToolName: words, ToolInput: raw, ToolOutput: raw, IsError: flag, IsDelta: !flag,
			Metadata: &stream.Metadata{
				Notice: kind, Data: raw, Supersedes: []string{words, kind}, DurationMS: n, ExitCode: new(int(n)), Retryable: &flag,
				TotalCostUSD: &number, RetryAfter: new(-number), Usage: &stream.Usage{InputTokens: &n, Partial: flag},
				Denials: []stream.Denial{{ToolName: words, Input: raw}, {}}, OpenTools: []stream.OpenTool{{ToolID: words}}, Warnings: []string{words},
			},
		}
		if got, want := string(c.AppendJSON(nil)), standard(t, c); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	text := strings.Repeat("The file \"main.go\" was changed:\n\tfunc main() {}\nNow the größte part is done. ", 12)
	output, err := json.Marshal(text)
	if err != nil {
		b.Fatal(err)
	}
	chunks := map[string]stream.Chunk{
		"delta": {Type: stream.Text, Content: "a few words ", IsDelta: true, Metadata: &stream.Metadata{MessageID: "msg_01"}},
		"text":  {Type: stream.Text, Content: text, Metadata: &stream.Metadata{MessageID: "msg_01"}},
		"tool":  {Type: stream.ToolResult, ToolName: "Bash", ToolID: "toolu_01", ToolOutput: output},
	}
	for name, c := range chunks {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(standard(b, c))))
			b.ReportAllocs()
			var line []byte
			for b.Loop() {
				line = c.AppendJSON(line[:0])
			}
		})
	}
}

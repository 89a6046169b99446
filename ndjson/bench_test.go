package ndjson

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// sample returns about a megabyte of lines like those of a vendor, each of
// about size bytes: prose with escapes, markup and some German in a message.
func sample(size int) []byte {
	const prose = `The **file** \"main.go\" was changed:\n\tfunc main() { fmt.Println(\"héllo\") }\n\nNow the tests pass, ` +
		`and the größte part of the work is done. I will run them again to be sure of it.\n`
	head := `{"type":"assistant","message":{"id":"msg_01","type":"message","role":"assistant","model":"m-1","content":[{"type":"text","text":"`
	tail := `"}],"stop_reason":null,"usage":{"input_tokens":1024,"output_tokens":17,"cache_read_input_tokens":0}},"parent_tool_use_id":null,"session_id":"8d7c4e0a"}` + "\n"
	text := strings.Repeat(prose, size/len(prose)+1)
	cut := max(size-len(head)-len(tail), 0)
	line := head + strings.TrimRight(strings.ToValidUTF8(text[:cut], ""), `\`) + tail
	return []byte(strings.Repeat(line, max(1<<20/len(line), 2)))
}

func BenchmarkNext(b *testing.B) {
	for _, size := range []int{300, 1 << 10, 4 << 10, 1 << 20} {
		b.Run(fmt.Sprintf("%dB", size), func(b *testing.B) {
			in := sample(size)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				frame(b, in)
			}
		})
	}
	b.Run("concatenated", func(b *testing.B) {
		in := bytes.ReplaceAll(sample(1<<10), []byte("\n"), nil)
		b.SetBytes(int64(len(in)))
		b.ReportAllocs()
		for b.Loop() {
			frame(b, in)
		}
	})
}

func frame(b *testing.B, in []byte) {
	b.Helper()
	r := NewReader(bytes.NewReader(in), 0)
	for {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || rec.Kind != Object {
			b.Fatalf("%v %q: %v", rec.Kind, rec.Raw, err)
		}
	}
}

// BenchmarkFields compares stepping over the members with decoding one of them.
func BenchmarkFields(b *testing.B) {
	line, _, _ := bytes.Cut(sample(1<<10), []byte("\n"))
	rec := Record{Kind: Object, Raw: line}
	b.Run("Fields", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			kind, f := "", rec.Fields()
			for f.Next() {
				if string(f.Key()) == "type" {
					kind = f.Text()
				}
			}
			if kind != "assistant" || f.Err() != nil {
				b.Fatal(kind, f.Err())
			}
		}
	})
	b.Run("Decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v struct{ Type string }
			if err := rec.Decode(&v); err != nil || v.Type != "assistant" {
				b.Fatal(v, err)
			}
		}
	})
}

package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

func TestLines(t *testing.T) {
	var b bytes.Buffer
	l := NewLines(&b, false)
	chunks := []stream.Chunk{
		said("<a> & \x1b[31m\u2028\n"), use("1", "Bash", `{"command":"ls"}`), gave("1", `"x"`),
		{Type: stream.Result, Metadata: &stream.Metadata{NumTurns: new(0)}},
	}
	for _, c := range chunks {
		if err := l.Emit(c); err != nil {
			t.Fatal(err)
		}
	}
	if b.Len() > 0 {
		t.Errorf("written before the end: %q", b.String())
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	want := `{"type":"text","content":"<a> & \u001b[31m\u2028\n","metadata":{"message_id":"<a> & \u001b[31m\u2028\n"}}
{"type":"tool_use","tool_name":"Bash","tool_id":"1","tool_input":{"command":"ls"}}
{"type":"tool_result","tool_id":"1","tool_output":"x"}
{"type":"result","metadata":{"num_turns":0}}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLinesLive(t *testing.T) {
	var b bytes.Buffer
	l := NewLines(&b, true)
	for n := 1; n <= 3; n++ {
		if err := l.Emit(stream.Chunk{Type: stream.Text, Content: "x"}); err != nil {
			t.Fatal(err)
		}
		if got := bytes.Count(b.Bytes(), []byte("\n")); got != n {
			t.Errorf("%d lines after %d chunks", got, n)
		}
	}
}

func TestLinesStamped(t *testing.T) {
	var b bytes.Buffer
	l := NewLines(&b, true)
	zone := time.FixedZone("", 3600)
	l.Stamp("run1", func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6789000, zone) })
	for range 2 {
		if err := l.Emit(stream.Chunk{Type: stream.Text, Content: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"seq":1,"time":"2026-01-02T02:04:05.006Z","run":"run1","type":"text","content":"x"}
{"seq":2,"time":"2026-01-02T02:04:05.006Z","run":"run1","type":"text","content":"x"}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLinesFail(t *testing.T) {
	no := errors.New("no")
	if err := NewLines(broken{no}, true).Emit(said("x")); !errors.Is(err, no) {
		t.Errorf("live: got %v", err)
	}
	l := NewLines(broken{no}, false)
	if err := l.Emit(said("x")); err != nil {
		t.Errorf("buffered: got %v", err)
	}
	if err := l.Flush(); !errors.Is(err, no) {
		t.Errorf("at the end: got %v", err)
	}
	if err := l.Emit(said("x")); !errors.Is(err, no) {
		t.Errorf("after that: got %v", err)
	}
}

func TestOneShot(t *testing.T) {
	usage := &stream.Usage{InputTokens: new(int64(1)), Scope: stream.ScopeRun}
	facts := providers.Facts{SessionID: "s0", Model: "m0"}
	failure := &providers.Error{Class: providers.Auth, Reason: "bad_key", Message: "no", Hint: "log in", Retryable: true}
	wrong := &stream.OneShotError{Message: "no", Class: "auth", Reason: "bad_key", Retryable: true, Hint: "log in"}
	terminal := stream.Chunk{Metadata: &stream.Metadata{SessionID: "s1", Model: "m1", Usage: usage}}
	tests := []struct {
		name string
		out  providers.Outcome
		want stream.OneShot
	}{
		{"success", providers.Outcome{Final: "bye", Facts: facts, Terminal: terminal}, stream.OneShot{
			Result: "bye", SessionID: new("s1"), Model: new("m1"), Usage: *usage, Metadata: *terminal.Metadata,
		}},
		{"nothing known", providers.Outcome{}, stream.OneShot{}},
		{"of the facts", providers.Outcome{Facts: facts, Terminal: stream.Chunk{Metadata: &stream.Metadata{}}}, stream.OneShot{SessionID: new("s0"), Model: new("m0")}},
		{"failure", providers.Outcome{Err: failure, Final: "half"}, stream.OneShot{Metadata: stream.Metadata{PartialText: "half"}, Error: wrong}},
		{"completed and refused", providers.Outcome{Err: failure, Final: "whole", Completed: true}, stream.OneShot{Result: "whole", Error: wrong}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, OneShot(tt.out)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if terminal.Metadata.PartialText != "" {
		t.Error("the chunk was changed")
	}
}

func TestWriteOneShot(t *testing.T) {
	var b bytes.Buffer
	if err := WriteOneShot(&b, stream.OneShot{}); err != nil {
		t.Fatal(err)
	}
	want := `{"result":"","session_id":null,"model":null,"usage":{},"metadata":{},"error":null}` + "\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	no := errors.New("no")
	if err := WriteOneShot(broken{no}, stream.OneShot{}); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if err := WriteOneShot(&b, stream.OneShot{Metadata: stream.Metadata{Data: []byte("{")}}); err == nil {
		t.Error("what is no JSON was written")
	}
}

func TestMarkdown(t *testing.T) {
	tests := []struct {
		name  string
		chunk stream.Chunk
		want  string
	}{
		{"text", said("# A\n\nb\n"), "# A\n\nb\n\n"},
		{"thinking", thought("a\n\nb\n"), "> a\n> \n> b\n\n"},
		{"tool", use("1", "Bash", `{"command":"ls"}`), "**Bash ls**\n\n```json\n{\"command\":\"ls\"}\n```\n\n"},
		{"tool without input", use("1", "Bash", ""), "**Bash**\n\n"},
		{"result", gave("1", `"a\n"`), "result:\n\n```\na\n```\n\n"},
		{"failed", failed("1", `{"a":1}`), "failed:\n\n```\n{\"a\":1}\n```\n\n"},
		{"no output", gave("1", ""), "result:\n\n"},
		{"a fence inside", gave("1", `"`+"```\\n````"+`"`), "result:\n\n`````\n```\n````\n`````\n\n"},
		{"a hidden fence", gave("1", `"`+"``\\u0000`"+`"`), "result:\n\n````\n```\n````\n\n"},
		{"error", stream.Chunk{Type: stream.Error, Content: "no"}, "**error**: no\n\n"},
		{"notice", notice(stream.NoticeWarning, "x"), ""},
		{"end", stream.Chunk{Type: stream.Result}, ""},
		{"escapes", said("\x1b[31mred\x1b[0m\u202e"), "red\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Markdown(&b, tt.chunk); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	no := errors.New("no")
	if err := Markdown(broken{no}, said("x")); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkLines(b *testing.B) {
	for _, size := range []int{20, 1000, 100_000} {
		chunk := stream.Chunk{
			Type: stream.ToolResult, ToolName: "Bash", ToolID: "toolu_01", ToolOutput: fmt.Appendf(nil, "%q", bytes.Repeat([]byte("x"), size)),
			Metadata: &stream.Metadata{MessageID: "msg_01", ExitCode: new(0)},
		}
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l := NewLines(io.Discard, true)
			l.Stamp("run1", time.Now)
			b.ReportAllocs()
			b.SetBytes(int64(size))
			for b.Loop() {
				if err := l.Emit(chunk); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

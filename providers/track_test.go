package providers

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

func text(content, message string) stream.Chunk {
	return stream.Chunk{Type: stream.Text, Content: content, Metadata: &stream.Metadata{MessageID: message}}
}

func piece(content, message string) stream.Chunk {
	c := text(content, message)
	c.IsDelta = true
	return c
}

func toolUse(id string) stream.Chunk {
	return stream.Chunk{Type: stream.ToolUse, ToolName: "Bash", ToolID: id}
}

func toolResult(id string, denied bool) stream.Chunk {
	return stream.Chunk{Type: stream.ToolResult, ToolName: "Bash", ToolID: id, ToolOutput: []byte(`"no"`), Metadata: &stream.Metadata{Denied: denied}}
}

func below(c stream.Chunk, parent string) stream.Chunk {
	meta := *orEmpty(c.Metadata)
	meta.ParentToolID = parent
	c.Metadata = &meta
	return c
}

func TestTrackFinal(t *testing.T) {
	retracted := stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeRetracted}}
	tests := []struct {
		name   string
		chunks []stream.Chunk
		want   string
	}{
		{"nothing", nil, ""},
		{"one message", []stream.Chunk{text("a", "1"), text("b", "1")}, "ab"},
		{"the last message", []stream.Chunk{text("a", "1"), text("b", "2")}, "b"},
		{"no ids", []stream.Chunk{text("a", ""), text("b", "")}, "ab"},
		{"an id, then none", []stream.Chunk{text("a", "1"), text("b", ""), text("c", "")}, "abc"},
		{"behind the last tool", []stream.Chunk{text("a", "1"), toolUse("t"), toolResult("t", false), text("b", "1")}, "b"},
		{"nothing behind the last tool", []stream.Chunk{text("a", "1"), toolUse("t"), toolResult("t", false)}, ""},
		{"a subagent's", []stream.Chunk{text("a", "1"), below(text("x", "2"), "t"), below(toolUse("u"), "t")}, "a"},
		{"thinking", []stream.Chunk{text("a", "1"), {Type: stream.Thinking, Content: "hm"}}, "a"},
		{"taken back", []stream.Chunk{text("a", "1"), retracted, text("b", "1")}, "b"},
		{"pieces", []stream.Chunk{piece("a", "1"), piece("b", "1")}, "ab"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var tr track
			for _, c := range tt.chunks {
				tr.see(c)
			}
			if got := string(tr.final); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTrackTools(t *testing.T) {
	tests := []struct {
		name    string
		chunks  []stream.Chunk
		open    []string
		denials []string
	}{
		{"closed in any order", []stream.Chunk{toolUse("1"), toolUse("2"), toolResult("1", false), toolResult("2", false)}, nil, nil},
		{"left open", []stream.Chunk{toolUse("1"), toolUse("2"), toolResult("1", false)}, []string{"2"}, nil},
		{"unknown result", []stream.Chunk{toolUse("1"), toolResult("9", false)}, []string{"1"}, nil},
		{"denied", []stream.Chunk{toolUse("1"), toolResult("1", true)}, nil, []string{"1"}},
		{"denied twice", []stream.Chunk{toolUse("1"), toolResult("1", true), toolResult("1", true)}, nil, []string{"1"}},
		{"denied and unknown", []stream.Chunk{toolResult("9", true)}, nil, []string{"9"}},
		{"denied without ids", []stream.Chunk{toolUse(""), toolUse(""), toolResult("", true), toolResult("", true)}, nil, []string{"", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var tr track
			for _, c := range tt.chunks {
				tr.see(c)
			}
			var open, denials []string
			for _, o := range tr.open {
				open = append(open, o.ToolID)
			}
			for _, d := range tr.denials {
				denials = append(denials, d.ToolID)
				if d.ToolName != "Bash" || d.Message != "no" {
					t.Errorf("denial %+v", d)
				}
			}
			if diff := cmp.Diff([][]string{tt.open, tt.denials}, [][]string{open, denials}); diff != "" {
				t.Errorf("open, denied (-want +got):\n%s", diff)
			}
		})
	}
}

// What was seen last is what a timeout tells; a result without a name has that of its call.
func TestTrackLast(t *testing.T) {
	nameless := toolResult("t", true)
	nameless.ToolName = ""
	var tr track
	for _, step := range []struct {
		chunk stream.Chunk
		want  string
	}{
		{text("a", "1"), "text"},
		{stream.Chunk{Type: stream.Thinking, Content: "hm"}, "thinking"},
		{toolUse("t"), "tool_use Bash"},
		{stream.Notice(stream.NoticeRetry, "x"), "notice retry"},
		{toolResult("u", false), "tool_result Bash"},
		{nameless, "tool_result "},
	} {
		if tr.see(step.chunk); tr.last != step.want {
			t.Errorf("last seen %q, want %q", tr.last, step.want)
		}
	}
	if len(tr.denials) != 1 || tr.denials[0].ToolName != "Bash" {
		t.Errorf("denials %+v", tr.denials)
	}
}

// What a run keeps does not grow with it, but for calls that are open.
func TestTrackBounded(t *testing.T) {
	var tr track
	long := toolResult("", true)
	long.ToolOutput = fmt.Appendf(nil, "%q", make([]byte, 1<<10))
	for i := range 2000 {
		id := fmt.Sprint(i)
		tr.see(toolUse(id))
		long.ToolID = id
		tr.see(long)
		tr.see(text("words", id))
	}
	if len(tr.open) != 0 || len(tr.denials) != 1000 || len(tr.final) != len("words") || len(tr.denials[0].Message) > 1100 {
		t.Errorf("%d open, %d denials of %d bytes, %d bytes of text", len(tr.open), len(tr.denials), len(tr.denials[0].Message), len(tr.final))
	}
}

func TestJoiner(t *testing.T) {
	thought := stream.Chunk{Type: stream.Thinking, Content: "hm", IsDelta: true}
	tests := []struct {
		name   string
		chunks []stream.Chunk
		want   []string
	}{
		{"pieces", []stream.Chunk{piece("a", "1"), piece("b", "1")}, []string{"text ab"}},
		{"a whole", []stream.Chunk{text("a", "1"), text("b", "1")}, []string{"text a", "text b"}},
		{"a whole ends a unit", []stream.Chunk{piece("a", "1"), text("b", "1")}, []string{"text a", "text b"}},
		{"another message", []stream.Chunk{piece("a", "1"), piece("b", "2")}, []string{"text a", "text b"}},
		{"another kind", []stream.Chunk{thought, thought, piece("a", "1")}, []string{"thinking hmhm", "text a"}},
		{"another speaker", []stream.Chunk{piece("a", "1"), below(piece("b", "1"), "t")}, []string{"text a", "text b"}},
		{"a tool ends a unit", []stream.Chunk{piece("a", "1"), toolUse("t"), piece("b", "1")}, []string{"text a", "tool_use t", "text b"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			j := NewJoiner(func(c stream.Chunk) error {
				if c.IsDelta {
					t.Errorf("a piece was passed on: %+v", c)
				}
				got = append(got, lineOf(c))
				return nil
			})
			for _, c := range tt.chunks {
				if err := j.Put(c); err != nil {
					t.Fatal(err)
				}
			}
			if err := j.Flush(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJoinerFails(t *testing.T) {
	no := errors.New("no")
	j := NewJoiner(func(stream.Chunk) error { return no })
	if err := j.Put(piece("a", "1")); err != nil {
		t.Errorf("nothing was passed on yet: %v", err)
	}
	if err := j.Put(text("b", "2")); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
}

// A notice of the host is no part of the vendor's grammar: it cuts no unit in two.
func TestHostNoticeCutsNothing(t *testing.T) {
	got, _ := normalized(t, Options{}, `{"chunk":{"type":"text","content":"he","is_delta":true}}
Debugger attached.
{"chunk":{"type":"text","content":"llo","is_delta":true}}
{"done":true}
`)
	if diff := cmp.Diff([]string{"system noise", "text hello", "result"}, got.Lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

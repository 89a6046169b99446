package render

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

func said(content string) stream.Chunk {
	return stream.Chunk{Type: stream.Text, Content: content, Metadata: &stream.Metadata{MessageID: content}}
}

func piece(content, message string) stream.Chunk {
	return stream.Chunk{Type: stream.Text, Content: content, IsDelta: true, Metadata: &stream.Metadata{MessageID: message}}
}

func use(id, name, input string) stream.Chunk {
	return stream.Chunk{Type: stream.ToolUse, ToolName: name, ToolID: id, ToolInput: []byte(input)}
}

func gave(id, output string) stream.Chunk {
	return stream.Chunk{Type: stream.ToolResult, ToolID: id, ToolOutput: []byte(output)}
}

func failed(id, output string) stream.Chunk {
	c := gave(id, output)
	c.IsError = true
	return c
}

func refused(id, output string) stream.Chunk {
	c := failed(id, output)
	c.Metadata = &stream.Metadata{Denied: true}
	return c
}

func notice(word, content string) stream.Chunk {
	return stream.Chunk{Type: stream.System, Content: content, Metadata: &stream.Metadata{Notice: word}}
}

func thought(content string) stream.Chunk {
	return stream.Chunk{Type: stream.Thinking, Content: content}
}

func inside(c stream.Chunk, parent string) stream.Chunk {
	meta := stream.Metadata{}
	if c.Metadata != nil {
		meta = *c.Metadata
	}
	meta.ParentToolID = parent
	c.Metadata = &meta
	return c
}

// ticking is a clock that goes on by a second at each look.
func ticking() func() time.Time {
	at := time.Unix(0, 0)
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}

// still is a clock that stands.
func still() time.Time { return time.Unix(0, 0) }

// shown is what a person sees of a run: the answer and the talk, as they come.
func shown(t *testing.T, opts TextOptions, out providers.Outcome, chunks ...stream.Chunk) (answer, talk, both string) {
	t.Helper()
	var a, b, all bytes.Buffer
	if opts.Now == nil {
		opts.Now = still
	}
	text := NewText(&tee{&a, &all}, &tee{&b, &all}, opts)
	for _, c := range chunks {
		if err := text.Emit(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := text.Close(out); err != nil {
		t.Fatal(err)
	}
	return a.String(), b.String(), all.String()
}

type tee struct{ one, two *bytes.Buffer }

func (t *tee) Write(p []byte) (int, error) {
	t.one.Write(p)
	return t.two.Write(p)
}

func TestText(t *testing.T) {
	whole := []stream.Chunk{
		notice(stream.NoticeRunStart, ""), notice(stream.NoticeSession, "known"), thought("Let me\nsee."),
		said("Looking."), use("1", "Bash", `{"command":"ls\n -l"}`), use("2", "Read", `{"file_path":"/a"}`),
		gave("1", `"x"`), failed("2", `"no such\nfile"`),
		use("3", "Write", `{"deep":{}}`), refused("3", `{"why":"not allowed"}`),
		use("4", "Task", `{"description":"think"}`), inside(said("I am\nbelow."), "4"), inside(use("5", "Bash", `7`), "4"), inside(gave("5", `""`), "4"),
		notice(stream.NoticeRetry, "overloaded"), said("Done.\n"),
	}
	ended := providers.Outcome{
		Final: "Done.\n", Duration: 61500 * time.Millisecond, Facts: providers.Facts{SessionID: "s1"},
		Terminal: stream.Chunk{Metadata: &stream.Metadata{
			Usage:        &stream.Usage{InputTokens: new(int64(10)), OutputTokens: new(int64(2))},
			TotalCostUSD: new(0.01234), Denials: []stream.Denial{{}},
		}},
	}
	tests := []struct {
		name   string
		opts   TextOptions
		out    providers.Outcome
		chunks []stream.Chunk
		want   string
	}{
		{"a run", TextOptions{}, ended, whole, `Looking.
[+] Bash ls -l (0.0s)
[failed] Read /a (0.0s): no such file
[denied] Write (0.0s): {"why":"not allowed"}
  | I am below.
  [+] Bash (0.0s)
! overloaded
Done.
[no result] Task think
-- ok, 1m2s, 10 tokens in, 2 out, $0.0123, 1 denied, session s1
`},
		{"everything", TextOptions{Verbose: true, Thinking: true}, ended, whole[:4], `session: known
Let me
see.
Looking.
-- ok, 1m2s, 10 tokens in, 2 out, $0.0123, 1 denied, session s1
`},
		{"the answer alone", TextOptions{Quiet: true, Thinking: true, Verbose: true}, ended, whole, "Done.\n"},
		{"no answer alone", TextOptions{Quiet: true}, providers.Outcome{Err: &providers.Error{}, Final: "half"}, whole, ""},
		{"an answer that is not taken", TextOptions{Quiet: true}, providers.Outcome{Err: &providers.Error{}, Final: "whole", Completed: true}, whole, "whole\n"},
		{"pieces", TextOptions{}, providers.Outcome{}, []stream.Chunk{piece("Hel", "1"), piece("lo", "1"), piece("Next", "2"), use("1", "Bash", ""), gave("1", "")}, "Hello\nNext\n[+] Bash (0.0s)\n-- ok, 0.0s\n"},
		{"pieces with newlines", TextOptions{}, providers.Outcome{}, []stream.Chunk{piece("a\n", "1"), piece("", "1"), piece("b\n", "1"), said("c")}, "a\nb\nc\n-- ok, 0.0s\n"},
		{"a failure", TextOptions{}, providers.Outcome{Err: &providers.Error{Class: providers.Quota, Reason: "rate_limit"}, Duration: 1500 * time.Millisecond}, []stream.Chunk{said("Half"), {Type: stream.Error, Content: "told elsewhere"}}, "Half\n-- quota (rate_limit), 1.5s\n"},
		{"terminal text", TextOptions{}, providers.Outcome{}, []stream.Chunk{{Type: stream.Result, Content: "Bye."}}, "Bye.\n-- ok, 0.0s\n"},
		{"a result of nothing", TextOptions{}, providers.Outcome{}, []stream.Chunk{{Type: stream.ToolResult, ToolName: "Bash"}}, "[+] Bash (0.0s)\n-- ok, 0.0s\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, got := shown(t, tt.opts, tt.out, tt.chunks...)
			if diff := cmp.Diff(strings.Split(tt.want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The answer is on its own stream, and that is all that is there.
func TestTextApart(t *testing.T) {
	answer, talk, _ := shown(t, TextOptions{Verbose: true, Thinking: true, Color: true}, providers.Outcome{},
		thought("hm"), said("one"), use("1", "Bash", `{"cmd":"x"}`), gave("1", `"y"`), piece("tw", "2"), piece("o", "2"))
	if answer != "one\ntwo\n" {
		t.Errorf("answer: %q", answer)
	}
	if !strings.Contains(talk, dim+"-- ok, 0.0s"+reset+"\n") {
		t.Errorf("talk has no colors: %q", talk)
	}
}

// Whatever comes from outside, no control code gets through; our own colors only when asked for.
func TestTextNeutral(t *testing.T) {
	const evil = "a\x1b[31mb\x1b]0;t\x07c\rd\u009b1me\u202ef\u2066g\x00\x7fh\n"
	quoted := `"a\u001b[31mb\u001b]0;t\u0007c\rd\u009b1me\u202ef\u2066g\u0000h"`
	at := func(c stream.Chunk) stream.Chunk { c.ToolName = evil; return c }
	chunks := []stream.Chunk{
		said(evil), thought(evil), inside(said(evil), "1"), notice(evil, evil), notice(stream.NoticeWarning, evil),
		at(use("1", "", `{"command":`+quoted+`}`)), at(failed("1", quoted)), at(refused("2", quoted)), at(gave("3", "\x1b[31m")), at(use("4", "", "")),
	}
	out := providers.Outcome{
		Err: &providers.Error{Class: evil, Reason: evil}, Facts: providers.Facts{SessionID: evil}, Final: evil, Completed: true,
	}
	for _, opts := range []TextOptions{{Verbose: true, Thinking: true}, {Quiet: true}} {
		_, _, got := shown(t, opts, out, chunks...)
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' || r == '\u2066' {
				t.Fatalf("%U got through: %q", r, got)
			}
		}
		if !strings.Contains(got, "abcdefgh") {
			t.Errorf("the words are lost: %q", got)
		}
	}
}

func TestTextDurations(t *testing.T) {
	_, talk, _ := shown(t, TextOptions{Now: ticking()}, providers.Outcome{}, use("1", "Bash", ""), gave("1", ""))
	if !strings.HasPrefix(talk, "[+] Bash (") || strings.HasPrefix(talk, "[+] Bash (0.0s)") {
		t.Errorf("got %q", talk)
	}
}

// A line of talk fits the terminal, whatever the width of its characters.
func TestTextFits(t *testing.T) {
	_, talk, _ := shown(t, TextOptions{Size: func() (int, int) { return 20, 10 }}, providers.Outcome{},
		notice(stream.NoticeWarning, strings.Repeat("日本", 20)))
	for line := range strings.Lines(talk) {
		if w := Width(strings.TrimRight(line, "\n")); w > 20 {
			t.Errorf("%d columns: %q", w, line)
		}
	}
	if !strings.Contains(talk, "日本") || !strings.Contains(talk, "…") {
		t.Errorf("got %q", talk)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

// Nobody reads the answer: that ends the run. Nobody reads the talk: that does not.
func TestTextReaderGone(t *testing.T) {
	no := errors.New("no")
	text := NewText(broken{no}, &bytes.Buffer{}, TextOptions{Now: still})
	if err := text.Emit(said("a")); !errors.Is(err, no) {
		t.Errorf("got %v", err)
	}
	if err := text.Emit(notice(stream.NoticeWarning, "x")); !errors.Is(err, no) {
		t.Errorf("later: got %v", err)
	}
	if err := text.Close(providers.Outcome{}); !errors.Is(err, no) {
		t.Errorf("at the end: got %v", err)
	}
	text = NewText(&bytes.Buffer{}, broken{no}, TextOptions{Now: still})
	if err := errors.Join(text.Emit(notice(stream.NoticeWarning, "x")), text.Emit(said("a")), text.Close(providers.Outcome{})); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestFit(t *testing.T) {
	tests := []struct {
		in    string
		width int
		want  string
	}{
		{"short", 5, "short"},
		{"longer", 5, "long…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"},
		{"e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"},
		{"", 0, ""},
	}
	for _, tt := range tests {
		if got := fit(tt.in, tt.width); got != tt.want {
			t.Errorf("%q in %d: got %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	tests := map[string]string{
		`{"command":"/bin/bash -lc 'echo a; ls'"}`: "T echo a; ls", `{"command":"/bin/bash -lc 'a '\"'\"' b'"}`: `T 'a '"'"' b'`,
		`{"command":"grep -lc x.sh -lc y"}`: "T grep -lc x.sh -lc y", `{"command":"bash -lc ls"}`: "T ls",
		`{"changes":[{"path":"/a","kind":{"type":"add"}},{"path":"/b"}]}`: "T /a, /b", `{"changes":[1]}`: "T",
		`{"command":"ls  -l\nx"}`: "T ls -l x", `{"file_path":"/a","content":"x"}`: "T /a", `{"command":"","path":"/b"}`: "T /b",
		`{"command":["ls"]}`: "T", `{}`: "T", `[]`: "T", ``: "T",
	}
	for in, want := range tests {
		if got := describe(use("1", "T", in)); got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for in, want := range map[time.Duration]string{0: "0.0s", 1240 * time.Millisecond: "1.2s", 61600 * time.Millisecond: "1m2s", 2 * time.Hour: "2h0m0s"} {
		if got := seconds(in); got != want {
			t.Errorf("%v: got %q, want %q", in, got, want)
		}
	}
}

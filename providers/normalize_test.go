package providers

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

// normalized maps a recorded stdout of the fake that ended with status 0.
func normalized(t *testing.T, opts Options, stdout string) (shown, Outcome) {
	t.Helper()
	return recorded(opts, stdout, Recorded{})
}

func recorded(opts Options, stdout string, end Recorded) (shown, Outcome) {
	return look(func(sink Sink) Outcome {
		return Normalize(newFake(), Request{}, opts, strings.NewReader(stdout), end, sink)
	})
}

func TestNormalize(t *testing.T) {
	tests := []struct {
		name   string
		stdout string
		end    Recorded
		want   shown
	}{
		{"success", hello + done, Recorded{}, shown{Lines: []string{"text hello", "result"}, Completed: true, Final: "hello"}},
		{"status 1", hello + done, Recorded{Exit: ExitOf(1)}, shown{Lines: []string{"text hello", "error process"}, Class: Process, Reason: ReasonExitMismatch, Completed: true, Final: "hello"}},
		{"nobody knows", hello + done, Recorded{Exit: ExitOf(1), Unknown: true}, shown{Lines: []string{"text hello", "result"}, Completed: true, Final: "hello"}},
		{"signal", hello + "{", Recorded{Exit: ExitOf(-6)}, shown{Lines: []string{"text hello", "error process"}, Class: Process, Reason: ReasonSignal, Final: "hello"}},
		{"cut", hello + "{", Recorded{}, shown{Lines: []string{"text hello", "error protocol"}, Class: Protocol, Reason: ReasonIncomplete, Final: "hello"}},
		{"empty", "", Recorded{}, shown{Lines: []string{"error protocol"}, Class: Protocol, Reason: ReasonIncomplete}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := recorded(Options{}, tt.stdout, tt.end)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A provider whose grammar has no terminal record may say nothing at all. Who said
// anything, or ends with such a record, is answered for.
func TestNormalizeNothing(t *testing.T) {
	for _, tt := range []struct {
		stdout string
		ends   bool // with a terminal record
		want   []string
	}{
		{"\n", false, nil},
		{"\n", true, []string{"result"}},
		{done, false, []string{"result"}},
	} {
		f := newFake()
		f.about.Capabilities.EndsWithTerminalRecord = tt.ends
		got, out := look(func(sink Sink) Outcome {
			return Normalize(silent{f}, Request{}, Options{}, strings.NewReader(tt.stdout), Recorded{}, sink)
		})
		if diff := cmp.Diff(tt.want, got.Lines); diff != "" || out.Err != nil {
			t.Errorf("%+v: error %v, (-want +got):\n%s", tt, out.Err, diff)
		}
	}
}

// silent is a provider for which saying nothing is a success.
type silent struct{ fake }

func (silent) NewMapper(Request) Mapper { return silentMapper{&fakeMapper{}} }

type silentMapper struct{ *fakeMapper }

func (silentMapper) Verdict(Exit) Verdict { return Verdict{} }

func TestNormalizeErrorChunk(t *testing.T) {
	const key = "sk-ant-0123456789abcdef"
	opts := Options{Redact: NewRedactor(nil)}
	_, out := recorded(opts, use+`{"fail":"auth","session":"s1","cost":0.5}`, Recorded{Exit: Exit{
		Code: 4, Stderr: "\x1b[31mred\x1b[0m " + key + "\nnoise: all is well\nnoise: but news\nlast",
	}})
	want := stream.Metadata{
		SessionID: "s1", Class: "auth", Origin: OriginProvider, Retryable: new(false),
		ExitStatus: new(4), Stderr: "red [redacted]\nlast", Warnings: []string{"news"},
		OpenTools: []stream.OpenTool{{ToolName: "Bash", ToolID: "t1"}},
	}
	if diff := cmp.Diff(&want, out.Terminal.Metadata); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if out.Terminal.Content != "the vendor failed" || !out.Terminal.IsError {
		t.Errorf("got %+v", out.Terminal)
	}
}

// What the vendor and we say of a failure has no secrets and no control sequences.
func TestNormalizeRedacts(t *testing.T) {
	const secret = `pa"ss\word`
	opts := Options{Redact: NewRedactor([]string{"DB_PASSWORD=" + secret}), TolerateDrift: true}
	stdout := strings.Join([]string{
		`{"chunk":{"type":"system","content":"\u001b[1mkey pa\"ss\\word","metadata":{"notice":"info","data":{"key":"pa\"ss\\word"}}}}`,
		"\x1b]0;title\x07noise pa\"ss\\word",
		`{broken pa\"ss\\word`,
		`{"unknown":true,"x":"pa\"ss\\word"}`,
		`{"done":true,"denials":[{"tool_name":"Bash","message":"no: pa\"ss\\word"}],"fail":"agent"}`,
	}, "\n")
	var all []stream.Chunk
	Normalize(newFake(), Request{}, opts, strings.NewReader(stdout), Recorded{}, func(c stream.Chunk) error {
		all = append(all, c)
		return nil
	})
	if len(all) != 5 {
		t.Fatalf("%d chunks", len(all))
	}
	for _, c := range all {
		meta := orEmpty(c.Metadata)
		shown := c.Content + string(meta.Data)
		for _, d := range meta.Denials {
			shown += d.Message
		}
		if strings.Contains(shown, "word") || strings.Contains(shown, "\x1b") || c.Type == stream.System && !strings.Contains(shown, redacted) {
			t.Errorf("got %q", shown)
		}
	}
}

// A secret that the cut of an excerpt would split is gone as a whole.
func TestExcerptCutsNoSecretInTwo(t *testing.T) {
	const secret = "0123456789abcdef0123456789abcdef"
	opts := Options{Redact: NewRedactor([]string{"A_KEY=" + secret})}
	for lead := range 60 {
		got := opts.excerpt([]byte(strings.Repeat("x", lead)+secret), 50)
		if strings.Contains(got, "0123") {
			t.Fatalf("lead %d: %q", lead, got)
		}
	}
}

func TestNormalizeReaderGone(t *testing.T) {
	no := errors.New("no")
	for _, at := range []int{0, 1} {
		calls := 0
		out := Normalize(newFake(), Request{}, Options{}, strings.NewReader(hello+done), Recorded{}, func(stream.Chunk) error {
			calls++
			if calls > at {
				return no
			}
			return nil
		})
		if !out.ReaderGone || calls != at+1 {
			t.Errorf("at %d: %d calls, %+v", at, calls, out)
		}
	}
}

func TestChatterIsBounded(t *testing.T) {
	got, _ := normalized(t, Options{}, strings.Repeat("chatter\n", 1000)+done)
	if n := len(got.Lines); n != 101 {
		t.Errorf("%d lines, want 100 notices and the result", n)
	}
}

func TestWarningsAreBounded(t *testing.T) {
	var b strings.Builder
	for range 25 {
		b.WriteString(`{"chunk":{"type":"tool_result","tool_name":"Bash","metadata":{"denied":true}}}` + "\n")
	}
	_, out := normalized(t, Options{}, b.String()+done)
	meta := out.Terminal.Metadata
	if len(meta.Denials) != 25 || len(meta.Warnings) != 21 || meta.Warnings[20] != "permission_denied: 5 more" {
		t.Errorf("%d denials, warnings %q", len(meta.Denials), meta.Warnings)
	}
}

// The adapter's list and ours are one.
func TestDenialsOnce(t *testing.T) {
	_, out := normalized(t, Options{}, use+deny+`{"done":true,"denials":[{"tool_name":"Bash","tool_id":"t1"},{"tool_name":"Read","tool_id":"t2"}]}`)
	want := []stream.Denial{{ToolName: "Bash", ToolID: "t1"}, {ToolName: "Read", ToolID: "t2"}}
	if diff := cmp.Diff(want, out.Terminal.Metadata.Denials); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"permission_denied: Bash", "permission_denied: Read"}, out.Terminal.Metadata.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExitOf(t *testing.T) {
	tests := map[int]Exit{0: {}, 3: {Code: 3}, -9: {Code: -1, Signal: "SIGKILL"}, -200: {Code: -1, Signal: "SIG200"}}
	for code, want := range tests {
		if got := ExitOf(code); got != want {
			t.Errorf("%d: got %+v, want %+v", code, got, want)
		}
	}
}

func TestTail(t *testing.T) {
	tests := []struct {
		in   string
		most int
		want string
	}{
		{"short", 10, "short"},
		{"one\ntwo\nthree", 8, "three"},
		{"one\ntwo\nthree", 3, "ree"},
		{"größe", 4, "ße"},
		{"xxö", 1, ""},
	}
	for _, tt := range tests {
		if got := tail(tt.in, tt.most); got != tt.want {
			t.Errorf("%q, %d: got %q, want %q", tt.in, tt.most, got, tt.want)
		}
	}
}

package codex_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

const (
	started = `{"type":"thread.started","thread_id":"t1"}` + "\n" + `{"type":"turn.started"}` + "\n"
	ended   = `{"type":"turn.completed","usage":{"input_tokens":9,"output_tokens":3}}` + "\n"
)

func message(id, text string) string {
	return `{"type":"item.completed","item":{"id":"` + id + `","type":"agent_message","text":"` + text + `"}}` + "\n"
}

// replay maps lines as a run would.
func replay(t *testing.T, r providers.Request, lines string, exit providers.Exit) ([]stream.Chunk, providers.Outcome) {
	t.Helper()
	var chunks []stream.Chunk
	out := providers.Normalize(codex.New(), r, providers.Options{}, strings.NewReader(lines), providers.Recorded{Exit: exit}, func(c stream.Chunk) error {
		chunks = append(chunks, c)
		return nil
	})
	return chunks, out
}

// brief writes chunks so that a person can compare them.
func brief(chunks []stream.Chunk) []string {
	var list []string
	for _, c := range chunks {
		s := string(c.Type)
		if c.Type == stream.System {
			s = c.Metadata.Notice
		}
		for _, part := range []string{c.ToolName, c.ToolID, string(c.ToolInput), string(c.ToolOutput), c.Content} {
			if part != "" {
				s += " " + part
			}
		}
		if c.IsError {
			s += " !"
		}
		list = append(list, s)
	}
	return list
}

func TestMap(t *testing.T) {
	const (
		retry    = `{"type":"error","message":"Reconnecting... 1/5 (cut)"}` + "\n"
		use      = `{"type":"item.started","item":{"id":"c","type":"command_execution","command":"ls","status":"in_progress"}}` + "\n"
		done     = `{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"ls","aggregated_output":"a\n","exit_code":0,"status":"completed"}}` + "\n"
		trouble  = `{"type":"error","message":"odd"}` + "\n"
		declined = `{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"declined"}}` + "\n"
		patch    = `{"type":"item.updated","item":{"id":"p","type":"file_change","changes":[],"status":"in_progress"}}` + "\n"
		patched  = `{"type":"item.completed","item":{"id":"p","type":"file_change","changes":[{"path":"/a","kind":"add"}],"status":"failed"}}` + "\n"
	)
	tests := []struct {
		name, lines string
		want        []string
	}{
		{"text", message("a", "one") + message("b", "two"), []string{"text one", "text two"}},
		{"empty text is none", message("a", "") + message("b", "two"), []string{"text two"}},
		{"text in the making is not told", `{"type":"item.started","item":{"id":"a","type":"agent_message","text":"o"}}` + "\n" + message("a", "one"), []string{"text one"}},
		{
			"a repetition after a retry", message("a", "one") + message("b", "two") + retry + message("c", "one") + message("d", "two") + message("e", "three"),
			[]string{
				"text one", "text two", "retry Reconnecting... 1/5 (cut)", "fence codex said a message again after a broken stream: the repetition (c) is dropped",
				"fence codex said a message again after a broken stream: the repetition (d) is dropped", "text three",
			},
		},
		{
			"another text after a retry", message("a", "one") + retry + message("b", "two") + message("c", "one"),
			[]string{"text one", "retry Reconnecting... 1/5 (cut)", "text two", "text one"},
		},
		{"the same text twice without a retry", message("a", "one") + message("b", "one"), []string{"text one", "text one"}},
		{
			"the same text after a tool call", message("a", "one") + use + done + retry + message("b", "one"),
			[]string{"text one", `tool_use command_execution c {"command":"ls"}`, `tool_result command_execution c "a\n"`, "retry Reconnecting... 1/5 (cut)", "text one"},
		},
		{
			"a tool without a start", done + message("a", "x"),
			[]string{`tool_use command_execution c {"command":"ls"}`, `tool_result command_execution c "a\n"`, "text x"},
		},
		{
			"a tool started twice", use + use + done + message("a", "x"),
			[]string{`tool_use command_execution c {"command":"ls"}`, `tool_result command_execution c "a\n"`, "text x"},
		},
		{
			"a declined tool", use + declined + message("a", "x"),
			[]string{`tool_use command_execution c {"command":"ls"}`, `tool_result command_execution c "" !`, "text x"},
		},
		{
			"a patch on its way", patch + patched + message("a", "x"),
			[]string{`tool_use file_change p {"changes":[]}`, `tool_result file_change p [{"path":"/a","kind":"add"}] !`, "text x"},
		},
		{"an error that was none", trouble + message("a", "x"), []string{"text x", "warning odd"}},
		{"two errors that were none", trouble + `{"type":"error","message":"odder"}` + "\n" + message("a", "x"), []string{"warning odd", "text x", "warning odder"}},
		{"an unknown harmless event", `{"type":"turn.heartbeat","at":3}` + "\n" + message("a", "x"), []string{"unknown_event unknown event turn.heartbeat", "text x"}},
		{
			"an unknown harmless item", `{"type":"item.completed","item":{"id":"s","type":"sleep","seconds":3}}` + "\n" + message("a", "x"),
			[]string{"unknown_event unknown event item.completed sleep", "text x"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chunks, out := replay(t, request(t, "hi"), started+tt.lines+ended, providers.Exit{})
			want := append([]string{"session", "turn_started"}, append(tt.want, "result")...)
			if diff := cmp.Diff(want, brief(chunks)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if out.Err != nil {
				t.Error(out.Err)
			}
		})
	}
}

func TestRepeatsUnfenced(t *testing.T) {
	r := request(t, "hi")
	r.NoFence["repeated-text"] = true
	chunks, _ := replay(t, r, started+message("a", "one")+`{"type":"error","message":"Reconnecting... 1/5 (cut)"}`+"\n"+message("b", "one")+ended, providers.Exit{})
	want := []string{"session", "turn_started", "text one", "retry Reconnecting... 1/5 (cut)", "text one", "result"}
	if diff := cmp.Diff(want, brief(chunks)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUnknownContentEndsTheRun(t *testing.T) {
	for _, line := range []string{
		`{"type":"item.completed","item":{"id":"i","type":"speech","text":"words"}}`,
		`{"type":"turn.delta","delta":"wo"}`,
		`{"type":"item.completed","item":7}`,
		`{"type":"item.completed","message":"no item"}`,
		`{"type":"error","message":{"text":"an object"}}`,
	} {
		_, out := replay(t, request(t, "hi"), started+line+"\n"+message("a", "x")+ended, providers.Exit{})
		if out.Err == nil || out.Err.Class != providers.Protocol {
			t.Errorf("%s: want class protocol, got %v", line, out.Err)
		}
	}
}

func TestFacts(t *testing.T) {
	m := codex.New().NewMapper(request(t, "hi", "resume="+thread))
	total := &stream.Usage{
		InputTokens: new(int64(9)), CachedInputTokens: new(int64(4)), CacheWriteTokens: new(int64(0)),
		OutputTokens: new(int64(3)), Scope: stream.ScopeSession,
	}
	steps := []struct {
		line string
		want providers.Facts
	}{
		{`{"type":"thread.started","thread_id":"t1"}`, providers.Facts{SessionID: "t1", Progress: 1}},
		{`{"type":"turn.started"}`, providers.Facts{SessionID: "t1", Progress: 2}},
		{`{"type":"error","message":"Reconnecting... waiting for network (down)"}`, providers.Facts{SessionID: "t1", Progress: 2, Retrying: "down"}},
		{`{"type":"item.completed","item":{"id":"w","type":"error","message":"Falling back"}}`, providers.Facts{SessionID: "t1", Progress: 2, Retrying: "down"}},
		{strings.TrimSpace(message("a", "x")), providers.Facts{SessionID: "t1", Progress: 3}},
		{`{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":4,"cache_write_input_tokens":0,"output_tokens":3}}`, providers.Facts{
			SessionID: "t1", Progress: 4, Settled: true,
			Usage: total,
		}},
		{`{"type":"turn.started"}`, providers.Facts{SessionID: "t1", Progress: 5, Usage: total}},
		{`{"type":"turn.failed","error":{"message":"no"}}`, providers.Facts{SessionID: "t1", Progress: 6, Settled: true, Usage: total}},
	}
	for _, s := range steps {
		if err := m.Map(ndjson.Record{Raw: []byte(s.line)}, func(stream.Chunk) {}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(s.want, m.Facts()); diff != "" {
			t.Errorf("after %s -want +got:\n%s", s.line, diff)
		}
	}
}

// A review reports zeros whatever it spent: that is no report.
func TestUsageOfReviews(t *testing.T) {
	for _, tt := range []struct {
		set, usage string
		want       bool
	}{
		{"review=uncommitted", `{"input_tokens":0,"output_tokens":0}`, false},
		{"review=uncommitted", `{}`, false},
		{"review=uncommitted", `null`, false},
		{"review=uncommitted", `{"input_tokens":1,"output_tokens":0}`, true},
		{"review=uncommitted", `{"input_tokens":0,"output_tokens":1}`, true},
		{"model=m", `{"input_tokens":0,"output_tokens":0}`, true},
		{"model=m", `null`, false},
	} {
		_, out := replay(t, request(t, "hi", tt.set), started+message("a", "x")+`{"type":"turn.completed","usage":`+tt.usage+"}\n", providers.Exit{})
		if got := out.Facts.Usage != nil; got != tt.want {
			t.Errorf("%s %s: reported %v", tt.set, tt.usage, got)
		}
	}
}

// What codex said before its turn ended is a warning, unless the end repeats it.
func TestLateCause(t *testing.T) {
	const trouble = `{"type":"error","message":"odd"}` + "\n"
	for lines, want := range map[string]string{
		ended: "[odd]",
		`{"type":"turn.failed","error":{"message":"odd"}}` + "\n":   "[]",
		`{"type":"turn.failed","error":{"message":"worse"}}` + "\n": "[odd]",
		trouble + ended: "[odd]",
	} {
		_, out := replay(t, request(t, "hi"), started+message("a", "x")+trouble+lines, providers.Exit{})
		if got := fmt.Sprint(out.Terminal.Metadata.Warnings); got != want {
			t.Errorf("%s: warnings %s, want %s", lines, got, want)
		}
	}
}

func TestUnsaved(t *testing.T) {
	tests := []struct {
		set  []string
		want bool
	}{
		{nil, false},
		{[]string{"ephemeral=true"}, true},
		{[]string{"ephemeral=true", "resume=" + thread}, false}, // the thread is there, without this run
		{[]string{"ephemeral=true", "resume=" + thread, "fork=true"}, true},
	}
	for _, tt := range tests {
		if got := codex.New().NewMapper(request(t, "hi", tt.set...)).Facts().Unsaved; got != tt.want {
			t.Errorf("%v: unsaved %v", tt.set, got)
		}
	}
}

func TestVerdict(t *testing.T) {
	fail := func(message string) string {
		raw, err := ndjson.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		return started + `{"type":"error","message":` + string(raw) + "}\n" + `{"type":"turn.failed","error":{"message":` + string(raw) + "}}\n"
	}
	said := started + message("a", "x")
	tests := []struct {
		name, lines string
		exit        providers.Exit
		want        string // class/reason
		retryable   bool
		after       time.Duration
	}{
		{"completed, then a signal", said + ended, providers.Exit{Code: -1, Signal: "SIGSEGV"}, "process/signal", true, 0},
		{"completed, then a status", said + ended, providers.Exit{Code: 3}, "process/exit_mismatch", false, 0},
		{"no end, status 0", said, providers.Exit{}, "protocol/incomplete", false, 0},
		{"no end, a panic", said, providers.Exit{Code: 101, Stderr: "thread 'main' panicked at a.rs:1:1:\nout of luck\n"}, "process/crash", false, 0},
		{"no end, a signal", said, providers.Exit{Code: -1, Signal: "SIGKILL"}, "process/signal", true, 0},
		{"nothing at all", "", providers.Exit{}, "protocol/incomplete", false, 0},
		{"an error and no more", started + `{"type":"error","message":"Selected model is at capacity."}` + "\n", providers.Exit{Code: 1}, "unavailable/overloaded", true, 0},
		{"a log line is no cause of a turn", said, providers.Exit{Code: 1, Stderr: "2026-11-30T12:53:55Z ERROR codex_api: 401 Unauthorized\n"}, "process/crash", false, 0},
		{"a failure without words", started + `{"type":"turn.failed","error":null}` + "\n", providers.Exit{Code: 1}, "agent/", false, 0},
		{"a failure in new words", fail("The moon is in the wrong phase."), providers.Exit{Code: 1}, "agent/", false, 0},
		{"a body about the context", fail(`{"error":{"message":"Too long.","type":"invalid_request_error","code":"context_length_exceeded"}}`), providers.Exit{Code: 1}, "context/", false, 0},
		{"a body with a detail", fail(`{"detail":"Stream must be set to true"}`), providers.Exit{Code: 1}, "agent/request", false, 0},
		{"a schema the API refuses", fail(`{"error":{"message":"Invalid schema for response_format 'codex_output_schema'","type":"invalid_request_error","code":"invalid_json_schema"}}`), providers.Exit{Code: 1}, "usage/schema", false, 0},
		{"a wait in words", fail("rate limit exceeded: try again in 20 seconds."), providers.Exit{Code: 1}, "quota/rate_limit", true, 20 * time.Second},
		{"a wait in short", fail("Rate limit reached. Please try again in 1m30s."), providers.Exit{Code: 1}, "quota/rate_limit", true, 90 * time.Second},
		{"an unknown flag", "", providers.Exit{Code: 2, Stderr: "error: unexpected argument '--x' found\n\nUsage: codex\n"}, "unsupported/vendor_args", false, 0},
		{"usage in new words", "", providers.Exit{Code: 2, Stderr: "error: the moon is in the wrong phase\n"}, "unsupported/vendor_args", false, 0},
		{"an unknown feature", "", providers.Exit{Code: 1, Stderr: "Error: Unknown feature flag: nosuch\n"}, "unsupported/vendor_args", false, 0},
		{"status 1 and silence", "", providers.Exit{Code: 1}, "process/crash", false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, out := replay(t, request(t, "hi"), tt.lines, tt.exit)
			if out.Err == nil {
				t.Fatal("no error")
			}
			if got := string(out.Err.Class) + "/" + out.Err.Reason; got != tt.want {
				t.Errorf("want %s, got %s: %v", tt.want, got, out.Err)
			}
			if completed := strings.HasPrefix(tt.name, "completed, then"); out.Completed != completed {
				t.Errorf("completed %v, want %v", out.Completed, completed)
			}
			if out.Err.Retryable != tt.retryable || out.Err.RetryAfter != tt.after {
				t.Errorf("want retryable %v after %v, got %v after %v", tt.retryable, tt.after, out.Err.Retryable, out.Err.RetryAfter)
			}
		})
	}
}

// A turn that worked and said nothing is a success, with a warning; one that was cut
// short behind a status is none.
func TestNoFinalMessage(t *testing.T) {
	const work = `{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"ls","aggregated_output":"x","exit_code":0,"status":"completed"}}` + "\n"
	_, out := replay(t, request(t, "hi"), started+work+ended, providers.Exit{})
	if out.Err != nil || !slices.Contains(out.Terminal.Metadata.Warnings, "codex ended its turn without a final message") {
		t.Errorf("%v, %+v", out.Err, out.Terminal.Metadata)
	}
	_, out = replay(t, request(t, "hi"), `{"type":"thread.started","thread_id":"t1"}`+"\n", providers.Exit{Code: 3})
	if out.Err == nil || out.Err.Reason != providers.ReasonCrash {
		t.Errorf("without a turn: %v", out.Err)
	}
}

// The fence that bounds codex's retries is named where they are used up.
func TestRetriesUsedUp(t *testing.T) {
	const lines = started + `{"type":"turn.failed","error":{"message":"Connection failed: refused"}}` + "\n"
	for _, off := range []bool{false, true} {
		r := request(t, "hi")
		r.NoFence["bounded-reconnects"] = off
		_, out := replay(t, r, lines, providers.Exit{Code: 1})
		if out.Err == nil || strings.Contains(out.Err.Hint, "bounded-reconnects") == off {
			t.Errorf("fence off %v: %v, hint %q", off, out.Err, out.Err.Hint)
		}
	}
}

// A command's output of 24 MiB is one line of the stream and one chunk.
func TestHugeLine(t *testing.T) {
	output := strings.Repeat("a", 24<<20)
	lines := started + `{"type":"item.completed","item":{"id":"c","type":"command_execution","command":"rg x","aggregated_output":"` + output +
		`","exit_code":0,"status":"completed"}}` + "\n" + message("m", "Found it.") + ended
	chunks, out := replay(t, request(t, "hi"), lines, providers.Exit{})
	if out.Err != nil || out.Final != "Found it." {
		t.Errorf("final %q, error %v", out.Final, out.Err)
	}
	if got := len(chunks[3].ToolOutput); got != len(output)+2 {
		t.Errorf("the output has %d bytes, want %d", got, len(output)+2)
	}
}

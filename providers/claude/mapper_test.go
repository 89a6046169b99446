package claude

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// feed maps lines, and returns the chunks and the first error.
func feed(m providers.Mapper, lines ...string) (chunks []stream.Chunk, err error) {
	for _, line := range lines {
		rec := ndjson.Record{Kind: ndjson.Object, Raw: []byte(line)}
		if e := m.Map(rec, func(c stream.Chunk) { chunks = append(chunks, c) }); e != nil && err == nil {
			err = e
		}
	}
	return chunks, err
}

func notices(chunks []stream.Chunk) (words []string) {
	for _, c := range chunks {
		if c.Type == stream.System {
			words = append(words, c.Metadata.Notice)
		}
	}
	return words
}

const (
	initEvent   = `{"type":"system","subtype":"init","session_id":"s1","model":"m1"}`
	textEvent   = `{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"Hi."}]}}`
	okEvent     = `{"type":"result","subtype":"success","is_error":false,"result":"Hi.","num_turns":1,"session_id":"s1"}`
	pendingOne  = `{"type":"system","subtype":"background_tasks_changed","tasks":[{"task_id":"t"}]}`
	pendingNone = `{"type":"system","subtype":"background_tasks_changed","tasks":[]}`
)

// TestSettled: the exit grace runs only when nothing more is to come.
func TestSettled(t *testing.T) {
	m := newMapper(providers.Request{})
	for i, step := range []struct {
		line             string
		settled, pending bool
	}{
		{initEvent, false, false},
		{pendingOne, false, true},
		{textEvent, false, true},
		{okEvent, false, true},
		{pendingNone, true, false},
		{initEvent, false, false}, // the follow-up turn
		{textEvent, false, false},
		{okEvent, true, false},
		{`{"type":"system","subtype":"task_updated","task_id":"t","patch":{"status":"completed"}}`, true, false},
		{`{"type":"result","subtype":"success","is_error":false,"queued_turn_count":1}`, false, false},
		{okEvent, true, false},
	} {
		if _, err := feed(m, step.line); err != nil {
			t.Fatal(err)
		}
		if f := m.Facts(); f.Settled != step.settled || f.Pending != step.pending {
			t.Errorf("step %d: settled %v, pending %v; want %v, %v", i, f.Settled, f.Pending, step.settled, step.pending)
		}
	}
}

func TestRetryIsNoProgress(t *testing.T) {
	m := newMapper(providers.Request{})
	if _, err := feed(m, initEvent); err != nil {
		t.Fatal(err)
	}
	before := m.Facts().Progress
	chunks, err := feed(m,
		`{"type":"system","subtype":"api_retry","attempt":1,"max_retries":5,"retry_delay_ms":500,"error_status":401,"error":"authentication_failed"}`,
		`{"type":"keep_alive"}`)
	if err != nil {
		t.Fatal(err)
	}
	if f := m.Facts(); f.Progress != before || f.Retrying != "authentication_failed (401)" {
		t.Errorf("progress %d to %d, retrying %q", before, f.Progress, f.Retrying)
	}
	if diff := cmp.Diff([]string{"retry"}, notices(chunks)); diff != "" {
		t.Error(diff)
	}
	if _, err := feed(m, textEvent); err != nil {
		t.Fatal(err)
	}
	if f := m.Facts(); f.Progress == before || f.Retrying != "" {
		t.Errorf("after text: progress %d, retrying %q", f.Progress, f.Retrying)
	}
}

// TestPartialUsage: without a result, each message counts once, with its last numbers.
func TestPartialUsage(t *testing.T) {
	m := newMapper(providers.Request{})
	line := func(id, parent string, output string) string {
		return `{"type":"assistant","parent_tool_use_id":"` + parent + `","message":{"id":"` + id + `","content":[{"type":"text","text":"x"}],` +
			`"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":` + output + `}}}`
	}
	if _, err := feed(m, line("a", "", "1"), line("sub", "t1", "7"), line("a", "", "4"), line("b", "", "3")); err != nil {
		t.Fatal(err)
	}
	want := &stream.Usage{
		InputTokens: new(int64(51)), CachedInputTokens: new(int64(15)), CacheWriteTokens: new(int64(6)),
		OutputTokens: new(int64(14)), Scope: stream.ScopeRun, Partial: true,
	}
	if diff := cmp.Diff(want, m.Facts().Usage); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEphemeral: what no later run will find, unless it was there before.
func TestEphemeral(t *testing.T) {
	for _, tt := range []struct {
		request request
		want    bool
	}{
		{request{}, false},
		{request{Ephemeral: true}, true},
		{request{Ephemeral: true, Resume: "s"}, false},
		{request{Ephemeral: true, Continue: true}, false},
		{request{Ephemeral: true, Resume: "s", Fork: true}, true},
		{request{Resume: "s", Fork: true}, false},
	} {
		if got := newMapper(providers.Request{Fields: &tt.request}).Facts().Unsaved; got != tt.want {
			t.Errorf("%+v: unsaved %v", tt.request, got)
		}
	}
}

// TestPartialUsageOfPieces: what a message costs is told at its beginning and at its end.
func TestPartialUsageOfPieces(t *testing.T) {
	m := newMapper(providers.Request{Deltas: true})
	if _, err := feed(m,
		`{"type":"stream_event","event":{"type":"message_start","message":{"id":"a","usage":{"input_tokens":10,"output_tokens":1}}}}`,
		`{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}`,
		`{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi."}}}`,
	); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int64{1, 7} {
		u := m.Facts().Usage
		if u == nil || *u.InputTokens != 10 || *u.OutputTokens != want || !u.Partial {
			t.Errorf("usage %+v, want 10 in and %d out", u, want)
		}
		if _, err := feed(m, `{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":7}}}`); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		name, line string
		fails      bool
		notices    []string
	}{
		{"harmless type", `{"type":"quantum_hint","payload":1}`, false, []string{"unknown_event"}},
		{"harmless subtype", `{"type":"system","subtype":"new","x":1}`, false, []string{"unknown_event"}},
		{"no type", `{"x":1}`, false, []string{"unknown_event"}},
		{"with words", `{"type":"answer","text":"forty-two"}`, true, nil},
		{"system with words", `{"type":"system","subtype":"new","content":"forty-two"}`, true, nil},
		{"known type, other shape", `{"type":"assistant","message":"forty-two"}`, true, nil},
		{"known subtype, other shape", `{"type":"system","subtype":"task_started","task_id":7}`, false, []string{"unknown_event"}},
		{"unknown block", `{"type":"assistant","message":{"id":"a","content":[{"type":"hologram","data":"x"}]}}`, false, []string{"unknown_event"}},
		{"telemetry", `{"type":"tool_progress","content":"x"}`, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			chunks, err := feed(newMapper(providers.Request{}), c.line)
			if (err != nil) != c.fails {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(c.notices, notices(chunks)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLostResult(t *testing.T) {
	chunks, err := feed(newMapper(providers.Request{}), textEvent,
		`{"type":"result","subtype":"success","is_error":true,"result":"broken","result_index":0}`,
		`{"type":"result","subtype":"success","is_error":false,"result":"Hi.","result_index":3}`)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"warning", "warning"}, notices(chunks)); diff != "" {
		t.Error(diff)
	}
}

// What a tool call of claude's may lack, and what says that it was denied.
func TestToolCalls(t *testing.T) {
	const use = `{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}`
	result := func(content string) string {
		return `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1",` + content + `}]}}`
	}
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a call", []string{use, result(`"content":"ok"`)}, []string{"tool_use t1", `tool_result t1 "ok" error=false denied=false`}},
		{"a call that failed", []string{use, result(`"is_error":true,"content":"Exit code 3\nno"`)}, []string{"tool_use t1", `tool_result t1 "Exit code 3\nno" error=true denied=false`}},
		{
			"a call that was not allowed",
			[]string{use, result(`"is_error":true,"content":"Permission to use Bash has been denied."`)},
			[]string{"tool_use t1", "system denied t1", `tool_result t1 "Permission to use Bash has been denied." error=true denied=true`},
		},
		{"words like that of a call that went well", []string{use, result(`"content":"Permission to use it"`)}, []string{"tool_use t1", `tool_result t1 "Permission to use it" error=false denied=false`}},
		{
			"a call that was rejected",
			[]string{use, `{"type":"user","tool_result_meta":[{"id":"t1","permission_decision":{"decision":"reject"}}],"message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"no"}]}}`},
			[]string{"tool_use t1", "system denied t1", `tool_result t1 "no" error=true denied=true`},
		},
		{"begun twice", []string{use, use}, []string{"tool_use t1", "system warning "}},
		{"without a name", []string{`{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t1","input":{}}]}}`}, []string{"system warning "}},
		{"without an id", []string{`{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","name":"Bash","input":{}}]}}`}, []string{"system warning "}},
		{"thoughts without words", []string{`{"type":"assistant","message":{"id":"a","content":[{"type":"thinking","thinking":""},{"type":"thinking","thinking":"Hm."}]}}`}, []string{"thinking  Hm."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chunks, err := feed(newMapper(providers.Request{}), tt.lines...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range chunks {
				switch c.Type {
				case stream.System:
					got = append(got, "system "+c.Metadata.Notice+" "+c.ToolID)
				case stream.ToolResult:
					got = append(got, fmt.Sprintf("tool_result %s %s error=%v denied=%v", c.ToolID, c.ToolOutput, c.IsError, c.Metadata != nil && c.Metadata.Denied))
				case stream.ToolUse:
					got = append(got, "tool_use "+c.ToolID)
				default:
					got = append(got, string(c.Type)+" "+c.ToolID+" "+c.Content)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStrayToolResult(t *testing.T) {
	chunks, err := feed(newMapper(providers.Request{}),
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t9","content":"late"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := notice(stream.NoticeWarning, "the vendor gave a result of a tool call that is not open: t9", "late")
	if diff := cmp.Diff([]stream.Chunk{want}, chunks); diff != "" {
		t.Error(diff)
	}
}

// TestEarlyFailure: the cause of a failed model request outlives a vendor that
// dies before it writes the result.
func TestEarlyFailure(t *testing.T) {
	m := newMapper(providers.Request{})
	if _, err := feed(m, initEvent,
		`{"type":"assistant","error":"authentication_failed","is_api_error_message":true,"api_error_status":401,"message":{"content":[{"type":"text","text":"Invalid API key"}]}}`); err != nil {
		t.Fatal(err)
	}
	v := m.Verdict(providers.Exit{Code: 1, Records: 2})
	if v.Err == nil || v.Err.Class != providers.Auth || v.Err.Message != "Invalid API key" {
		t.Errorf("verdict: %v", v.Err)
	}
}

func TestVerdictOfSilence(t *testing.T) {
	for _, c := range []struct {
		name  string
		exit  providers.Exit
		class providers.Class
		why   string
	}{
		{"nothing at all", providers.Exit{}, providers.Protocol, "incomplete"},
		{"a crash", providers.Exit{Code: 1, Stderr: "segfault"}, providers.Process, "crash"},
		{"a signal", providers.Exit{Code: -1, Signal: "SIGABRT"}, providers.Process, "signal"},
		{"an exit status that says signal", providers.Exit{Code: 143}, providers.Process, "signal"},
		{"a flag too new", providers.Exit{Code: 1, Stderr: "error: unknown option '--tools'"}, providers.Unsupported, "vendor_args"},
		{"a session", providers.Exit{Code: 1, Stderr: "No conversation found with session ID: x"}, providers.Session, "not_found"},
		{"an outer session", providers.Exit{Code: 1, Stderr: "Error: Claude Code cannot be launched inside another Claude Code session."}, providers.Usage, "nested"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newMapper(providers.Request{}).Verdict(c.exit)
			if v.Err == nil || v.Err.Class != c.class || v.Err.Reason != c.why {
				t.Errorf("verdict %+v, want %s/%s", v.Err, c.class, c.why)
			}
		})
	}
}

// FuzzMapper: whatever the lines, the mapper does not panic, leaves the terminal
// chunk to the host, names every tool result's call or warns of it, and says
// text only of assistants.
func FuzzMapper(f *testing.F) {
	files, err := filepath.Glob("testdata/recordings/*/stdout.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal("no recordings", err)
	}
	for i, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 20_000 {
			f.Add(data, uint16(i), i%2 == 0)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint16, deltas bool) {
		lines := bytes.Split(data, []byte("\n"))
		shuffle(lines, int(seed))
		m := newMapper(providers.Request{Deltas: deltas, Fields: &request{}})
		open := map[string]bool{}
		warned := false
		for _, line := range lines {
			if !ndjson.Valid(line) || line[0] != '{' {
				continue
			}
			_ = m.Map(ndjson.Record{Kind: ndjson.Object, Raw: grease(line, int(seed))}, func(c stream.Chunk) {
				switch c.Type {
				case stream.System:
				case stream.Result, stream.Error:
					t.Fatalf("a terminal chunk: %+v", c)
				case stream.ToolUse:
					open[c.ToolID] = true
				case stream.ToolResult:
					if !open[c.ToolID] && !warned {
						t.Fatalf("a result without a call or a warning: %+v", c)
					}
					delete(open, c.ToolID)
				case stream.Text, stream.Thinking:
					if c.Content == "" {
						t.Fatalf("an empty unit: %+v", c)
					}
				}
				warned = c.Type == stream.System && (c.Metadata.Notice == stream.NoticeWarning || warned && c.Metadata.Notice == stream.NoticeDenied)
				if _, err := ndjson.Marshal(c); err != nil {
					t.Fatalf("a chunk that is no JSON: %v", err)
				}
			})
			m.Facts()
		}
		for _, exit := range []providers.Exit{{}, {Code: 1, Stderr: string(data[:min(len(data), 200)])}, {Code: -1, Signal: "SIGKILL"}} {
			if v := m.Verdict(exit); v.Err != nil && v.Err.Class.ExitStatus() == 0 {
				t.Fatalf("a failure with exit status 0: %+v", v.Err)
			}
		}
	})
}

// shuffle swaps lines by the seed; a seed below 8 keeps the order.
func shuffle(lines [][]byte, seed int) {
	if seed < 8 {
		return
	}
	for i := range lines {
		j := (i*seed + seed/3) % len(lines)
		lines[i], lines[j] = lines[j], lines[i]
	}
}

// grease adds a field that no version knows, at either end.
func grease(line []byte, seed int) []byte {
	body := strings.TrimSpace(string(line))
	inner := strings.TrimSpace(body[1 : len(body)-1])
	const extra = `"grease_field":{"deep":[null,1]}`
	switch {
	case inner == "":
		return []byte("{" + extra + "}")
	case seed%3 == 0:
		return []byte("{" + extra + "," + inner + "}")
	case seed%3 == 1:
		return []byte("{" + inner + "," + extra + "}")
	}
	return []byte(body)
}

func TestUnsaved(t *testing.T) {
	m := newMapper(providers.Request{})
	chunks, err := feed(m,
		`{"type":"system","subtype":"session_writes_lost","error_code":"EDQUOT","lost":["global_config"],"session_id":"s","uuid":"u"}`)
	if err != nil || m.Facts().Unsaved || len(chunks) > 0 {
		t.Errorf("the transcript is whole: %v, %+v", chunks, m.Facts())
	}
	chunks, err = feed(m,
		`{"type":"system","subtype":"session_writes_lost","error_code":"ENOSPC","lost":["transcript"],"session_id":"s","uuid":"u"}`)
	if err != nil || !m.Facts().Unsaved || len(chunks) != 1 || chunks[0].Metadata.Notice != stream.NoticeWarning {
		t.Errorf("the transcript is cut: %v, %+v", chunks, m.Facts())
	}
}

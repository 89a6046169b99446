package gemini

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// mapped maps records, one per line, and returns the chunks and the verdict.
func mapped(t *testing.T, exit providers.Exit, fields map[string][]string, lines ...string) ([]stream.Chunk, providers.Verdict) {
	t.Helper()
	m := provider{}.NewMapper(given(t, fields))
	var chunks []stream.Chunk
	for _, l := range lines {
		if err := m.Map(ndjson.Record{Raw: []byte(l)}, func(c stream.Chunk) { chunks = append(chunks, c) }); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		exit.Records++
	}
	return chunks, m.Verdict(exit)
}

const (
	begun   = `{"type":"init","session_id":"s","model":"m"}`
	said1   = `{"type":"message","role":"assistant","content":"a","delta":true}`
	success = `{"type":"result","status":"success","stats":{"total_tokens":1,"input_tokens":1,"output_tokens":0,"models":{"m":{}}}}`
	failed  = `{"type":"result","status":"error","stats":{"total_tokens":1,"input_tokens":1,"output_tokens":0,"models":{"m":{}}}}`
	broke   = `{"type":"error","severity":"error","message":"Model stream ended without a finish reason."}`
)

func TestVerdicts(t *testing.T) {
	result := func(kind, message string) string {
		data, _ := ndjson.Marshal(message)
		return `{"type":"result","status":"error","error":{"type":"` + kind + `","message":` + string(data) + `}}`
	}
	for _, c := range []struct {
		name   string
		exit   providers.Exit
		fields map[string][]string
		lines  []string
		class  providers.Class
		reason string
		retry  bool
	}{
		{name: "success", lines: []string{begun, said1, success}},
		{name: "an error that was got over", lines: []string{begun, broke, said1, success}},
		{name: "an error that was not, under success", lines: []string{begun, said1, broke, success}, class: providers.Protocol, reason: "model_stream", retry: true},
		{name: "turns, under success", lines: []string{said1, `{"type":"error","severity":"error","message":"Maximum session turns exceeded"}`, success}, class: providers.Limit, reason: "max_turns"},
		{name: "no answer", lines: []string{begun, success}, class: providers.Agent, reason: "empty_answer"},
		{name: "no answer and no sums", lines: []string{begun, `{"type":"result","status":"success"}`}, class: providers.Agent, reason: "empty_answer"},
		{name: "nothing to continue", exit: providers.Exit{Stderr: "No previous sessions found"}, fields: map[string][]string{"continue": {"true"}}, lines: []string{said1, success}, class: providers.Session, reason: "not_found"},
		{name: "something to continue", fields: map[string][]string{"continue": {"true"}}, lines: []string{said1, success}},
		{name: "nothing to continue, and nothing was to be", exit: providers.Exit{Stderr: "No previous sessions found"}, lines: []string{said1, success}},
		{name: "read-only, with the rules ignored", exit: providers.Exit{Stderr: "Ignoring --admin-policy"}, fields: map[string][]string{"access": {"read-only"}}, lines: []string{said1, success}, class: providers.Permission, reason: "policy"},
		{name: "no answer of a resumed session", fields: map[string][]string{"resume": {"s"}}, lines: []string{begun, success}, class: providers.Session, reason: "no_work"},
		{name: "no model call", lines: []string{begun, `{"type":"result","status":"success","stats":{"models":{}}}`}, class: providers.Context},
		{name: "error without a cause", lines: []string{begun, failed}, class: providers.Agent},
		{name: "unknown status", lines: []string{begun, said1, `{"type":"result","status":"paused"}`}, class: providers.Agent},
		{name: "recitation", lines: []string{`{"type":"error","severity":"error","message":"The model response was blocked due to recitation/copyright filters."}`, failed}, class: providers.Refusal},
		{name: "a status alone", exit: providers.Exit{Code: 173}, lines: []string{result("unknown", "[API Error: Something new]")}, class: providers.Quota, reason: "rate_limit", retry: true},
		{name: "502", lines: []string{result("unknown", `[API Error: {"error":{"code":502,"message":"bad gateway","status":"X"}}]`)}, class: providers.Unavailable, reason: "server", retry: true},
		{name: "a day's quota, in details", lines: []string{result("unknown", `[API Error: {"error":{"code":429,"message":"no","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"RequestsPerDay-Free"}]}]}}]`)}, class: providers.Quota, reason: "plan_limit", retry: true},
		{name: "a request refused", lines: []string{result("unknown", `[API Error: {"error":{"code":400,"message":"no","status":"INVALID_ARGUMENT"}}]`)}, class: providers.Agent, reason: "request"},
		{name: "no space left", exit: providers.Exit{Code: 54}, lines: []string{result("no_space_left", "Error executing tool write_file: disk full")}, class: providers.Agent, reason: "tool"},
		{name: "signalled", exit: providers.Exit{Code: -1, Signal: "SIGABRT", Stderr: "FATAL ERROR: heap"}, lines: []string{begun}, class: providers.Process, reason: "signal", retry: true},
		{name: "out of memory", exit: providers.Exit{Code: 134, Stderr: "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"}, lines: []string{begun}, class: providers.Process, reason: "crash"},
		{name: "nothing, exit 0", class: providers.Protocol, reason: "incomplete", retry: true},
		{name: "cut, exit 0", lines: []string{begun, said1}, class: providers.Protocol, reason: "incomplete", retry: true},
		{name: "cut after its cause", lines: []string{begun, `{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}`}, class: providers.Limit, reason: "loop"},
		{name: "words on stderr of a good run", exit: providers.Exit{Stderr: "Attempt 1 failed with status 429"}, lines: []string{said1, success}},
		{name: "yolo forbidden", exit: providers.Exit{Code: 52, Stderr: "YOLO mode is disabled by your administrator."}, class: providers.Permission, reason: "denied"},
		{name: "rules ignored", exit: providers.Exit{Stderr: "Security Warning: Ignoring --admin-policy because system policies"}, fields: map[string][]string{"deny_tool": {"replace"}}, lines: []string{said1, success}, class: providers.Permission, reason: "policy"},
		{name: "only the fence ignored", exit: providers.Exit{Stderr: "Security Warning: Ignoring --admin-policy because system policies"}, lines: []string{said1, success}},
		{name: "settings ignored", exit: providers.Exit{Stderr: "Security Warning: Skipping system settings file '/x'"}, fields: map[string][]string{"max_turns": {"1"}}, lines: []string{said1, success}, class: providers.Unsupported, reason: "settings"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, v := mapped(t, c.exit, c.fields, c.lines...)
			got := v.Err
			if got == nil {
				got = &providers.Error{}
			}
			if got.Class != c.class || got.Reason != c.reason || got.Retryable != c.retry {
				t.Errorf("class %q, reason %q, retryable %v: %v", got.Class, got.Reason, got.Retryable, got)
			}
			if v.Err != nil && v.Err.Message == "" {
				t.Error("no message")
			}
		})
	}
}

func TestStatusIsNoSignal(t *testing.T) {
	want := map[int]providers.Class{
		144: providers.Agent, 145: providers.Auth, 147: providers.Auth, 173: providers.Quota, 244: providers.Unavailable, 247: providers.Unavailable,
		41: providers.Auth, 42: providers.Usage, 44: providers.Permission, 52: providers.Usage, 53: providers.Limit, 54: providers.Agent, 55: providers.Permission,
		1: providers.Process, 7: providers.Process,
	}
	for code, class := range want {
		_, v := mapped(t, providers.Exit{Code: code}, nil)
		if v.Err == nil || v.Err.Class != class {
			t.Errorf("exit status %d: %v, want class %s", code, v.Err, class)
		}
	}
}

// The vendor's words stay, known or not, without what the CLI puts around them.
func TestClassifyKeepsWords(t *testing.T) {
	for words, want := range map[string]string{
		"Something new.":                        "agent: Something new.",
		"[API Error: Something new]":            "agent: Something new",
		"[API Error: quota exceeded]\nRead on.": "quota: quota exceeded\nRead on.",
	} {
		err := classify(words)
		if got := string(err.Class) + ": " + err.Message; got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
}

func TestResetTimes(t *testing.T) {
	for message, want := range map[string]string{
		"Your quota will reset after 3h12m.":                  "3h12m0s 3h12m",
		"Quota exceeded. Please retry in 2.5s.":               "2.5s ",
		"Quota exceeded. Suggested retry after 59s..":         "59s ",
		"You have exhausted your daily quota on this model.":  "0s ",
		"The model is overloaded. Please retry after 2s.":     "0s ", // no quota, no time
		"Quota exceeded: it will be reset after 1d, perhaps.": "0s 1d",
	} {
		err := classify(message)
		if got := err.RetryAfter.String() + " " + err.ResetsAt; got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

// What may be the end is held back until something follows.
func TestMapperKeepsAnErrorUntilItIsTheEnd(t *testing.T) {
	const (
		use     = `{"type":"tool_use","tool_name":"x","tool_id":"1","parameters":{}}`
		gave    = `{"type":"tool_result","tool_id":"1","status":"success","output":"o"}`
		stopped = `{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"stop_execution","message":"enough"}}`
		words   = "system Model stream ended without a finish reason."
	)
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
		class providers.Class
	}{
		{"errors, then text", []string{broke, broke, said1, success}, []string{words, words, "text a"}, ""},
		{"an error, then a call", []string{broke, use, gave, success}, []string{words, "tool_use", `tool_result "o"`}, ""},
		{"an error, then a call's result", []string{use, broke, gave, success}, []string{"tool_use", words, `tool_result "o"`}, ""},
		{"an error, then the end", []string{said1, broke, success}, []string{"text a"}, providers.Protocol},
		{"an error, then another one at the end", []string{said1, broke, `{"type":"result","status":"error","error":{"type":"x","message":"odd"}}`}, []string{"text a", words}, providers.Agent},
		{"a warning", []string{said1, `{"type":"error","severity":"warning","message":"w"}`, success}, []string{"text a", "system w"}, ""},
		{"a hook's stop", []string{use, stopped, success}, []string{"tool_use", `tool_result "enough"`}, providers.Permission},
		{"a hook's stop, then text", []string{use, stopped, said1, success}, []string{"tool_use", `tool_result "enough"`, "text a"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			chunks, v := mapped(t, providers.Exit{}, nil, c.lines...)
			var told []string
			for _, c := range chunks {
				told = append(told, strings.TrimSpace(string(c.Type)+" "+c.Content+string(c.ToolOutput)))
			}
			if diff := cmp.Diff(c.want, told); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if v.Err == nil && c.class != "" || v.Err != nil && v.Err.Class != c.class {
				t.Errorf("ended with %v, want class %q", v.Err, c.class)
			}
		})
	}
}

func TestMapperRefusesUnknownContent(t *testing.T) {
	m := provider{}.NewMapper(given(t, nil))
	for line, fails := range map[string]bool{
		`{"type":"thought","content":"x"}`:                               true,
		`{"type":"progress","percent":3}`:                                false,
		`{"type":"progress","stats":7}`:                                  false, // a known name with another type
		`{"type":"message","role":"system","content":"x"}`:               true,
		`{"type":"message","role":"assistant","content":[{"text":"x"}]}`: true,
		`{"type":"tool_result","tool_id":"none","output":"x"}`:           true,
		`{"type":"tool_use","tool_name":"x"}`:                            true,
		`{"type":"tool_use","tool_id":"x"}`:                              true,
		`{"type":7,"text":"x"}`:                                          true,
		`{}`:                                                             false,
	} {
		if err := m.Map(ndjson.Record{Raw: []byte(line)}, func(stream.Chunk) {}); (err != nil) != fails {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestModelOf(t *testing.T) {
	two := &stats{Models: map[string]*modelStats{"a": {}, "b": {}}}
	one := &stats{Models: map[string]*modelStats{"a": {}}}
	for _, c := range []struct {
		name string
		s    *stats
		want string
	}{{"auto", one, "a"}, {"auto", two, "auto"}, {"m", one, "m"}, {"", nil, ""}, {"pro", &stats{}, "pro"}} {
		if got := modelOf(c.name, c.s); got != c.want {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// FuzzMapper feeds records in any order and shape: the mapper never panics, ends
// no stream by itself, and answers every call of a tool at most once.
func FuzzMapper(f *testing.F) {
	f.Add(begun + "\n" + said1 + "\n" + success)
	f.Add(`{"type":"tool_use","tool_name":"a","tool_id":"1","parameters":{"x":1},"new":[1]}` + "\n" + `{"type":"tool_result","tool_id":"1","status":"error","error":{"type":"policy_violation","message":"no"}}`)
	f.Add(`{"type":"tool_result","tool_id":"9","output":null}` + "\n" + broke + "\n" + failed + "\n" + `{"type":"result","status":"success","stats":{"models":null}}`)
	f.Add(`{"type":"mess`)
	f.Fuzz(func(t *testing.T, text string) {
		m := provider{}.NewMapper(providers.Request{Fields: &fields{}, Set: map[string]bool{}})
		open, records := map[string]bool{}, 0
		for line := range strings.SplitSeq(text, "\n") {
			if !ndjson.Valid([]byte(line)) || !strings.HasPrefix(line, "{") {
				continue
			}
			records++
			_ = m.Map(ndjson.Record{Raw: []byte(line)}, func(c stream.Chunk) {
				switch c.Type { //nolint:exhaustive // the other types say nothing of calls
				case stream.Result, stream.Error:
					t.Fatalf("the mapper ended the stream: %+v", c)
				case stream.ToolUse:
					if open[c.ToolID] {
						t.Fatalf("a call that is open already: %+v", c)
					}
					open[c.ToolID] = true
				case stream.ToolResult:
					if !open[c.ToolID] {
						t.Fatalf("a result without its call: %+v", c)
					}
					delete(open, c.ToolID)
				}
			})
			_ = m.Facts()
		}
		m.Verdict(providers.Exit{Records: records, Stderr: text})
		m.Verdict(providers.Exit{Code: 1, Stderr: text})
	})
}

func TestUnsaved(t *testing.T) {
	const tool = `{"type":"tool_use","tool_name":"x","tool_id":"1","parameters":{}}`
	failure := `{"type":"result","status":"error","error":{"type":"ApiError","message":"401"}}`
	limit := `{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"turns"}}`
	for _, c := range []struct {
		name   string
		fields map[string][]string
		lines  []string
		want   bool
	}{
		{"under way", nil, []string{begun, said1}, false},
		{"said and done", nil, []string{begun, said1, success}, false},
		{"the only turn failed", nil, []string{begun, said1, failure}, true},
		{"nothing was said", nil, []string{begun, success}, true},
		{"failed behind a tool call", nil, []string{begun, tool, failure}, false},
		{"at the limit of turns", nil, []string{begun, limit}, false},
		{"a later turn failed", map[string][]string{"resume": {"s"}}, []string{begun, failure}, false},
		{"a later turn of the newest session failed", map[string][]string{"continue": {"true"}}, []string{begun, failure}, false},
		{"a private home", map[string][]string{"ephemeral": {"true"}}, []string{begun, said1, success}, true},
	} {
		m := provider{}.NewMapper(given(t, c.fields))
		for _, l := range c.lines {
			if err := m.Map(ndjson.Record{Raw: []byte(l)}, func(stream.Chunk) {}); err != nil {
				t.Fatal(err)
			}
		}
		if got := m.Facts().Unsaved; got != c.want {
			t.Errorf("%s: unsaved %v", c.name, got)
		}
	}
}

func TestFacts(t *testing.T) {
	m := provider{}.NewMapper(given(t, nil))
	for i, line := range []string{`{"type":"init","session_id":"s","model":"auto"}`, said1, success} {
		if err := m.Map(ndjson.Record{Raw: []byte(line)}, func(stream.Chunk) {}); err != nil {
			t.Fatal(err)
		}
		f := m.Facts()
		if ended := i == 2; f.Progress != i+1 || f.SessionID != "s" || f.Settled != ended || (f.Usage != nil) != ended || (f.Model == "m") != ended {
			t.Errorf("after %d records: %+v", i+1, f)
		}
	}
}

package pi

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// play maps lines and returns what came out.
func play(t *testing.T, m providers.Mapper, lines ...string) []stream.Chunk {
	t.Helper()
	var out []stream.Chunk
	for _, l := range lines {
		if err := m.Map(ndjson.Record{Raw: []byte(l)}, func(c stream.Chunk) { out = append(out, c) }); err != nil {
			t.Fatalf("%s: %v", l, err)
		}
	}
	return out
}

func TestTextWithoutPieces(t *testing.T) {
	m := New().NewMapper(request(t, "hi"))
	got := play(t, m,
		`{"type":"message_start","message":{"role":"assistant","responseId":"r1"}}`,
		`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"pie"}}`,
		`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":1,"delta":"ces"}}`,
		`{"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":1,"content":"pieces"}}`,
		`{"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":2,"content":"whole"}}`,
		`{"type":"message_end","message":{"role":"assistant","responseId":"r1","stopReason":"stop","content":[
			{"type":"thinking","thinking":"late thought"},{"type":"text","text":"pieces"},{"type":"text","text":"whole"},
			{"type":"thinking","thinking":"[Reasoning redacted]","redacted":true},{"type":"text","text":"only at the end"}]}}`)
	meta := &stream.Metadata{MessageID: "r1"}
	want := []stream.Chunk{
		{Type: stream.Text, Content: "pie", IsDelta: true, Metadata: meta},
		{Type: stream.Text, Content: "ces", IsDelta: true, Metadata: meta},
		{Type: stream.Text, Content: "whole", Metadata: meta},
		{Type: stream.Thinking, Content: "late thought", Metadata: meta},
		{Type: stream.Text, Content: "only at the end", Metadata: meta},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestUsageSums counts every report once: the answers, a failed one too, a
// tool that asked a model, and a compaction.
func TestUsageSums(t *testing.T) {
	m := New().NewMapper(request(t, "hi"))
	const one = `"usage":{"input":10,"output":4,"cacheRead":3,"cacheWrite":2,"reasoning":1,"totalTokens":19,"cost":{"total":0.5}}`
	play(t, m,
		`{"type":"message_update",`+one+`,"assistantMessageEvent":{"type":"text_delta","delta":"a"}}`,
		`{"type":"message_end","message":{"role":"assistant","stopReason":"error",`+one+`}}`,
		`{"type":"turn_end","message":{"role":"assistant",`+one+`}}`,
		`{"type":"message_end","message":{"role":"toolResult",`+one+`}}`,
		`{"type":"compaction_end","reason":"threshold","result":{"tokensBefore":9,"estimatedTokensAfter":1,`+one+`}}`,
		`{"type":"agent_end","messages":[{"role":"assistant",`+one+`}],"willRetry":false}`,
		`{"type":"agent_settled","aborted":false}`)
	f := m.Facts()
	want := &stream.Usage{
		InputTokens: new(int64(45)), CachedInputTokens: new(int64(9)), CacheWriteTokens: new(int64(6)),
		OutputTokens: new(int64(12)), ReasoningTokens: new(int64(3)), TotalTokens: new(int64(57)),
		Scope: stream.ScopeRun,
	}
	if diff := cmp.Diff(want, f.Usage); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if f.CostUSD == nil || *f.CostUSD != 1.5 {
		t.Errorf("cost is %v, want 1.5", f.CostUSD)
	}
}

// TestSessionConfirmed says when an id is worth keeping: when the file is written.
func TestSessionConfirmed(t *testing.T) {
	const (
		header = `{"type":"session","version":3,"id":"s1","cwd":"/repo"}`
		user   = `{"type":"message_end","message":{"role":"user","content":"hi"}}`
		answer = `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"stop"}}`
	)
	for _, tt := range []struct {
		name, version string
		set, lines    []string
		want          string
	}{
		{name: "header alone", lines: []string{header}},
		{name: "prompt", lines: []string{header, user}, want: "s1"},
		{name: "prompt, old", version: "0.98.0", lines: []string{header, user}},
		{name: "answer, old", version: "0.73.1", lines: []string{header, user, answer}, want: "s1"},
		{name: "ephemeral", set: []string{"ephemeral=true"}, lines: []string{header, user, answer}},
		{name: "resumed", set: []string{"resume=s1"}, lines: []string{header}, want: "s1"},
		{name: "resumed without a trace", set: []string{"resume=s1", "ephemeral=true"}, lines: []string{header}},
		{name: "a fork, of which only the header came", set: []string{"resume=s1", "fork=true"}, lines: []string{header}},
		{name: "an answer without a header", lines: []string{answer}},
		{name: "resumed as another", set: []string{"resume=s2"}, lines: []string{header}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, "hi", tt.set...)
			r.Version = tt.version
			m := New().NewMapper(r)
			play(t, m, tt.lines...)
			if got := m.Facts().SessionID; got != tt.want {
				t.Errorf("session %q, want %q", got, tt.want)
			}
		})
	}
}

func TestNotices(t *testing.T) {
	for _, tt := range []struct{ line, notice, says string }{
		{`{"type":"message_end","message":{"role":"custom","customType":"todo","content":"one"}}`, stream.NoticeInfo, "todo: one"},
		{`{"type":"message_end","message":{"role":"branchSummary","summary":"went there"}}`, stream.NoticeInfo, "went there"},
		{`{"type":"summarization_retry_scheduled","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"terminated"}`, stream.NoticeRetry, "terminated"},
		{`{"type":"extension_error","extensionPath":"/e.ts","event":"x","error":"boom"}`, stream.NoticeWarning, "boom"},
		{`{"type":"brand_new","count":1}`, stream.NoticeUnknown, "brand_new"},
		{`{"type":"tool_execution_end","toolCallId":"t9","toolName":"bash","result":{"content":[]}}`, stream.NoticeWarning, "never began"},
	} {
		got := play(t, New().NewMapper(request(t, "hi")), tt.line)
		if len(got) != 1 || got[0].Type != stream.System || got[0].Metadata.Notice != tt.notice || !strings.Contains(got[0].Content, tt.says) {
			t.Errorf("%s: got %+v, want one notice %s: …%s…", tt.line, got, tt.notice, tt.says)
		}
	}
}

func TestUnknownContentIsProtocol(t *testing.T) {
	for _, line := range []string{
		`{"type":"brand_new","text":"words"}`,
		`{"type":"message_end","message":{"role":"oracle","content":"words"}}`,
		`{"type":"message_update","assistantMessageEvent":{"type":"video_delta","delta":"x"},"message":{}}`,
		`{"type":"tool_execution_start","toolCallId":7}`,
	} {
		err := New().NewMapper(request(t, "hi")).Map(ndjson.Record{Raw: []byte(line)}, func(stream.Chunk) {})
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Protocol {
			t.Errorf("%s: got %v, want an error of class protocol", line, err)
		}
	}
}

// TestRetrying is what a clock needs to know: the wait is no progress.
func TestRetrying(t *testing.T) {
	m := New().NewMapper(request(t, "hi"))
	play(t, m, `{"type":"session","id":"s"}`)
	before := m.Facts().Progress
	play(t, m,
		`{"type":"message_start","message":{"role":"assistant"}}`,
		`{"type":"message_end","message":{"role":"assistant","stopReason":"error","errorMessage":"529 x","content":[]}}`,
		`{"type":"turn_end"}`, `{"type":"agent_end","willRetry":true}`,
		`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"529 x"}`,
		`{"type":"agent_start"}`, `{"type":"turn_start"}`)
	if f := m.Facts(); f.Retrying != "529 x" || f.Progress != before {
		t.Errorf("retrying %q, progress %d; want 529 x and %d", f.Retrying, f.Progress, before)
	}
	play(t, m, `{"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"a"}}`)
	if f := m.Facts(); f.Retrying != "" || f.Progress == before {
		t.Errorf("retrying %q, progress %d after words came", f.Retrying, f.Progress)
	}
}

func TestClassifyModel(t *testing.T) {
	for _, tt := range []struct {
		text, raw string
		class     providers.Class
		reason    string
		retryable bool
		after     time.Duration
	}{
		{text: "401: no", class: providers.Auth, reason: providers.ReasonBadKey},
		{text: "x API error (403): no", class: providers.Auth, reason: providers.ReasonForbidden},
		{text: "You have hit your ChatGPT usage limit (plus plan). Try again in ~90 min.", class: providers.Quota, reason: providers.ReasonPlanLimit, retryable: true, after: 90 * time.Minute},
		{text: "429 slow down", class: providers.Quota, reason: providers.ReasonRateLimit, retryable: true},
		{text: "429 out of budget", class: providers.Quota, reason: providers.ReasonCredit},
		{text: "413 too big", class: providers.Context},
		{text: "This model's maximum context length is 8 tokens", class: providers.Context},
		{text: "503: gone", class: providers.Unavailable, reason: providers.ReasonServer, retryable: true},
		{text: "529 busy", class: providers.Unavailable, reason: providers.ReasonOverloaded, retryable: true},
		{text: "Could not parse Anthropic SSE event x: Unterminated string", class: providers.Protocol, reason: "model_stream", retryable: true},
		{text: "terminated", class: providers.Unavailable, reason: providers.ReasonNetwork, retryable: true},
		{text: "404 nothing here", class: providers.Usage, reason: providers.ReasonModel},
		{text: "400 bad field", class: providers.Agent, reason: providers.ReasonRequest},
		{text: "something", raw: "refusal", class: providers.Refusal},
		{text: "about 500 errors", class: providers.Agent},
		{text: "", class: providers.Agent},
	} {
		e := classifyModel(message{ErrorMessage: tt.text, RawStopReason: tt.raw})
		if e.Class != tt.class || e.Reason != tt.reason || e.Retryable != tt.retryable || e.RetryAfter != tt.after {
			t.Errorf("%q: got %s/%s retryable=%v after=%v", tt.text, e.Class, e.Reason, e.Retryable, e.RetryAfter)
		}
		if tt.text != "" && e.Message != tt.text {
			t.Errorf("the message %q became %q", tt.text, e.Message)
		}
	}
}

// TestVerdictOfNothing judges runs that settled nothing.
func TestVerdictOfNothing(t *testing.T) {
	const header = `{"type":"session","id":"s1","cwd":"/repo"}`
	for _, tt := range []struct {
		name, stderr string
		set, lines   []string
		code         int
		class        providers.Class
		reason       string
	}{
		{name: "nothing", class: providers.Protocol, reason: providers.ReasonIncomplete},
		{name: "header", lines: []string{header}, class: providers.Protocol, reason: providers.ReasonIncomplete},
		{name: "resumed, header", set: []string{"resume=s1"}, lines: []string{header}, class: providers.Session, reason: providers.ReasonNoWork},
		{name: "cut", lines: []string{header, `{"type":"message_end","message":{"role":"assistant","stopReason":"stop","content":[]}}`}, class: providers.Protocol, reason: providers.ReasonIncomplete},
		{name: "old Node", code: 1, stderr: "SyntaxError: module 'node:module' has no export 'enableCompileCache'\n    at x (node:y)\n", class: providers.Process, reason: providers.ReasonCrash},
		{name: "no Node", code: 127, stderr: "env: 'node': No such file or directory\n", class: providers.NotFound},
		{name: "expired login", code: 1, stderr: "Authentication failed for \"openai\". Run '/login openai'\n", class: providers.Auth, reason: providers.ReasonNotLoggedIn},
		{name: "only warnings", code: 1, stderr: "Warning: No models available.\n", class: providers.Agent},
		{name: "who knows", code: 3, stderr: "odd\n", class: providers.Agent},
		{name: "hung up", code: 129, class: providers.Process, reason: providers.ReasonSignal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := New().NewMapper(request(t, "hi", tt.set...))
			play(t, m, tt.lines...)
			v := m.Verdict(providers.Exit{Code: tt.code, Stderr: tt.stderr})
			if v.Err == nil || v.Err.Class != tt.class || v.Err.Reason != tt.reason {
				t.Errorf("got %+v, want %s/%s", v.Err, tt.class, tt.reason)
			}
		})
	}
}

// TestAbortedAndOdd judges settled runs whose last word is no answer.
func TestAbortedAndOdd(t *testing.T) {
	end := func(stop string) string {
		return `{"type":"message_end","message":{"role":"assistant","stopReason":"` + stop + `","content":[{"type":"text","text":"x"}]}}`
	}
	for _, tt := range []struct{ stop, settled, reason string }{
		{"aborted", "false", "aborted"},
		{"stop", "true", "aborted"},
		{"deferred", "false", "stop_reason"},
		{"pending", "false", "stop_reason"},
	} {
		m := New().NewMapper(request(t, "hi"))
		play(t, m, end(tt.stop), `{"type":"agent_settled","aborted":`+tt.settled+`}`)
		if v := m.Verdict(providers.Exit{}); v.Err == nil || v.Err.Class != providers.Agent || v.Err.Reason != tt.reason {
			t.Errorf("%s/%s: got %+v, want agent/%s", tt.stop, tt.settled, v.Err, tt.reason)
		}
	}
}

// TestLegacyEnd: before 0.80.4 agent_end and exit status 0 are the end, from 0.80.4 on they are not.
func TestLegacyEnd(t *testing.T) {
	answer := `{"type":"message_end","message":{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"x"}]}}`
	for _, tt := range []struct {
		name, version, end string
		code               int
		want               providers.Class
	}{
		{name: "seen by its grammar", end: `{"type":"agent_end","messages":[]}`},
		{name: "known by its version", version: "0.80.3", end: `{"type":"agent_end","willRetry":false}`},
		{name: "crashed", version: "0.73.1", end: `{"type":"agent_end"}`, code: 1, want: providers.Agent},
		{name: "new", version: "1.6.0", end: `{"type":"agent_end","willRetry":false}`, want: providers.Protocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, "hi")
			r.Version = tt.version
			m := New().NewMapper(r)
			play(t, m, `{"type":"agent_start"}`, answer, tt.end)
			v := m.Verdict(providers.Exit{Code: tt.code})
			if got := classOf(v.Err); got != tt.want {
				t.Errorf("got class %q, want %q", got, tt.want)
			}
			if tt.want == "" && v.Metadata.Usage != nil {
				t.Error("usage that nobody reported")
			}
		})
	}
}

func classOf(e *providers.Error) providers.Class {
	if e == nil {
		return ""
	}
	return e.Class
}

// TestBlocks: what belongs to which message, and what counts as an answer.
func TestBlocks(t *testing.T) {
	update := func(body string) string {
		return `{"type":"message_update","assistantMessageEvent":{` + body + `}}`
	}
	end := func(body string) string {
		return `{"type":"message_end","message":{"role":"assistant","stopReason":"stop",` + body + `}}`
	}
	const start = `{"type":"message_start","message":{"role":"assistant"}}`
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"a thought without pieces", []string{start, update(`"type":"thinking_end","contentIndex":0,"content":"Hm."`)}, []string{"thinking Hm."}},
		{"a thought that is encrypted", []string{start, update(`"type":"thinking_end","contentIndex":0,"content":"[Reasoning redacted]"`)}, nil},
		{"such words as text", []string{start, update(`"type":"text_end","contentIndex":0,"content":"[Reasoning redacted]"`)}, []string{"text [Reasoning redacted]"}},
		{
			"a block of the next message",
			[]string{start, update(`"type":"text_delta","contentIndex":0,"delta":"a"`), end(`"content":[{"type":"text","text":"a"}]`), start, end(`"content":[{"type":"text","text":"b"}]`)},
			[]string{"text a", "text b"},
		},
		{
			"a block of a message begun anew",
			[]string{start, update(`"type":"text_delta","contentIndex":0,"delta":"a"`), start, end(`"content":[{"type":"text","text":"b"}]`)},
			[]string{"text a", "text b"},
		},
		{"an id at the end alone", []string{start, end(`"responseId":"r1","content":[{"type":"text","text":"a"},{"type":"thinking","thinking":"x","redacted":true}]`)}, []string{"text a r1"}},
		{
			"another model",
			[]string{end(`"provider":"p","model":"m1","content":[]`), end(`"provider":"p","model":"m1","content":[]`), end(`"provider":"p","model":"m2","content":[]`)},
			[]string{"system the model is now p/m2 p/m2"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range play(t, New().NewMapper(request(t, "hi")), tt.lines...) {
				words := string(c.Type) + " " + c.Content
				if m := c.Metadata; m != nil {
					words += " " + m.MessageID + m.Model
				}
				got = append(got, words)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

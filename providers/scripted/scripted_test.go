package scripted

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

const name = "/repo/script.ndjson"

func request(script string) providers.Request {
	return providers.Request{
		Prompt: "hello", Fields: &fields{Script: name}, Set: map[string]bool{"script": true},
		Contents: map[string][]byte{name: []byte(script)},
	}
}

// run plays a script through the Runner. The lines are the chunks, without the
// host's first one and without the measured duration.
func run(ctx context.Context, t *testing.T, script string, change func(*providers.Job)) (providers.Outcome, []string) {
	t.Helper()
	job := providers.Job{ID: "run", Provider: New(), Request: request(script)}
	if change != nil {
		change(&job)
	}
	if _, err := job.Provider.Command(job.Request); err != nil {
		t.Fatalf("script refused: %v", err)
	}
	var got []string
	out := providers.Run(ctx, job, func(c stream.Chunk) error {
		if c.Metadata != nil && c.Metadata.Notice == stream.NoticeRunStart {
			return nil
		}
		if c.Type == stream.Result || c.Type == stream.Error {
			c.Metadata.DurationMS = 0
		}
		text, err := ndjson.Marshal(c)
		got = append(got, string(text))
		return err
	})
	return out, got
}

func TestPlay(t *testing.T) {
	chunks := []string{
		`{"type":"system","metadata":{"notice":"session","model":"m-1"}}`,
		`{"type":"thinking","content":"hm"}`,
		`{"type":"tool_use","tool_name":"Bash","tool_id":"t1","tool_input":{"command":"ls"}}`,
		`{"type":"tool_result","tool_id":"t1","tool_output":"a"}`,
		`{"type":"text","content":"done"}`,
	}
	errorChunk := func(rest string) string {
		return `{"type":"error","content":"too many","is_error":true,"metadata":{"class":"quota",` + rest + `}}`
	}
	cases := []struct {
		name, end, last string
		class           providers.Class
	}{
		{"result", `{"type":"result","metadata":{"num_turns":2}}`, `{"type":"result","metadata":{"num_turns":2}}`, ""},
		{"result that repeats the text", `{"type":"result","content":"done"}`, `{"type":"result","metadata":{}}`, ""},
		{
			"usage of another run",
			`{"type":"result","metadata":{"usage":{"input_tokens":1},"total_cost_usd":2,"cost_scope":"run","num_turns":1}}`,
			`{"type":"result","metadata":{"num_turns":1}}`, "",
		},
		{
			"failure",
			`{"fail":{"class":"quota","reason":"rate_limit","message":"too many","hint":"wait","retryable":true,"retry_after":1.5}}`,
			errorChunk(`"reason":"rate_limit","origin":"provider","retryable":true,"retry_after":1.5,"hint":"wait"`), "quota",
		},
		{
			"failure of few words", `{"fail":{"class":"auth"}}`,
			`{"type":"error","content":"the script failed with class auth","is_error":true,"metadata":{"class":"auth","origin":"provider","retryable":false}}`, "auth",
		},
		{"error chunk", errorChunk(`"origin":"host","retryable":true,"retry_after":2`), errorChunk(`"origin":"host","retryable":true,"retry_after":2`), "quota"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, got := run(t.Context(), t, strings.Join(chunks, "\n")+"\n\n"+c.end, nil)
			if d := cmp.Diff(append(slices.Clip(chunks), c.last), got); d != "" {
				t.Errorf("chunks (-want +got):\n%s", d)
			}
			var class providers.Class
			if out.Err != nil {
				class = out.Err.Class
			}
			if class != c.class || out.Facts.Model != "m-1" || out.Final != "done" && c.class == "" {
				t.Errorf("class %q, model %q, final text %q", class, out.Facts.Model, out.Final)
			}
		})
	}
}

// The chunks of one run are the script of another that gives the same.
func TestPlayRecording(t *testing.T) {
	script := `{"type":"system","metadata":{"stream":"agentrun/1","run_id":"old","provider":"claude","notice":"run_start"},"seq":1,"time":"2026-01-02T03:04:05.678Z","run":"old"}
{"type":"text","content":"half","is_delta":true,"metadata":{"message_id":"m"}}
{"type":"error","content":"cut","is_error":true,"metadata":{"class":"unavailable","reason":"network","origin":"provider","retryable":true}}`
	_, first := run(t.Context(), t, script, func(j *providers.Job) { j.Request.Deltas = true })
	_, second := run(t.Context(), t, strings.Join(first, "\n"), func(j *providers.Job) { j.Request.Deltas = true })
	if d := cmp.Diff(first, second); d != "" || len(first) != 2 {
		t.Errorf("%d chunks (-first +second):\n%s", len(first), d)
	}
}

func TestDelays(t *testing.T) {
	const script = "{\"delay_ms\":1500}\n{\"type\":\"text\",\"content\":\"a\"}\n{\"delay_ms\":500.5}\n{\"delay_ms\":0}\n{\"type\":\"text\",\"content\":\"b\"}\n"
	synctest.Test(t, func(t *testing.T) {
		out, got := run(t.Context(), t, script, nil)
		if out.Err != nil || out.Duration != 2000500*time.Microsecond {
			t.Errorf("took %v, %v: %q", out.Duration, out.Err, got)
		}
	})
}

func TestClocksAndCancellation(t *testing.T) {
	const script = "{\"type\":\"text\",\"content\":\"a\"}\n{\"delay_ms\":60000}\n{\"type\":\"text\",\"content\":\"never\"}\n"
	stop := errors.New("stopped by a test")
	cases := []struct {
		name   string
		clocks providers.Clocks
		cancel time.Duration
		reason string
		took   time.Duration
		chunks int
	}{
		{"idle", providers.Clocks{Idle: 10 * time.Second}, 0, providers.ReasonIdle, 10 * time.Second, 2},
		{"total", providers.Clocks{Total: 20 * time.Second}, 0, providers.ReasonTotal, 20 * time.Second, 2},
		{"cancelled", providers.Clocks{}, 5 * time.Second, "cancelled", 5 * time.Second, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				if c.cancel > 0 {
					defer time.AfterFunc(c.cancel, func() { cancel(stop) }).Stop()
				}
				out, got := run(ctx, t, script, func(j *providers.Job) { j.Options.Clocks = c.clocks })
				if out.Err == nil || out.Err.Reason != c.reason || out.Duration != c.took || len(got) != c.chunks {
					t.Errorf("got %v after %v, chunks %q", out.Err, out.Duration, got)
				}
				if c.cancel > 0 && (!errors.Is(out.Err, stop) || !errors.Is(out.Err, context.Canceled)) {
					t.Errorf("%v does not say who cancelled", out.Err)
				}
			})
		})
	}
}

func TestReaderGone(t *testing.T) {
	job := providers.Job{ID: "run", Provider: New(), Request: request(strings.Repeat("{\"type\":\"text\",\"content\":\"a\"}\n", 3))}
	n := 0
	out := providers.Run(t.Context(), job, func(stream.Chunk) error {
		if n++; n == 3 {
			return errors.New("gone")
		}
		return nil
	})
	if !out.ReaderGone || n != 3 {
		t.Errorf("reader gone: %v after %d chunks", out.ReaderGone, n)
	}
}

func TestScriptsAreChecked(t *testing.T) {
	const text = `{"type":"text","content":"a"}`
	use := `{"type":"tool_use","tool_name":"Bash","tool_id":"t"}`
	cases := []struct{ script, want string }{
		{text + "\n\nnoise", "line 3: not a JSON object"},
		{"[1]", "line 1: not a JSON object"},
		{"null", "line 1: not a JSON object"},
		{"{}", "line 1: neither a chunk"},
		{text + text, "line 1: not a JSON object"},
		{`{"type":"txt"}`, "line 1: not a chunk: "},
		{`{"type":"text"}`, `"content"`},
		{`{"type":"text","content":""}`, "a text without content"},
		{`{"type":"text","content":"a","colour":"red"}`, `"colour"`},
		{`{"type":"text","content":7}`, "content"},
		{`{"type":"system"}`, `"metadata"`},
		{use + "\n" + use, "line 2: a tool_use needs a tool_id of its own"},
		{`{"type":"tool_use","tool_name":"Bash"}`, "needs a tool_id"},
		{`{"type":"tool_result","tool_id":"t","tool_output":""}`, `no tool_use "t" is open`},
		{`{"type":"result"}` + "\n" + text, "line 2: nothing may follow"},
		{`{"fail":{"class":"auth"}}` + "\n" + `{"delay_ms":1}`, "line 2: nothing may follow"},
		{`{"fail":{"class":"qouta"}}`, `"qouta" is no error class`},
		{`{"fail":{}}`, `"" is no error class`},
		{`{"fail":null}`, "no such failure"},
		{`{"fail":"auth"}`, "fail is an object"},
		{`{"fail":{"class":7}}`, "no such failure"},
		{`{"fail":{"class":"auth","exit":3}}`, `fail has no field "exit"`},
		{`{"fail":{"class":"auth","retry_after":-1}}`, "retry_after"},
		{`{"fail":{"class":"auth"},"type":"text"}`, "fail stands on a line of its own"},
		{`{"type":"error","content":"x","is_error":true,"metadata":{"class":"mystery","origin":"host","retryable":false}}`, "metadata/properties/class"},
		{`{"delay_ms":-1}`, "delay_ms is a number of milliseconds"},
		{`{"delay_ms":"1"}`, "delay_ms is a number of milliseconds"},
		{`{"delay_ms":null}`, "delay_ms is a number of milliseconds"},
		{`{"delay_ms":1e12}`, "delay_ms is a number of milliseconds"},
		{`{"delay_ms":1,"type":"text","content":"a"}`, "delay_ms stands on a line of its own"},
	}
	for _, c := range cases {
		_, err := New().Command(request(c.script))
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Usage || !strings.HasPrefix(e.Message, name+": line ") || !strings.Contains(e.Message, c.want) || strings.Contains(e.Message, "\n") {
			t.Errorf("%s: got %v, want a usage error with %q", c.script, err, c.want)
		}
	}
}

func TestCommandRefuses(t *testing.T) {
	bare := request("")
	bare.Fields = &fields{}
	arg := request("")
	arg.VendorArgs = []string{"-x"}
	for want, r := range map[providers.Class]providers.Request{providers.Usage: bare, providers.Unsupported: arg} {
		_, err := New().Command(r)
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != want {
			t.Errorf("got %v, want class %s", err, want)
		}
	}
}

// A recorded script, filtered by normalize, gives the same chunks without the waiting.
func TestNormalize(t *testing.T) {
	const script = "{\"delay_ms\":60000}\n{\"type\":\"text\",\"content\":\"a\"}\n{\"fail\":{\"class\":\"refusal\"}}\n"
	synctest.Test(t, func(t *testing.T) {
		var types []stream.Type
		out := providers.Normalize(New(), request(""), providers.Options{}, strings.NewReader(script), providers.Recorded{Unknown: true}, func(c stream.Chunk) error {
			types = append(types, c.Type)
			return nil
		})
		if want := []stream.Type{stream.Text, stream.Error}; out.Err == nil || out.Err.Class != providers.Refusal || out.Duration != 0 || !cmp.Equal(types, want) {
			t.Errorf("got %v, %v after %v", types, out.Err, out.Duration)
		}
	})
}

func TestUnknownLineIsDrift(t *testing.T) {
	out := providers.Normalize(New(), request(""), providers.Options{}, strings.NewReader(`{"type":"hologram","content":"x"}`), providers.Recorded{}, func(stream.Chunk) error { return nil })
	if out.Err == nil || out.Err.Class != providers.Protocol || out.Err.Reason != providers.ReasonUnknownEvent {
		t.Errorf("got %v", out.Err)
	}
}

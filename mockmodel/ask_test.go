package mockmodel

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// place is where a request stands in the script.
type place struct {
	Prompt string
	Turn   int
	Output string
	Side   bool
}

func TestPlaceOfRequest(t *testing.T) {
	const reminder = `{"type":"text","text":"<system-reminder>\nnews\n</system-reminder>"}`
	for _, c := range []struct {
		name string
		api  protocol
		path string
		body string
		want place
	}{
		{"claude, first prompt behind a reminder", anthropic{}, "", `{"messages":[
			{"role":"user","content":[` + reminder + `,{"type":"text","text":"say"}]},{"role":"system","content":"env"}]}`, place{Prompt: "say"}},
		{
			"claude, prompt that looks like a reminder",
			anthropic{},
			"", `{"messages":[{"role":"user","content":"<system-reminder> me"}]}`,
			place{Prompt: "<system-reminder> me"},
		},
		{
			"claude, behind parallel tools",
			anthropic{},
			"", `{"messages":[{"role":"user","content":"say"},
			{"role":"assistant","content":[{"type":"tool_use","id":"a"},{"type":"tool_use","id":"b"}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"one"},
			{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":"two"}]},` + reminder + `]}]}`,
			place{Prompt: "say", Turn: 1, Output: "two"},
		},
		{"claude, second prompt", anthropic{}, "", `{"messages":[{"role":"user","content":"say"},{"role":"assistant","content":"x"},
			{"role":"user","content":"more"}]}`, place{Prompt: "more"}},
		{
			"claude, news of a background task",
			anthropic{},
			"", `{"messages":[{"role":"user","content":"say"},{"role":"assistant","content":"x"},
			{"role":"user","content":[` + reminder + `,{"type":"text","text":"<system-reminder><task-notification>"}]}]}`,
			place{Prompt: "<system-reminder><task-notification>"},
		},
		{"claude, probe of a model", anthropic{}, "", `{"max_tokens":1,"messages":[{"role":"user","content":"test"}]}`, place{Prompt: "test", Side: true}},
		{
			"claude, title by a schema",
			anthropic{},
			"", `{"output_config":{"format":{"schema":{"type":"object"}}},"messages":[{"role":"user","content":"t"}]}`,
			place{Prompt: "t", Side: true},
		},
		{
			"claude, compaction",
			anthropic{},
			"", `{"messages":[{"role":"user","content":"Your task is to create a detailed summary of it"}],"tools":[{"name":"Bash"}]}`,
			place{Prompt: "Your task is to create a detailed summary of it", Side: true},
		},
		{
			"pi, compaction",
			anthropic{},
			"", `{"system":[{"type":"text","text":"You are a context summarization assistant"}],"messages":[{"role":"user","content":"h"}]}`,
			place{Prompt: "h", Side: true},
		},
		{"codex, first prompt behind its context", responses{}, "", `{"input":[{"type":"message","role":"developer","content":"d"},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]},
			{"type":"message","role":"user","content":[{"type":"input_text","text":"say"}]}]}`, place{Prompt: "say"}},
		{
			"codex, one turn of several items",
			responses{},
			"", `{"input":[{"role":"user","content":"say"},{"type":"reasoning"},
			{"type":"message","role":"assistant","content":"x"},{"type":"function_call","call_id":"call_0a01"},{"type":"function_call","call_id":"call_0a02"},
			{"type":"function_call_output","call_id":"call_0a01","output":"one"},
			{"type":"function_call_output","call_id":"call_0a02","output":"Wall time: 0\nOutput:\ntwo\n"}]}`,
			place{Prompt: "say", Turn: 1, Output: "two\n"},
		},
		{
			"codex, calls and outputs by turns",
			responses{},
			"", `{"input":[{"role":"user","content":"say"},
			{"type":"function_call","call_id":"call_0a01"},{"type":"function_call_output","output":"1"},
			{"type":"function_call","call_id":"call_0a02"},{"type":"function_call_output","output":"2"},
			{"type":"custom_tool_call","call_id":"call_0b01"},{"type":"custom_tool_call_output","output":"3"}]}`,
			place{Prompt: "say", Turn: 2, Output: "3"},
		},
		{
			"codex, second prompt",
			responses{},
			"", `{"input":[{"role":"user","content":"say"},{"role":"assistant","content":"x"},{"role":"user","content":"more"}]}`,
			place{Prompt: "more"},
		},
		{"plain string as input", responses{}, "", `{"input":"say"}`, place{Prompt: "say"}},
		{
			"gemini, first prompt behind its context",
			google{},
			"/v1beta/models/m:streamGenerateContent",
			`{"contents":[{"role":"user","parts":[{"text":"<session_context>x"},{"text":"say"}]}]}`,
			place{Prompt: "say"},
		},
		{
			"gemini, behind a tool",
			google{},
			"/v1beta/models/m:streamGenerateContent", `{"contents":[{"role":"user","parts":[{"text":"say"}]},
			{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":
			{"output":"<untrusted_context>\nOutput: one\nExit Code: 1\nProcess Group PGID: 7\n</untrusted_context>"}}}]}]}`,
			place{Prompt: "say", Turn: 1, Output: "one"},
		},
		{
			"gemini, a classifier",
			google{},
			"/v1beta/models/m:generateContent",
			`{"contents":[{"role":"user","parts":[{"text":"say"}]}],"generationConfig":{"responseJsonSchema":{"type":"object"}}}`,
			place{Prompt: "say", Side: true},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			q, err := c.api.read(c.path, []byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			got := place{q.prompt, q.turn, q.output, q.side != ""}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestToolOfTheCLI(t *testing.T) {
	type named struct{ Tool, Input string }
	parts := []Part{
		{Shell: "ls"},
		{Read: "it's"},
		{Write: &WriteCall{Path: "a/b", Content: ""}},
		{Agent: "go"},
		{Name: "Own"},
		{Name: "Own", Input: []byte(`{"a":1}`)},
	}
	for _, c := range []struct {
		name string
		ask  ask
		want []named
	}{
		{"claude", ask{native: claudeTools(), tools: []string{"Bash", "Read", "Write", "Agent"}}, []named{
			{"Bash", `{"command":"ls"}`},
			{"Read", `{"file_path":"it's"}`},
			{"Write", `{"content":"","file_path":"a/b"}`},
			{"Agent", `{"description":"Part of the work","prompt":"go","subagent_type":"general-purpose"}`},
			{"Own", `{}`},
			{"Own", `{"a":1}`},
		}},
		{"codex with another shell", ask{native: codexTools(), tools: []string{"shell", "apply_patch"}}, []named{
			{"shell", `{"command":["bash","-c","ls"]}`},
			{"shell", `{"command":["bash","-c","cat 'it'\\''s'"]}`},
			{"apply_patch", `"*** Begin Patch\n*** Add File: a/b\n+\n*** End Patch\n"`},
			{"shell", `{"command":["bash","-c","echo 'go'"]}`},
			{"Own", `{}`},
			{"Own", `{"a":1}`},
		}},
		{"gemini that offers no tool", ask{native: geminiTools()}, []named{
			{"run_shell_command", `{"command":"ls"}`},
			{"read_file", `{"file_path":"it's"}`},
			{"write_file", `{"content":"","file_path":"a/b"}`},
			{"invoke_agent", `{"agent_name":"generalist","prompt":"go"}`},
			{"Own", `{}`},
			{"Own", `{"a":1}`},
		}},
		{"pi", ask{native: piTools(), tools: []string{"bash", "read", "write"}}, []named{
			{"bash", `{"command":"ls"}`},
			{"read", `{"path":"it's"}`},
			{"write", `{"content":"","path":"a/b"}`},
			{"bash", `{"command":"echo 'go'"}`},
			{"Own", `{}`},
			{"Own", `{"a":1}`},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []named
			for _, p := range parts {
				name, input := c.ask.call(p)
				got = append(got, named{name, compact(input)})
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	for _, e := range endpoints() {
		f.Add(e.path, []byte(e.body))
	}
	f.Add("", []byte(`{"input":[{"type":"function_call","call_id":"x"},{"type":"custom_tool_call"}],"messages":[{"content":5}],"contents":[{}]}`))
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		for _, p := range []protocol{anthropic{}, responses{}, google{}} {
			if q, err := p.read(path, body); err == nil && q.turn < 0 {
				t.Errorf("turn %d", q.turn)
			}
		}
	})
}

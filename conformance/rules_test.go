package conformance

import (
	"strings"
	"testing"
)

// TestOrderFinds: a good stream has no fault, and each broken one has the fault that it is about.
func TestOrderFinds(t *testing.T) {
	const (
		start  = `{"type":"system","metadata":{"notice":"run_start"}}`
		text   = `{"type":"text","content":"Hi","metadata":{"message_id":"m1"}}`
		use    = `{"type":"tool_use","tool_name":"Bash","tool_id":"t1"}`
		output = `{"type":"tool_result","tool_id":"t1"}`
		result = `{"type":"result"}`
		failed = `{"type":"error","content":"no","is_error":true,"metadata":{"class":"auth","origin":"provider","retryable":false}}`
	)
	tests := []struct {
		name   string
		status int
		lines  []string
		fault  string // "" is none
	}{
		{"good", 0, []string{start, text, use, output, result}, ""},
		{"good failure", 4, []string{start, text, failed}, ""},
		{"ended by a signal", 130, []string{start, text}, ""},
		{"said again after a retraction", 0, []string{start, text, `{"type":"system","metadata":{"notice":"retracted"}}`, text, result}, ""},
		{"open tool that is listed", 0, []string{start, use, `{"type":"result","metadata":{"open_tools":[{"tool_id":"t1"}]}}`}, ""},
		{"nothing", 0, nil, "an empty stream"},
		{"no start", 0, []string{text, result}, "run_start is the first line"},
		{"two starts", 0, []string{start, start, result}, "run_start is the first line"},
		{"after the result", 0, []string{start, result, text}, "text after the terminal chunk"},
		{"two results", 0, []string{start, result, result}, "result after the terminal chunk"},
		{"result and error", 4, []string{start, result, failed}, "error after the terminal chunk"},
		{"no end", 0, []string{start, text}, `terminal chunk "result", got ""`},
		{"success and status 1", 1, []string{start, text, result}, `terminal chunk "error", got "result"`},
		{"error after a signal", 143, []string{start, failed}, `terminal chunk "", got "error"`},
		{"other status", 5, []string{start, failed}, "class auth means exit status 4, not 5"},
		{"unknown class", 1, []string{start, strings.Replace(failed, "auth", "sad", 1)}, `unknown class "sad"`},
		{"no origin", 4, []string{start, strings.Replace(failed, "provider", "", 1)}, "an error of origin"},
		{"error without is_error", 4, []string{start, strings.Replace(failed, `"is_error":true,`, "", 1)}, "an error needs is_error"},
		{"result with is_error", 0, []string{start, `{"type":"result","is_error":true}`}, "a result that is an error"},
		{"result repeats", 0, []string{start, text, `{"type":"result","content":"Hi"}`}, "the result repeats text"},
		{"said twice", 0, []string{start, text, text, result}, "said twice"},
		{"empty text", 0, []string{start, `{"type":"text"}`, result}, "without words"},
		{"delta unasked", 0, []string{start, `{"type":"text","content":"H","is_delta":true}`, result}, "a delta of type text"},
		{"no call", 0, []string{start, output, result}, `no tool call "t1" is open`},
		{"two results of a call", 0, []string{start, use, output, output, result}, `no tool call "t1" is open`},
		{"call twice", 0, []string{start, use, use, output, result}, `"t1" is open already`},
		{"call without a name", 0, []string{start, `{"type":"tool_use","tool_id":"t1"}`, output, result}, "without id or name"},
		{"forgotten call", 0, []string{start, use, result}, "is not in open_tools"},
		{"made-up open tool", 0, []string{start, `{"type":"result","metadata":{"open_tools":[{"tool_id":"t1"}]}}`}, "which is not open"},
		{"unknown type", 0, []string{start, `{"type":"telemetry"}`, result}, `unknown type "telemetry"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			chunks, err := Chunks([]byte(strings.Join(tt.lines, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			err = Order(chunks, tt.status, false)
			switch {
			case tt.fault == "" && err != nil:
				t.Errorf("found %v", err)
			case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
				t.Errorf("want %q, found %v", tt.fault, err)
			}
		})
	}
}

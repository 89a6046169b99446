//go:build real

package mockmodel

import "testing"

const objectSchema = `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`

// TestRealClaude checks what claude 2.1.332 makes of the scenarios.
func TestRealClaude(t *testing.T) {
	for _, c := range []realCase{
		{"say", nil, []string{`"result":"You said: say it"`, `"cache_read_input_tokens":64`}, 0},
		{"think", nil, []string{`"thinking":"The user wants an answer.`, `"result":"I thought about it: say it"`}, 0},
		{"tool", nil, []string{`"content":"mock tool output"`, `"result":"The command said: mock tool output"`, `"num_turns":2`}, 0},
		{"failing-tool", nil, []string{`"is_error":true`, `The command failed: Exit code 1`}, 0},
		{"parallel-tools", nil, []string{`"content":"first"`, `"content":"second"`, `"content":"third"`, `"result":"All three are done."`}, 0},
		{"subagent", nil, []string{`"subtype":"task_notification"`, `"content":"xyzzy"`, `"result":"The subagent has reported."`}, 0},
		{"denied-tool", nil, []string{`"subtype":"permission_denied"`, `I tried to write a file: Claude requested permissions`}, 0},
		{"401", nil, []string{`"error":"authentication_failed"`, `"api_error_status":401`}, 1},
		{"403", nil, []string{`"error":"authentication_failed"`, `"api_error_status":403`}, 1},
		{"429", nil, []string{`"error":"rate_limit"`, `"api_error_status":429`}, 1},
		{"429-once", nil, []string{`"subtype":"api_retry"`, `"result":"You said: say it"`}, 0},
		{"quota", nil, []string{`"error":"billing_error"`}, 1},
		{"500", nil, []string{`"error":"server_error"`, `"api_error_status":500`}, 1},
		{"500-once", nil, []string{`"subtype":"api_retry"`, `"result":"You said: say it"`}, 0},
		{"overloaded", nil, []string{`"error":"server_error"`, `"api_error_status":529`}, 1},
		{"context", nil, []string{`"terminal_reason":"prompt_too_long"`}, 1},
		{"refusal", nil, []string{`"stop_reason":"refusal"`, `"is_error":true`}, 1},
		{"max-tokens", nil, []string{`"error":"max_output_tokens"`}, 1},
		{"empty", nil, []string{`"result":""`}, 0},
		{"huge", nil, []string{`Output too large`, `Line 13000 of a long answer`}, 0},
		{"stream-cut", nil, []string{`"api_error":"connection_failed"`}, 1},
		{"stream-cut-once", nil, []string{`"subtype":"api_retry"`, `"result":"You said: say it"`}, 0},
		{"bad-json", nil, []string{`empty or malformed response`}, 1},
		{"unicode", nil, []string{"Grüße, 世界!", `\u2028`}, 0},
		{"loop", []string{"--max-turns", "3"}, []string{`"subtype":"error_max_turns"`, "round 2"}, 1},
		{"schema", []string{"--json-schema", objectSchema}, []string{`"structured_output":{"n":1}`}, 0},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			c.check(t, runClaude(t, startScenario(t, c.scenario), "say it", c.args...))
		})
	}
}

// TestRealCodex checks what codex 0.171.0 makes of the scenarios.
func TestRealCodex(t *testing.T) {
	full, readOnly := []string{"-s", "danger-full-access"}, []string{"-s", "read-only"}
	for _, c := range []realCase{
		{"say", readOnly, []string{`"text":"You said: say it"`, `"cached_input_tokens":64`, `"reasoning_output_tokens":8`}, 0},
		{"think", readOnly, []string{`"type":"reasoning","text":"The user wants`, `I thought about it: say it`}, 0},
		{"tool", full, []string{`"aggregated_output":"mock tool output\n"`, `The command said: mock tool output`}, 0},
		{"failing-tool", full, []string{`"exit_code":1`, `The command failed: cat: no-such-file`}, 0},
		{"parallel-tools", full, []string{`"aggregated_output":"third\n"`, `All three are done.`}, 0},
		{"subagent", full, []string{`Find the mock`, `The main agent is done.`}, 0},
		{"denied-tool", readOnly, []string{`writing is blocked by read-only sandbox`}, 0},
		{"401", readOnly, []string{`unexpected status 401 Unauthorized`, `"type":"turn.failed"`}, 1},
		{"403", readOnly, []string{`unexpected status 403 Forbidden`}, 1},
		{"429", readOnly, []string{`exceeded retry limit, last status: 429`}, 1},
		{"429-once", readOnly, []string{`Reconnecting...`, `You said: say it`}, 0},
		{"quota", readOnly, []string{`hit your usage limit`}, 1},
		{"500", readOnly, []string{`currently experiencing high demand`}, 1},
		{"500-once", readOnly, []string{`You said: say it`}, 0},
		{"overloaded", readOnly, []string{`Selected model is at capacity`}, 1},
		{"context", readOnly, []string{`ran out of room in the model's context window`}, 1},
		{"refusal", readOnly, []string{`flagged as potentially violating our usage policy`}, 1},
		{"max-tokens", readOnly, []string{`This answer is cut off in the`, `reason: max_output_tokens`}, 1},
		{"empty", readOnly, []string{`"type":"turn.completed"`}, 0},
		{"huge", full, []string{`14285\n`, `Line 13000 of a long answer`}, 0},
		{"stream-cut", readOnly, []string{`stream disconnected before completion`}, 1},
		{"stream-cut-once", readOnly, []string{`Reconnecting...`, `You said: say it`}, 0},
		{"bad-json", readOnly, []string{`Before the broken event. After the broken event.`}, 0},
		{"unicode", readOnly, []string{"Grüße, 世界!"}, 0},
		{"schema", []string{"-s", "read-only", "--output-schema", "schema.json"}, []string{`"text":"{\"n\":1}"`}, 0},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			c.check(t, runCodex(t, startScenario(t, c.scenario), "say it", c.args...))
		})
	}
}

// TestRealGemini checks what gemini 0.61.0 makes of the scenarios.
func TestRealGemini(t *testing.T) {
	yolo := []string{"-y"}
	for _, c := range []realCase{
		{"say", nil, []string{`"content":"You said: sa"`, `"cached":64`}, 0},
		{"think", nil, []string{`"content":"I thought ab"`}, 0},
		{"tool", yolo, []string{`"status":"success","output":"mock tool output"`, `"tool_calls":1`}, 0},
		{"failing-tool", yolo, []string{`"output":"cat: no-such-file-of-the-mock`}, 0},
		{"parallel-tools", yolo, []string{`"output":"third"`, `"tool_calls":3`}, 0},
		{"subagent", yolo, []string{`"tool_name":"invoke_agent"`, `"content":"The main age"`, `"tool_calls":3`}, 0},
		{"denied-tool", nil, []string{`"status":"error"`, `Tool \"write_file\" not found`}, 0},
		{"401", nil, []string{`\"code\":401`}, 145},
		{"403", nil, []string{`\"code\":403`}, 147},
		{"429", nil, []string{`Resource has been exhausted`}, 173},
		{"429-once", nil, []string{`Attempt 1 failed`, `"content":"You said: sa"`}, 0},
		{"quota", nil, []string{`exhausted your daily quota`}, 173},
		{"500", nil, []string{`\"code\":500`}, 244},
		{"overloaded", nil, []string{`The model is overloaded`}, 247},
		{"context", nil, []string{`exceeds the maximum number of tokens`}, 144},
		{"refusal", nil, []string{`blocked due to safety settings`}, 0},
		{"max-tokens", nil, []string{`"status":"success"`}, 0},
		{"empty", nil, []string{`empty response`, `"status":"error"`}, 0},
		{"stream-cut", nil, []string{`[API Error: terminated]`}, 1},
		{"bad-json", nil, []string{`in JSON at position`}, 1},
		{"schema", nil, []string{`{\"answer\":`}, 0},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			c.check(t, runGemini(t, startScenario(t, c.scenario), "say it", c.args...))
		})
	}
}

// TestRealPi checks what pi 1.6.0 makes of the scenarios. It always leaves with 0.
func TestRealPi(t *testing.T) {
	for _, c := range []realCase{
		{"say", nil, []string{`"text":"You said: say it"`, `"cacheRead":64`, `"type":"agent_settled"`}, 0},
		{"think", nil, []string{`"thinking":"The user wants an answer.`, `I thought about it: say it`}, 0},
		{"tool", nil, []string{`"toolName":"bash"`, `The command said: mock tool output`}, 0},
		{"failing-tool", nil, []string{`"isError":true`, `Command exited with code 1`}, 0},
		{"parallel-tools", nil, []string{`third\n`, `All three are done.`}, 0},
		{"denied-tool", nil, []string{`Successfully wrote to written-by-mock.txt`}, 0},
		{"401", nil, []string{`401 {`, `authentication_error`}, 0},
		{"403", nil, []string{`403 {`, `permission_error`}, 0},
		{"429", nil, []string{`429 {`, `auto_retry_start`, `"success":false`}, 0},
		{"429-once", nil, []string{`auto_retry_end","success":true`, `You said: say it`}, 0},
		{"quota", nil, []string{`credit balance is too low`}, 0},
		{"500", nil, []string{`500 {`}, 0},
		{"overloaded", nil, []string{`overloaded_error`}, 0},
		{"context", nil, []string{`prompt is too long`}, 0},
		{"refusal", nil, []string{`The model refused`}, 0},
		{"max-tokens", nil, []string{`"stopReason":"length"`}, 0},
		{"huge", nil, []string{`Line 13000 of a long answer`}, 0},
		{"stream-cut", nil, []string{`terminated: other side closed`}, 0},
		{"stream-cut-once", nil, []string{`auto_retry_end","success":true`, `You said: say it`}, 0},
		{"bad-json", nil, []string{`Could not parse Anthropic SSE event`}, 0},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			c.check(t, runPi(t, "pi", startScenario(t, c.scenario), "say it", c.args...))
		})
	}
}

// TestRealOldPi checks that pi 0.73.1 can be served as well.
func TestRealOldPi(t *testing.T) {
	for _, c := range []realCase{
		{"say", nil, []string{`"text":"You said: say it"`, `"cacheRead":64`}, 0},
		{"tool", nil, []string{`"toolName":"bash"`, `The command said: mock tool output`}, 0},
		{"401", nil, []string{`401 {`, `authentication_error`}, 0},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			c.check(t, runPi(t, "pi-old", startScenario(t, c.scenario), "say it", c.args...))
		})
	}
}

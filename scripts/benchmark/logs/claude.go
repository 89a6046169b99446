package logs

import "fmt"

const (
	claudeSession = "4ce5db7e-21e8-4d3f-b782-41a36d16adef"
	claudeUsage   = `{"cache_creation_input_tokens":1210,"cache_read_input_tokens":48213,"input_tokens":25,"output_tokens":412}`
)

func claudeHead(l *log) {
	l.line(`{"type":"system","subtype":"init","cwd":"/repo","session_id":"%s","tools":["Task","Bash","Edit","Read"],"mcp_servers":[],"model":"claude-opus-5-5","permissionMode":"default","apiKeySource":"ANTHROPIC_API_KEY","claude_code_version":"2.1.332","uuid":"%s"}`, claudeSession, l.uuid())
}

// claudeTurn is one answer of the model: thoughts, words, one tool call and its result.
func claudeTurn(l *log) {
	id := fmt.Sprintf("msg_%08d", l.turn)
	tool := fmt.Sprintf("toolu_%08d", l.turn)
	l.line(`{"type":"system","subtype":"status","status":"requesting","session_id":"%s","uuid":"%s"}`, claudeSession, l.uuid())
	l.claudeEvent(id, `{"message":{"content":[],"id":"%s","model":"claude-opus-5-5","role":"assistant","stop_reason":null,"stop_sequence":null,"type":"message","usage":%s},"type":"message_start"}`, id, claudeUsage)
	thoughts, words := l.pieces(), l.pieces()
	l.claudeBlock(id, 0, `{"signature":"","thinking":"","type":"thinking"}`, `{"thinking":"%s","type":"thinking_delta"}`, thoughts,
		fmt.Sprintf(`{"signature":"c2lnbmF0dXJl","thinking":"%s","type":"thinking"}`, join(thoughts)))
	l.claudeBlock(id, 1, `{"text":"","type":"text"}`, `{"text":"%s","type":"text_delta"}`, words,
		fmt.Sprintf(`{"text":"%s","type":"text"}`, join(words)))
	command := l.command()
	l.claudeBlock(id, 2, `{"id":"`+tool+`","input":{},"name":"Bash","type":"tool_use"}`, `{"partial_json":"%s","type":"input_json_delta"}`,
		[]string{`{\"command\":\"echo `, `one two\",\"description\":\"`, `look\"}`},
		fmt.Sprintf(`{"id":"%s","input":{"command":"%s","description":"Look at what is there"},"name":"Bash","type":"tool_use"}`, tool, command))
	l.claudeEvent(id, `{"delta":{"stop_reason":"tool_use","stop_sequence":null},"type":"message_delta","usage":{"output_tokens":412}}`)
	l.claudeEvent(id, `{"type":"message_stop"}`)
	if l.turn%5 == 0 {
		l.line(`{"type":"tool_progress","tool_use_id":"%s","tool_name":"Bash","elapsed_time_seconds":30,"session_id":"%s","uuid":"%s"}`, tool, claudeSession, l.uuid())
	}
	output := l.output()
	if l.long() {
		output = l.text(l.size.Line / 2) // the line has it twice
	}
	l.line(`{"type":"user","message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":"%s","is_error":false}]},"parent_tool_use_id":null,"session_id":"%s","uuid":"%s","timestamp":"2026-11-30T13:25:59.097Z","tool_use_result":{"stdout":"%s","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false},"tool_result_meta":[{"id":"%[1]s","permission_decision":{"decision":"accept","source":"config","reason_type":"mode"}}]}`,
		tool, output, claudeSession, l.uuid(), output)
}

func (l *log) claudeEvent(id, event string, args ...any) {
	l.line(`{"type":"stream_event","event":%s,"session_id":"%s","parent_tool_use_id":null,"uuid":"%s","api_message_id":"%s"}`, fmt.Sprintf(event, args...), claudeSession, l.uuid(), id)
}

// claudeBlock is one block: its pieces, and the whole before the end of the pieces.
func (l *log) claudeBlock(id string, index int, start, delta string, pieces []string, whole string) {
	if !l.long() {
		l.claudeEvent(id, `{"content_block":%s,"index":%d,"type":"content_block_start"}`, start, index)
		for _, p := range pieces {
			l.claudeEvent(id, `{"delta":%s,"index":%d,"type":"content_block_delta"}`, fmt.Sprintf(delta, p), index)
		}
	}
	l.line(`{"type":"assistant","message":{"content":[%s],"id":"%s","model":"claude-opus-5-5","role":"assistant","stop_reason":null,"stop_sequence":null,"type":"message","usage":%s,"context_management":null},"parent_tool_use_id":null,"session_id":"%s","uuid":"%s","timestamp":"2026-11-30T13:11:32.385Z","request_id":"req_011CVfyHd"}`,
		whole, id, claudeUsage, claudeSession, l.uuid())
	if !l.long() {
		l.claudeEvent(id, `{"index":%d,"type":"content_block_stop"}`, index)
	}
}

func claudeTail(l *log) {
	l.line(`{"duration_api_ms":109,"stop_reason":"end_turn","session_id":"%s","total_cost_usd":0.25,"usage":%s,"permission_denials":[],"is_error":false,"num_turns":%d,"subtype":"success","result":"Done.","type":"result","duration_ms":309,"uuid":"%s"}`,
		claudeSession, claudeUsage, l.turn, l.uuid())
}

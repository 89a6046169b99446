package logs

import "fmt"

func codexHead(l *log) {
	l.line(`{"type":"thread.started","thread_id":"01a22c7d-775a-78f1-920e-00a99130aba9"}`)
	l.line(`{"type":"turn.started"}`)
}

// codexTurn is a thought, a message, a command and sometimes another kind of tool.
func codexTurn(l *log) {
	n := 5 * l.turn
	l.codexDone(`{"id":"item_%d","type":"reasoning","text":"**Thinking** %s"}`, n, join(l.pieces()))
	l.codexDone(`{"id":"item_%d","type":"agent_message","text":"%s"}`, n+1, join(l.pieces()))
	command := fmt.Sprintf(`"id":"item_%d","type":"command_execution","command":"/bin/bash -lc '%s'"`, n+2, l.command())
	l.line(`{"type":"item.started","item":{%s,"aggregated_output":"","exit_code":null,"status":"in_progress"}}`, command)
	l.codexDone(`{%s,"aggregated_output":"%s","exit_code":0,"status":"completed"}`, command, l.output())
	switch l.turn % 4 {
	case 0:
		change := fmt.Sprintf(`"id":"item_%d","type":"file_change","changes":[{"path":"/repo/README.md","kind":"update"},{"path":"/repo/new.txt","kind":"add"}]`, n+3)
		l.line(`{"type":"item.started","item":{%s,"status":"in_progress"}}`, change)
		l.codexDone(`{%s,"status":"completed"}`, change)
	case 1:
		call := fmt.Sprintf(`"id":"item_%d","type":"mcp_tool_call","server":"docs","tool":"search","arguments":{"query":"reader"}`, n+3)
		l.line(`{"type":"item.started","item":{%s,"result":null,"error":null,"status":"in_progress"}}`, call)
		l.codexDone(`{%s,"result":{"content":[{"type":"text","text":"%s"}],"structured_content":null},"error":null,"status":"completed"}`, call, l.output())
	case 2:
		l.line(`{"type":"item.updated","item":{"id":"item_%d","type":"todo_list","items":[{"text":"look","completed":true},{"text":"fix %d","completed":false}]}}`, n+4, l.turn)
	}
}

func (l *log) codexDone(item string, args ...any) {
	l.line(`{"type":"item.completed","item":`+item+`}`, args...)
}

func codexTail(l *log) {
	l.line(`{"type":"turn.completed","usage":{"input_tokens":50,"cached_input_tokens":10,"cache_write_input_tokens":0,"output_tokens":24,"reasoning_output_tokens":4}}`)
}

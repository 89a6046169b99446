package logs

import "fmt"

const geminiTime = `"timestamp":"2026-11-30T12:45:16.761Z"`

func geminiHead(l *log) {
	l.line(`{"type":"init",` + geminiTime + `,"session_id":"19b866fb-3980-4847-a6dc-17eae7ab42fd","model":"gemini-3.8-flash"}`)
	l.line(`{"type":"message",` + geminiTime + `,"role":"user","content":"Fix the failing test."}`)
}

// geminiTurn is a message in pieces, and a tool call.
func geminiTurn(l *log) {
	pieces := l.pieces()
	if l.long() {
		pieces = []string{join(pieces)}
	}
	for _, p := range pieces {
		l.line(`{"type":"message",`+geminiTime+`,"role":"assistant","content":"%s","delta":true}`, p)
	}
	id := fmt.Sprintf("run_shell_command__run_shell_command_1796042716829_%d", l.turn)
	l.line(`{"type":"tool_use",`+geminiTime+`,"tool_name":"run_shell_command","tool_id":"%s","parameters":{"command":"%s","description":"Look"}}`, id, l.command())
	l.line(`{"type":"tool_result",`+geminiTime+`,"tool_id":"%s","status":"success","output":"%s"}`, id, l.output())
}

func geminiTail(l *log) {
	l.line(`{"type":"result",`+geminiTime+`,"status":"success","stats":{"total_tokens":117,"input_tokens":75,"output_tokens":36,"cached":15,"input":60,"duration_ms":227,"tool_calls":%d,"models":{"gemini-3.8-flash":{"total_tokens":117,"input_tokens":75,"output_tokens":36,"cached":15,"input":60}}}}`, l.turn)
}

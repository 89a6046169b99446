package logs

import "fmt"

const (
	piUsage = `{"input":25,"output":12,"cacheRead":5,"cacheWrite":0,"totalTokens":42,"cost":{"input":0.000024999999999999998,"output":0.00006000000000000001,"cacheRead":5.000000000000001e-7,"cacheWrite":0,"total":0.0000855,"totalFromProvider":false},"cacheWrite1h":0}`
	piModel = `"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-5-5","usage":` + piUsage
)

func piHead(l *log) {
	l.line(`{"type":"session","version":3,"id":"01a22c8e-a50b-74ac-8d9d-b16284369e8a","timestamp":"2026-11-30T13:04:35.595Z","cwd":"/repo"}`)
	l.line(`{"type":"agent_start"}`)
}

// piTurn is one answer of the model, with a tool call, and the tool's result.
// turn_end repeats both.
func piTurn(l *log) {
	id, call := fmt.Sprintf("msg_%d", l.turn), fmt.Sprintf("toolu_%d", l.turn)
	l.line(`{"type":"turn_start"}`)
	l.line(`{"type":"message_start","message":{"role":"assistant","content":[{"type":"text","text":""}],%s,"stopReason":"pending","timestamp":1796043875674,"responseId":"%s"}}`, piModel, id)
	pieces := l.pieces()
	text := join(pieces)
	l.piUpdate(`{"type":"text_start","contentIndex":0}`)
	if l.long() {
		pieces = []string{text}
	}
	for _, p := range pieces {
		l.piUpdate(`{"type":"text_delta","contentIndex":0,"delta":"%s"}`, p)
	}
	l.piUpdate(`{"type":"text_end","contentIndex":0,"content":"%s"}`, text)
	l.piUpdate(`{"type":"toolcall_start","contentIndex":1,"id":"%s","toolName":"bash"}`, call)
	l.piUpdate(`{"type":"toolcall_delta","contentIndex":1,"delta":"{\"command\":\"ls"}`)
	l.piUpdate(`{"type":"toolcall_end","contentIndex":1,"toolCall":{"type":"toolCall","id":"%s","name":"bash","arguments":{"command":"ls"}}}`, call)
	command := l.command()
	message := fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":"%s"},{"type":"toolCall","id":"%s","name":"bash","arguments":{"command":"%s"}}],%s,"stopReason":"toolUse","timestamp":1796043875674,"responseId":"%s","rawStopReason":"tool_use","durationMs":31}`,
		text, call, command, piModel, id)
	l.line(`{"type":"message_end","message":%s}`, message)
	content := fmt.Sprintf(`[{"type":"text","text":"%s"}],"details":{}`, l.output())
	l.line(`{"type":"tool_execution_start","toolCallId":"%s","toolName":"bash","args":{"command":"%s"}}`, call, command)
	l.line(`{"type":"tool_execution_end","toolCallId":"%s","toolName":"bash","result":{"content":%s},"isError":false,"durationMs":12}`, call, content)
	result := fmt.Sprintf(`{"role":"toolResult","toolCallId":"%s","toolName":"bash","content":%s,"isError":false,"timestamp":1796043874687}`, call, content)
	l.line(`{"type":"message_start","message":%s}`, result)
	l.line(`{"type":"message_end","message":%s}`, result)
	l.line(`{"type":"turn_end","message":%s,"toolResults":[%s]}`, message, result)
}

func (l *log) piUpdate(event string, args ...any) {
	l.line(`{"type":"message_update","usage":%s,"assistantMessageEvent":%s}`, piUsage, fmt.Sprintf(event, args...))
}

func piTail(l *log) {
	l.line(`{"type":"agent_end","messages":[],"willRetry":false}`)
	l.line(`{"type":"agent_settled","aborted":false}`)
}

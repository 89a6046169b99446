package mockmodel

import "agentrun/ndjson"

// messages streams an answer as the Messages API does.
type messages struct {
	answer
	out   *sse
	index int
	open  *block // the content block that is
}

func (anthropic) encoder(a answer, out *sse) encoder {
	return &messages{answer: a, out: out, index: -1}
}

func (m *messages) begin() {
	m.out.send("message_start", object{"type": "message_start", "message": m.message(nil, nil, 1)})
}

func (a answer) message(content []object, stop any, output int) object {
	if content == nil {
		content = []object{}
	}
	return object{
		"id": "msg_" + a.id, "type": "message", "role": "assistant", "model": a.model, "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": a.usage.anthropic(output),
	}
}

func (u Usage) anthropic(output int) object {
	return object{
		"input_tokens":                max(0, u.InputTokens-u.CachedInputTokens-u.CacheWriteTokens),
		"cache_read_input_tokens":     u.CachedInputTokens,
		"cache_creation_input_tokens": u.CacheWriteTokens,
		"output_tokens":               output,
	}
}

func (m *messages) block(b block) {
	m.close()
	m.index++
	m.open = &b
	start := object{"type": "text", "text": ""}
	switch b.kind {
	case thinkBlock:
		start = object{"type": "thinking", "thinking": "", "signature": ""}
	case toolBlock:
		start = object{"type": "tool_use", "id": "toolu_" + b.id, "name": b.name, "input": object{}}
	}
	m.out.send("content_block_start", object{"type": "content_block_start", "index": m.index, "content_block": start})
}

func (m *messages) piece(b block, s string) {
	delta := object{"type": "text_delta", "text": s}
	switch b.kind {
	case thinkBlock:
		delta = object{"type": "thinking_delta", "thinking": s}
	case toolBlock:
		delta = object{"type": "input_json_delta", "partial_json": s}
	}
	m.delta(delta)
}

func (m *messages) delta(d object) {
	m.out.send("content_block_delta", object{"type": "content_block_delta", "index": m.index, "delta": d})
}

// signature seals a thinking block; clients send it back unread.
const signature = "bW9jaw=="

func (m *messages) close() {
	if m.open == nil {
		return
	}
	if m.open.kind == thinkBlock {
		m.delta(object{"type": "signature_delta", "signature": signature})
	}
	m.out.send("content_block_stop", object{"type": "content_block_stop", "index": m.index})
	m.open = nil
}

func (m *messages) end() {
	m.close()
	m.out.send("message_delta", object{
		"type":  "message_delta",
		"delta": object{"stop_reason": anthropicStop(m.stop), "stop_sequence": nil},
		"usage": object{"output_tokens": m.usage.OutputTokens},
	})
	m.out.send("message_stop", object{"type": "message_stop"})
}

func anthropicStop(stop string) string {
	switch stop {
	case stopTools:
		return "tool_use"
	case StopMaxTokens, StopRefusal:
		return stop
	case StopContext:
		return "model_context_window_exceeded"
	}
	return "end_turn"
}

// whole is the answer to a request that does not stream.
func (anthropic) whole(a answer) any {
	content := []object{}
	for _, b := range a.said() {
		switch b.kind {
		case thinkBlock:
			content = append(content, object{"type": "thinking", "thinking": b.text, "signature": signature})
		case toolBlock:
			content = append(content, object{"type": "tool_use", "id": "toolu_" + b.id, "name": b.name, "input": ndjson.RawMessage(b.text)})
		default:
			content = append(content, object{"type": "text", "text": b.text})
		}
	}
	return a.message(content, anthropicStop(a.stop), a.usage.OutputTokens)
}

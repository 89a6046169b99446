package mockmodel

import (
	"strings"

	"agentrun/ndjson"
)

// items streams an answer as the Responses API does: every block is an output item.
type items struct {
	answer
	out    *sse
	seq    int
	output []object // the items that are complete
	open   *block   // the item that is not
	said   strings.Builder
}

func (responses) encoder(a answer, out *sse) encoder { return &items{answer: a, out: out} }

func (i *items) send(name string, data object) {
	data["type"], data["sequence_number"] = name, i.seq
	i.seq++
	i.out.send(name, data)
}

func (i *items) begin() {
	i.send("response.created", object{"response": i.response("in_progress", nil)})
}

// response is the object that every stream begins and ends with.
func (a answer) response(status string, output []object) object {
	if output == nil {
		output = []object{}
	}
	return object{"id": "resp_" + a.id, "object": "response", "model": a.model, "status": status, "output": output, "error": nil}
}

func (i *items) id() string { return itemID(i.open.kind, i.answer.id, len(i.output)) }

func itemID(kind, answer string, index int) string {
	prefix := map[string]string{thinkBlock: "rs_", textBlock: "msg_", toolBlock: "fc_"}[kind]
	return prefix + callID(answer, index)
}

// item is a block as an output item, with what was said of it so far.
func (a answer) item(b block, index int, status, said string) object {
	it := object{"id": itemID(b.kind, a.id, index), "status": status}
	switch {
	case b.kind == thinkBlock:
		it["type"] = "reasoning"
		it["summary"] = list(said, object{"type": "summary_text", "text": said})
		delete(it, "status")
	case b.free():
		it["type"], it["call_id"], it["name"], it["input"] = "custom_tool_call", "call_"+b.id, b.name, unquoted(said)
	case b.kind == toolBlock:
		it["type"], it["call_id"], it["name"], it["arguments"] = "function_call", "call_"+b.id, b.name, said
	default:
		it["type"], it["role"] = "message", "assistant"
		it["content"] = list(said, object{"type": "output_text", "text": said, "annotations": []object{}})
	}
	return it
}

// list holds the part of an item that has words.
func list(said string, part object) []object {
	if said == "" {
		return []object{}
	}
	return []object{part}
}

// free reports whether the block calls a tool that takes free text.
func (b block) free() bool { return b.kind == toolBlock && strings.HasPrefix(b.text, `"`) }

func unquoted(s string) string {
	var text string
	_ = ndjson.Unmarshal([]byte(s), &text) // a piece of it is nothing yet
	return text
}

func (i *items) block(b block) {
	i.close()
	i.open = &b
	i.send("response.output_item.added", object{"output_index": len(i.output), "item": i.item(b, len(i.output), "in_progress", "")})
	switch b.kind {
	case thinkBlock:
		i.part("response.reasoning_summary_part.added", object{"summary_index": 0, "part": object{"type": "summary_text", "text": ""}})
	case textBlock:
		i.part("response.content_part.added", object{"content_index": 0, "part": object{"type": "output_text", "text": "", "annotations": []object{}}})
	}
}

// part sends an event about the open item.
func (i *items) part(name string, data object) {
	data["item_id"], data["output_index"] = i.id(), len(i.output)
	i.send(name, data)
}

func (i *items) piece(b block, s string) {
	i.said.WriteString(s)
	switch {
	case b.kind == thinkBlock:
		i.part("response.reasoning_summary_text.delta", object{"summary_index": 0, "delta": s})
	case b.free(): // its input comes whole, with the item
	case b.kind == toolBlock:
		i.part("response.function_call_arguments.delta", object{"delta": s})
	default:
		i.part("response.output_text.delta", object{"content_index": 0, "delta": s})
	}
}

func (i *items) close() {
	if i.open == nil {
		return
	}
	said := i.said.String()
	switch b := *i.open; {
	case b.kind == thinkBlock:
		i.part("response.reasoning_summary_text.done", object{"summary_index": 0, "text": said})
		i.part("response.reasoning_summary_part.done", object{"summary_index": 0, "part": object{"type": "summary_text", "text": said}})
	case b.free():
		i.part("response.custom_tool_call_input.done", object{"input": unquoted(said)})
	case b.kind == toolBlock:
		i.part("response.function_call_arguments.done", object{"arguments": said})
	default:
		i.part("response.output_text.done", object{"content_index": 0, "text": said})
		i.part("response.content_part.done", object{"content_index": 0, "part": object{"type": "output_text", "text": said, "annotations": []object{}}})
	}
	it := i.item(*i.open, len(i.output), "completed", said)
	i.send("response.output_item.done", object{"output_index": len(i.output), "item": it})
	i.output = append(i.output, it)
	i.open = nil
	i.said.Reset()
}

func (i *items) end() {
	i.close()
	r := i.ended(i.output)
	status, _ := r["status"].(string)
	i.send("response."+status, object{"response": r})
}

// ended is the response with its outcome.
func (a answer) ended(output []object) object {
	r := a.response("completed", output)
	u := a.usage
	r["usage"] = object{
		"input_tokens": u.InputTokens, "input_tokens_details": object{"cached_tokens": u.CachedInputTokens},
		"output_tokens": u.OutputTokens, "output_tokens_details": object{"reasoning_tokens": u.ReasoningTokens},
		"total_tokens": u.InputTokens + u.OutputTokens,
	}
	switch a.stop {
	case StopMaxTokens:
		r["status"], r["incomplete_details"] = "incomplete", object{"reason": "max_output_tokens"}
	case StopRefusal:
		r["status"] = "failed"
		r["error"] = object{"code": "invalid_prompt", "message": "Invalid prompt: your prompt was flagged as potentially violating our usage policy."}
	case StopContext:
		r["status"] = "failed"
		r["error"] = object{"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}
	}
	return r
}

// whole is the answer to a request that does not stream.
func (responses) whole(a answer) any {
	var output []object
	for n, b := range a.said() {
		output = append(output, a.item(b, n, "completed", b.text))
	}
	return a.ended(output)
}

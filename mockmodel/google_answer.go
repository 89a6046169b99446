package mockmodel

import "agentrun/ndjson"

// candidates streams an answer as the Gemini API does: every event is a whole
// response with the next parts.
type candidates struct {
	answer
	out *sse
}

func (google) encoder(a answer, out *sse) encoder { return &candidates{answer: a, out: out} }

// generated is a response with these parts; finish is "" until the last one.
func (a answer) generated(parts []object, finish string) object {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
	r := object{"candidates": []object{candidate}, "modelVersion": a.model, "responseId": a.id}
	if finish != "" {
		candidate["finishReason"] = finish
		u := a.usage
		r["usageMetadata"] = object{
			"promptTokenCount": u.InputTokens, "cachedContentTokenCount": u.CachedInputTokens,
			"candidatesTokenCount": max(0, u.OutputTokens-u.ReasoningTokens), "thoughtsTokenCount": u.ReasoningTokens,
			"totalTokenCount": u.InputTokens + u.OutputTokens,
		}
	}
	return r
}

func (c *candidates) send(part object) { c.out.send("", c.generated([]object{part}, "")) }

func (c *candidates) begin() {}

// googlePart is a block, or a piece of one, as a part of a response.
func (b block) googlePart(s string) object {
	switch b.kind {
	case thinkBlock:
		return object{"text": s, "thought": true}
	case toolBlock:
		return object{"functionCall": object{"id": b.id, "name": b.name, "args": ndjson.RawMessage(b.text)}}
	}
	return object{"text": s}
}

func (c *candidates) block(b block) {
	if b.kind == toolBlock {
		c.send(b.googlePart(""))
	}
}

func (c *candidates) piece(b block, s string) {
	if b.kind != toolBlock { // a call comes whole, with its block
		c.send(b.googlePart(s))
	}
}

func (c *candidates) end() {
	c.out.send("", c.generated([]object{{"text": ""}}, googleStop(c.stop)))
}

func googleStop(stop string) string {
	switch stop {
	case StopMaxTokens, StopContext:
		return "MAX_TOKENS"
	case StopRefusal:
		return "SAFETY"
	}
	return "STOP"
}

// whole is the answer to a request that does not stream.
func (google) whole(a answer) any {
	parts := []object{}
	for _, b := range a.said() {
		parts = append(parts, b.googlePart(b.text))
	}
	return a.generated(parts, googleStop(a.stop))
}

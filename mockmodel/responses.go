package mockmodel

import (
	"slices"
	"strings"
	"time"

	"agentrun/ndjson"
)

// responses is the OpenAI Responses API as codex 0.171.0 calls it.
type responses struct{}

type responsesRequest struct {
	Model  string            `json:"model"`
	Stream bool              `json:"stream"`
	Input  ndjson.RawMessage `json:"input"` // a string or items
	Tools  []struct {
		Name string `json:"name"`
	} `json:"tools"`
	Text struct {
		Format struct {
			Schema ndjson.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"text"`
}

type item struct {
	Type    string            `json:"type"`
	Role    string            `json:"role"`
	Content ndjson.RawMessage `json:"content"` // a string or blocks
	CallID  string            `json:"call_id"`
	Output  ndjson.RawMessage `json:"output"` // a string or blocks
}

func (responses) read(_ string, body []byte) (ask, error) {
	var r responsesRequest
	if err := ndjson.Unmarshal(body, &r); err != nil {
		return ask{}, err
	}
	q := ask{model: r.Model, stream: r.Stream, schema: r.Text.Format.Schema, native: codexTools()}
	for _, t := range r.Tools {
		q.tools = append(q.tools, t.Name)
	}
	if slices.Contains(q.tools, "bash") {
		q.native = piTools()
	}
	var items []item
	if ndjson.Unmarshal(r.Input, &items) != nil {
		items = []item{{Role: "user", Content: r.Input}}
	}
	h := history{ask: &q}
	for _, i := range items {
		h.follow(i)
	}
	if q.wantsSummary() {
		q.side = summary
	}
	return q, nil
}

// history counts the model's turns in a list of items, of which a turn may have several.
type history struct {
	*ask
	answering bool   // the item before is the model's, of the same turn
	turnID    string // of the last turn that called tools
}

func (h *history) follow(i item) {
	switch i.Type {
	case "function_call_output", "custom_tool_call_output":
		h.output = commandOutput(joined(blocks(i.Output)))
		h.answering = false
		return
	case "function_call", "custom_tool_call":
		id := answerOf(i.CallID)
		if !h.answering && id != h.turnID {
			h.turn++
		}
		h.turnID, h.answering = id, true
		return
	case "reasoning":
		h.answer()
		return
	}
	switch text := joined(blocks(i.Content)); {
	case i.Role == "assistant":
		h.answer()
	case i.Role == "user" && !inserted(text):
		h.prompt, h.turn, h.answering = text, 0, false
	}
}

// commandOutput takes off what codex writes above a command's output: its time and exit status.
func commandOutput(s string) string {
	if _, output, ok := strings.Cut(s, "\nOutput:\n"); ok {
		return output
	}
	return s
}

func (h *history) answer() {
	if !h.answering {
		h.turn++
	}
	h.answering = true
}

// inserted reports whether codex itself made the user message.
func inserted(s string) bool {
	for _, begin := range []string{
		"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<turn_aborted>", "<subagent_notification>", "<skill>",
	} {
		if strings.HasPrefix(s, begin) {
			return true
		}
	}
	return false
}

func (responses) fail(e Error) failure {
	w := e.as(map[string]worded{
		ErrorAuth:       {401, "invalid_api_key", "Incorrect API key provided: mock."},
		ErrorForbidden:  {403, "unsupported_country_region_territory", "Country, region, or territory not supported"},
		ErrorRateLimit:  {429, "rate_limit_exceeded", "Rate limit reached for the mock model. Please try again later."},
		ErrorQuota:      {429, "usage_limit_reached", "The usage limit has been reached"},
		ErrorServer:     {500, "server_error", "The server had an error while processing your request."},
		ErrorOverloaded: {503, "server_is_overloaded", "Our servers are currently overloaded. Please try again later."},
		ErrorContext:    {400, "context_length_exceeded", "Your input exceeds the context window of this model. Please adjust your input and try again."},
		ErrorNoModel:    {404, "model_not_found", "The requested model 'mock' does not exist."},
		ErrorRequest:    {400, "invalid_value", "The mock does not take this request."},
	}[e.kind()])
	f := failure{status: w.status, header: e.retryHeader()}
	inner := object{"type": w.kind, "code": w.kind, "message": w.message, "param": nil}
	if e.kind() == ErrorQuota {
		seconds := max(1, int(e.RetryAfter))
		inner["plan_type"], inner["resets_in_seconds"] = "plus", seconds
		inner["resets_at"] = time.Now().Add(time.Duration(seconds) * time.Second).Unix()
	}
	f.body = object{"error": inner}
	return f
}

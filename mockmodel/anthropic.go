package mockmodel

import (
	"strings"

	"agentrun/ndjson"
)

// anthropic is the Messages API, version 2023-06-01, as claude 2.1.332 and pi 1.6.0 call it.
type anthropic struct{}

type messagesRequest struct {
	Model     string            `json:"model"`
	Stream    bool              `json:"stream"`
	MaxTokens int               `json:"max_tokens"`
	System    ndjson.RawMessage `json:"system"` // a string or text blocks
	Messages  []message         `json:"messages"`
	Tools     []struct {
		Name   string
		Schema ndjson.RawMessage `json:"input_schema"`
	} `json:"tools"`
	Output struct {
		Format struct {
			Schema ndjson.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
}

type message struct {
	Role    string            `json:"role"`
	Content ndjson.RawMessage `json:"content"` // a string or blocks
}

type contentBlock struct {
	Type    string            `json:"type"`
	Text    string            `json:"text"`
	Content ndjson.RawMessage `json:"content"` // of a tool_result: a string or blocks
}

// blocks decodes what may be a string or a list of blocks.
func blocks(raw ndjson.RawMessage) []contentBlock {
	var s string
	if ndjson.Unmarshal(raw, &s) == nil {
		return []contentBlock{{Type: "text", Text: s}}
	}
	var list []contentBlock
	if ndjson.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// structuredTool is claude's tool for the answer under --json-schema.
const structuredTool = "StructuredOutput"

func (anthropic) read(_ string, body []byte) (ask, error) {
	var r messagesRequest
	if err := ndjson.Unmarshal(body, &r); err != nil {
		return ask{}, err
	}
	q := ask{model: r.Model, stream: r.Stream, schema: r.Output.Format.Schema, native: claudeTools()}
	for _, t := range r.Tools {
		q.tools = append(q.tools, t.Name)
		if t.Name == structuredTool {
			q.answerTool, q.schema = t.Name, t.Schema
		}
		if t.Name == "bash" || t.Name == "read" {
			q.native = piTools()
		}
	}
	for _, m := range r.Messages {
		q.follow(m)
	}
	q.side = r.side()
	if q.wantsSummary() {
		q.side = summary
	}
	return q, nil
}

// follow moves the position in the script by one message of the conversation.
func (q *ask) follow(m message) {
	if m.Role == "assistant" {
		q.turn++
		return
	}
	if m.Role != "user" {
		return
	}
	prompt, results := "", false
	for _, b := range blocks(m.Content) {
		switch {
		case b.Type == "tool_result":
			results = true
			q.output = joined(blocks(b.Content))
		case b.Type == "text" && (!reminder(b.Text) || prompt == "" || reminder(prompt)):
			prompt = b.Text
		}
	}
	if !results {
		q.prompt, q.turn = prompt, 0
	}
}

// reminder reports whether claude itself wrote the text: beside the user's words,
// or alone, like the news of a background task.
func reminder(s string) bool { return strings.HasPrefix(s, "<system-reminder>") }

func joined(list []contentBlock) string {
	var s strings.Builder
	for _, b := range list {
		s.WriteString(b.Text)
	}
	return s.String()
}

// side recognizes what is not a turn: probes that ask for one token, and the
// requests for a title or for pi's summary of the history.
func (r messagesRequest) side() string {
	system := joined(blocks(r.System))
	switch {
	case r.MaxTokens == 1:
		return "ok"
	case r.Output.Format.Schema != nil && len(r.Tools) == 0:
		return string(sample(r.Output.Format.Schema))
	case strings.Contains(system, "summariz") && len(r.Tools) == 0:
		return summary
	}
	return ""
}

// fail says the error in the API's words.
func (anthropic) fail(e Error) failure {
	w := e.as(map[string]worded{
		ErrorAuth:       {401, "authentication_error", "invalid x-api-key"},
		ErrorForbidden:  {403, "permission_error", "Your API key does not have permission to use the specified resource."},
		ErrorRateLimit:  {429, "rate_limit_error", "This request would exceed your account's rate limit. Please try again later."},
		ErrorQuota:      {400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},
		ErrorServer:     {500, "api_error", "Internal server error"},
		ErrorOverloaded: {529, "overloaded_error", "Overloaded"},
		ErrorContext:    {400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum"},
		ErrorNoModel:    {404, "not_found_error", "model: mock"},
		ErrorRequest:    {400, "invalid_request_error", "messages: the mock does not take this request"},
	}[e.kind()])
	f := failure{status: w.status, header: e.retryHeader()}
	if e.Times == 0 {
		f.header.Set("X-Should-Retry", "false")
	}
	f.body = object{"type": "error", "error": object{"type": w.kind, "message": w.message}}
	return f
}

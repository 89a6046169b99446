package gemini

import "agentrun/ndjson"

// event is one line of the CLI's stream-json output (0.61.0), all types in one,
// so that a line is decoded once.
type event struct {
	Type string `json:"type"`
	// init
	SessionID string `json:"session_id"`
	Model     string `json:"model"`
	// message
	Role    string `json:"role"`
	Content string `json:"content"`
	Delta   bool   `json:"delta"`
	// tool_use, tool_result
	ToolName   string            `json:"tool_name"`
	ToolID     string            `json:"tool_id"`
	Parameters ndjson.RawMessage `json:"parameters"`
	Output     ndjson.RawMessage `json:"output"`
	// tool_result, result
	Status string       `json:"status"`
	Error  *vendorError `json:"error"`
	// error
	Severity string `json:"severity"`
	Message  string `json:"message"`
	// result
	Stats *stats `json:"stats"`
}

type vendorError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// stats sums all model calls of the run, those of subagents and of the model
// router included.
type stats struct {
	TotalTokens  *int64                 `json:"total_tokens"`
	InputTokens  *int64                 `json:"input_tokens"`  // cached included
	OutputTokens *int64                 `json:"output_tokens"` // thoughts not included
	Cached       *int64                 `json:"cached"`
	DurationMS   int64                  `json:"duration_ms"` // 0 beside an error
	ToolCalls    int                    `json:"tool_calls"`
	Models       map[string]*modelStats `json:"models"`
}

type modelStats struct {
	TotalTokens int64 `json:"total_tokens"`
}

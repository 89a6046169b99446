package claude

import "agentrun/ndjson"

// head tells what a line is. Its keys come in any order.
type head struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
}

// assistantLine is one complete block of the model's message.
type assistantLine struct {
	UUID         string   `json:"uuid"`
	Message      message  `json:"message"`
	Parent       string   `json:"parent_tool_use_id"`
	SubagentType string   `json:"subagent_type"`
	Aborted      bool     `json:"aborted"`
	Supersedes   []string `json:"supersedes"` // uuids of earlier lines
	apiError
}

// userLine brings tool results, and text that the CLI itself put in.
type userLine struct {
	Message struct {
		Content []block `json:"content"`
	} `json:"message"`
	Parent         string       `json:"parent_tool_use_id"`
	SubagentType   string       `json:"subagent_type"`
	ToolResultMeta []resultMeta `json:"tool_result_meta"`
}

// textUserLine is a user line whose content is a string: local command output,
// a replay or a compaction summary.
type textUserLine struct {
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
}

type message struct {
	ID         string  `json:"id"`
	Model      string  `json:"model"`
	Content    []block `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      *tokens `json:"usage"`
}

type block struct {
	Type      string            `json:"type"`
	Text      string            `json:"text"`
	Thinking  string            `json:"thinking"`
	ID        string            `json:"id"`
	Name      string            `json:"name"`
	Input     ndjson.RawMessage `json:"input"`
	ToolUseID string            `json:"tool_use_id"`
	Content   ndjson.RawMessage `json:"content"`
	IsError   bool              `json:"is_error"`
}

// resultMeta stands beside a tool_result and says why a tool did not run.
type resultMeta struct {
	ID       string `json:"id"`
	Decision struct {
		Decision string `json:"decision"` // accept or reject
	} `json:"permission_decision"`
}

// apiError is what a synthetic assistant line says of a failed model request.
type apiError struct {
	IsAPIError bool           `json:"is_api_error_message"`
	Error      string         `json:"error"`
	Kind       string         `json:"api_error"`
	Params     apiErrorParams `json:"api_error_params"`
	Status     int            `json:"api_error_status"`
	ErrorType  string         `json:"api_error_type"`
}

type apiErrorParams struct {
	Cut       string         `json:"cut"` // context_window or output_limit
	RateLimit *rateLimitInfo `json:"rate_limit_info"`
}

type rateLimitLine struct {
	Info rateLimitInfo `json:"rate_limit_info"`
}

type rateLimitInfo struct {
	Status      string   `json:"status"` // allowed, allowed_warning or rejected
	ResetsAt    int64    `json:"resetsAt,omitempty"`
	Type        string   `json:"rateLimitType,omitempty"`
	Utilization *float64 `json:"utilization,omitempty"`
}

// streamLine is one event of the model API's stream; asked for only when
// somebody wants the pieces.
type streamLine struct {
	Event struct {
		Type         string   `json:"type"`
		Index        int      `json:"index"`
		Message      *message `json:"message"`
		ContentBlock *block   `json:"content_block"`
		Delta        struct {
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		} `json:"delta"`
		Usage *tokens `json:"usage"`
	} `json:"event"`
	Parent    string `json:"parent_tool_use_id"`
	Abandoned *struct {
		MessageID string `json:"api_message_id"`
		From      int    `json:"from_block_index"`
	} `json:"abandoned_blocks"`
}

// resultLine is the terminal record of a turn.
type resultLine struct {
	Subtype          string                `json:"subtype"`
	SessionID        string                `json:"session_id"`
	IsError          bool                  `json:"is_error"`
	Result           string                `json:"result"`
	Errors           []string              `json:"errors"`
	TerminalReason   string                `json:"terminal_reason"`
	StopReason       string                `json:"stop_reason"`
	APIError         string                `json:"api_error"`
	Status           int                   `json:"api_error_status"`
	ErrorType        string                `json:"api_error_type"`
	StartupFailure   string                `json:"startup_failure_reason"`
	StructuredOutput ndjson.RawMessage     `json:"structured_output"`
	Usage            *tokens               `json:"usage"`
	ModelUsage       map[string]modelUsage `json:"modelUsage"`
	ModelUsageDelta  map[string]modelUsage `json:"model_usage_since_last_result"`
	TotalCostUSD     *float64              `json:"total_cost_usd"`
	NumTurns         *int                  `json:"num_turns"`
	DurationMS       int64                 `json:"duration_ms"`
	DurationAPIMS    int64                 `json:"duration_api_ms"`
	Index            *int                  `json:"result_index"`
	Queued           int                   `json:"queued_turn_count"`
	UserMessage      string                `json:"user_message_uuid"` // that the turn answered
	LocalCommand     string                `json:"local_command"`
	Denials          []denial              `json:"permission_denials"`
}

type denial struct {
	ToolName  string            `json:"tool_name"`
	ToolUseID string            `json:"tool_use_id"`
	ToolInput ndjson.RawMessage `json:"tool_input"`
}

// tokens is the usage of one model request or turn. Input leaves cached and
// cache-written tokens out.
type tokens struct {
	Input      *int64 `json:"input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	Output     *int64 `json:"output_tokens"`
}

// modelUsage is the usage of one model; subagents and dropped attempts are in it.
type modelUsage struct {
	Input      int64  `json:"inputTokens"`
	Output     int64  `json:"outputTokens"`
	CacheRead  int64  `json:"cacheReadInputTokens"`
	CacheWrite int64  `json:"cacheCreationInputTokens"`
	Thinking   *int64 `json:"thinkingTokens"`
}

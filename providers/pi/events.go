package pi

import "agentrun/ndjson"

// head is what every record is asked first; the frequent message_update needs
// no more. Before 0.84.0 an update also carries the whole message twice: only
// the delta is read.
type head struct {
	Type   string  `json:"type"`
	Update *update `json:"assistantMessageEvent"`
}

type update struct {
	Type    string `json:"type"`
	Index   int    `json:"contentIndex"`
	Delta   string `json:"delta"`
	Content string `json:"content"`
}

type sessionEvent struct {
	ID  string `json:"id"`
	Cwd string `json:"cwd"`
}

type messageEvent struct {
	Message message `json:"message"`
}

// message is an AgentMessage of any role.
type message struct {
	Role          string            `json:"role"`
	Content       ndjson.RawMessage `json:"content"` // text or blocks
	Summary       string            `json:"summary"`
	CustomType    string            `json:"customType"`
	Provider      string            `json:"provider"`
	Model         string            `json:"model"`
	ResponseID    string            `json:"responseId"`
	StopReason    string            `json:"stopReason"`
	RawStopReason string            `json:"rawStopReason"`
	ErrorMessage  string            `json:"errorMessage"`
	DurationMS    float64           `json:"durationMs"`
	Usage         *usage            `json:"usage"`
}

type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	Redacted bool   `json:"redacted"`
}

// usage is one response's report. input is without what came from and went to the cache.
type usage struct {
	Input      int64  `json:"input"`
	Output     int64  `json:"output"`
	CacheRead  int64  `json:"cacheRead"`
	CacheWrite int64  `json:"cacheWrite"`
	Reasoning  *int64 `json:"reasoning"`
	Total      int64  `json:"totalTokens"`
	Cost       struct {
		Total float64 `json:"total"`
	} `json:"cost"`
}

type toolEvent struct {
	ID     string            `json:"toolCallId"`
	Name   string            `json:"toolName"`
	Parent string            `json:"parentToolCallId"`
	Args   ndjson.RawMessage `json:"args"`
	Result struct {
		Content    ndjson.RawMessage `json:"content"`
		Structured ndjson.RawMessage `json:"structuredContent"`
	} `json:"result"`
	IsError    bool     `json:"isError"`
	DurationMS *float64 `json:"durationMs"` // absent when the tool did not run, since 1.1.0
}

type agentEnd struct {
	WillRetry *bool `json:"willRetry"` // since 0.75.4
}

type agentSettled struct {
	Aborted bool `json:"aborted"` // since 1.1.0
}

// retryEvent is auto_retry_start or summarization_retry_scheduled.
type retryEvent struct {
	Attempt      int    `json:"attempt"`
	MaxAttempts  int    `json:"maxAttempts"`
	DelayMS      int64  `json:"delayMs"`
	ErrorMessage string `json:"errorMessage"`
}

type compactionEvent struct {
	Reason string `json:"reason"`
	Result *struct {
		TokensBefore int64  `json:"tokensBefore"`
		TokensAfter  int64  `json:"estimatedTokensAfter"`
		Usage        *usage `json:"usage"`
	} `json:"result"`
	Aborted      bool   `json:"aborted"`
	WillRetry    bool   `json:"willRetry"`
	ErrorMessage string `json:"errorMessage"`
}

type extensionError struct {
	Path  string `json:"extensionPath"`
	Error string `json:"error"`
}

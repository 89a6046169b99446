package stream

// Scope says what a number counts.
type Scope string

// The scopes of usage and cost.
const (
	ScopeTurn    Scope = "turn"    // one turn of a live session; on its turn_end
	ScopeRun     Scope = "run"     // this run alone
	ScopeSession Scope = "session" // the vendor's running total of the session
)

// Usage is a vendor's report of tokens. A nil field was not reported; zero was.
type Usage struct {
	InputTokens       *int64 `json:"input_tokens,omitempty"`        // the whole prompt, cached tokens included
	CachedInputTokens *int64 `json:"cached_input_tokens,omitempty"` // of these, read from a cache
	CacheWriteTokens  *int64 `json:"cache_write_tokens,omitempty"`  // of these, written to a cache
	OutputTokens      *int64 `json:"output_tokens,omitempty"`       // reasoning included
	ReasoningTokens   *int64 `json:"reasoning_tokens,omitempty"`    // of these, spent on reasoning
	TotalTokens       *int64 `json:"total_tokens,omitempty"`
	Scope             Scope  `json:"scope,omitempty"`
	// Partial marks a sum made from messages because the vendor's own total never came.
	Partial bool `json:"partial,omitempty"`
}

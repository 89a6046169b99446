package stream

import "encoding/json"

// Metadata is everything about a chunk that is not its words. Which fields a
// chunk has depends on its type; a field that nobody reported is left out.
type Metadata struct {
	// On the first chunk of a stream (type system, notice "run_start").
	Stream       string          `json:"stream,omitempty"` // Version
	RunID        string          `json:"run_id,omitempty"`
	Provider     string          `json:"provider,omitempty"`
	Binary       string          `json:"binary,omitempty"`         // path of the vendor's program
	Version      string          `json:"vendor_version,omitempty"` // of the vendor's program
	Cwd          string          `json:"cwd,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`

	// Notice is the stable word of a system chunk: NoticeRunStart and so on.
	Notice string `json:"notice,omitempty"`
	// Data holds a notice's own facts, as the vendor gave them.
	Data json.RawMessage `json:"data,omitempty"`

	SessionID string `json:"session_id,omitempty"` // the vendor's session
	Model     string `json:"model,omitempty"`
	MessageID string `json:"message_id,omitempty"`
	// ParentToolID is the tool call whose subagent said this.
	ParentToolID string `json:"parent_tool_id,omitempty"`
	AgentType    string `json:"agent_type,omitempty"` // kind of that subagent
	// Aborted marks text whose turn was cut; Supersedes lists message ids whose text this replaces.
	Aborted    bool     `json:"aborted,omitempty"`
	Supersedes []string `json:"supersedes,omitempty"`
	// Denied marks a tool_result whose tool was not allowed to run.
	Denied     bool  `json:"denied,omitempty"`
	ExitCode   *int  `json:"exit_code,omitempty"`   // of a tool's command, where the vendor tells
	DurationMS int64 `json:"duration_ms,omitempty"` // of a tool call, or of the whole run

	// On the terminal chunk.
	Usage        *Usage   `json:"usage,omitempty"`
	TotalCostUSD *float64 `json:"total_cost_usd,omitempty"`
	CostScope    Scope    `json:"cost_scope,omitempty"`
	// SessionUsage and SessionCostUSD are the vendor's running totals, where
	// Usage and TotalCostUSD are this run's share of them.
	SessionUsage     *Usage          `json:"session_usage,omitempty"`
	SessionCostUSD   *float64        `json:"session_cost_usd,omitempty"`
	NumTurns         *int            `json:"num_turns,omitempty"`
	DurationAPIMS    int64           `json:"duration_api_ms,omitempty"`
	StopReason       string          `json:"stop_reason,omitempty"` // the vendor's word
	StructuredOutput json.RawMessage `json:"structured_output,omitempty"`
	Denials          []Denial        `json:"denials,omitempty"`
	Warnings         []string        `json:"warnings,omitempty"`
	OpenTools        []OpenTool      `json:"open_tools,omitempty"`
	// PartialText is what was said before a failure; only in a one-shot result.
	PartialText string `json:"partial_text,omitempty"`

	// On an error chunk.
	Class      string   `json:"class,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Origin     string   `json:"origin,omitempty"` // "provider" or "host"
	Retryable  *bool    `json:"retryable,omitempty"`
	RetryAfter *float64 `json:"retry_after,omitempty"` // seconds
	ResetsAt   string   `json:"resets_at,omitempty"`   // RFC 3339, or the vendor's own words
	Hint       string   `json:"hint,omitempty"`
	ExitStatus *int     `json:"exit_status,omitempty"` // the vendor's
	Signal     string   `json:"signal,omitempty"`      // that ended the vendor, like "SIGABRT"
	Stderr     string   `json:"stderr,omitempty"`      // what the vendor said there, bounded, redacted
}

// Denial is one tool call that was refused.
type Denial struct {
	ToolName string          `json:"tool_name,omitempty"`
	ToolID   string          `json:"tool_id,omitempty"`
	Message  string          `json:"message,omitempty"`
	Input    json.RawMessage `json:"tool_input,omitempty"`
}

// OpenTool is a tool call that had no result when the stream ended.
type OpenTool struct {
	ToolName string `json:"tool_name,omitempty"`
	ToolID   string `json:"tool_id,omitempty"`
}

// The stable words of system chunks (Metadata.Notice). A provider may add a
// vendor's own word where none of these fits.
const (
	NoticeRunStart     = "run_start"     // first line of every stream, from the host
	NoticeSession      = "session"       // the vendor's session is known: id, model, cwd
	NoticeRetry        = "retry"         // the vendor will ask the model again
	NoticeCompaction   = "compaction"    // the vendor shortened its history
	NoticeDenied       = "denied"        // a tool was not allowed to run
	NoticeRateLimit    = "rate_limit"    // news about the plan's limits
	NoticeModel        = "model"         // the model changed, or is not the one asked for
	NoticeTask         = "task"          // a background task or subagent began, went on or ended
	NoticeTodo         = "todo"          // the agent's plan
	NoticeRetracted    = "retracted"     // text already streamed was taken back
	NoticeWarning      = "warning"       // the vendor warns
	NoticeInfo         = "info"          // the vendor informs
	NoticeNoise        = "noise"         // a line on stdout that is not a record
	NoticeUnknown      = "unknown_event" // an event this version does not know
	NoticeMalformed    = "malformed"     // a broken record, under --tolerate-drift
	NoticeTooLarge     = "record_too_large"
	NoticeEncoding     = "encoding"                // invalid UTF-8 was replaced
	NoticeEndedLate    = "terminated_after_result" // the vendor stayed after its result and was ended
	NoticeBackground   = "background_ended"        // processes the vendor left were ended
	NoticePolicy       = "policy"                  // a policy, or that nobody was there, answered a request
	NoticeHook         = "hook"                    // a hook blocked or changed something, or failed
	NoticeVendorHook   = "vendor_hook"             // a hook of the vendor's own settings ran
	NoticeFence        = "fence"                   // what the adapter did to keep the vendor honest
	NoticeOutputFailed = "output_failed"           // --raw or another side file could not be written
)

package codex

import "agentrun/ndjson"

// event is one line of `codex exec --json` (0.171.0).
type event struct {
	Type     string `json:"type"`
	ThreadID string `json:"thread_id"` // thread.started
	Message  string `json:"message"`   // error
	Error    fault  `json:"error"`     // turn.failed
	Usage    *usage `json:"usage"`     // turn.completed
	Item     *item  `json:"item"`      // item.started, item.updated, item.completed
}

type fault struct {
	Message string `json:"message"`
}

// usage is the thread's running total; a review reports all zero.
type usage struct {
	Input     *int64 `json:"input_tokens"`
	Cached    *int64 `json:"cached_input_tokens"`
	Write     *int64 `json:"cache_write_input_tokens"`
	Output    *int64 `json:"output_tokens"`
	Reasoning *int64 `json:"reasoning_output_tokens"`
}

// item holds the members of all kinds of items. A web_search has its id twice,
// codex's and the server's; the decoder keeps the last.
type item struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"` // in_progress, completed, failed, declined

	Text    string `json:"text"`    // agent_message, reasoning
	Message string `json:"message"` // error

	Command  string            `json:"command"` // command_execution
	Output   ndjson.RawMessage `json:"aggregated_output"`
	ExitCode *int              `json:"exit_code"`

	Changes ndjson.RawMessage `json:"changes"` // file_change

	Server    string            `json:"server"` // mcp_tool_call
	Tool      string            `json:"tool"`   // mcp_tool_call, collab_tool_call
	Arguments ndjson.RawMessage `json:"arguments"`
	Result    ndjson.RawMessage `json:"result"`
	Error     *fault            `json:"error"`

	Sender    ndjson.RawMessage `json:"sender_thread_id"` // collab_tool_call
	Receivers ndjson.RawMessage `json:"receiver_thread_ids"`
	Prompt    ndjson.RawMessage `json:"prompt"`
	States    ndjson.RawMessage `json:"agents_states"`

	Query  ndjson.RawMessage `json:"query"` // web_search
	Action ndjson.RawMessage `json:"action"`

	Items ndjson.RawMessage `json:"items"` // todo_list
}

// The kinds of items.
const (
	itemMessage   = "agent_message"
	itemReasoning = "reasoning"
	itemCommand   = "command_execution"
	itemChange    = "file_change"
	itemMCP       = "mcp_tool_call"
	itemCollab    = "collab_tool_call"
	itemSearch    = "web_search"
	itemTodo      = "todo_list"
	itemError     = "error"

	// itemOther is a tool that only the app server tells of; Tool is its name.
	itemOther = "other"
)

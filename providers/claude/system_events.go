package claude

import "agentrun/ndjson"

// initLine opens every turn; the first one opens the session.
type initLine struct {
	SessionID      string            `json:"session_id"`
	Cwd            string            `json:"cwd"`
	Model          string            `json:"model"`
	Version        string            `json:"claude_code_version"`
	PermissionMode string            `json:"permissionMode"`
	APIKeySource   string            `json:"apiKeySource"`
	Tools          ndjson.RawMessage `json:"tools"`
	MCPServers     []mcpServer       `json:"mcp_servers"`
}

type mcpServer struct {
	Name   string `json:"name"`
	Status string `json:"status"`
}

// retryLine (api_retry): the CLI waits and asks the model again.
type retryLine struct {
	Attempt    int    `json:"attempt"`
	MaxRetries int    `json:"max_retries"`
	DelayMS    int64  `json:"retry_delay_ms"`
	Status     int    `json:"error_status,omitempty"`
	Error      string `json:"error"`
}

// deniedLine (permission_denied) comes before the tool_result.
type deniedLine struct {
	ToolName  string `json:"tool_name"`
	ToolUseID string `json:"tool_use_id"`
	Message   string `json:"message"`
}

// taskLine is task_started, task_progress, task_updated or task_notification.
type taskLine struct {
	TaskID       string            `json:"task_id"`
	ToolUseID    string            `json:"tool_use_id"`
	TaskType     string            `json:"task_type"`
	SubagentType string            `json:"subagent_type"`
	Description  string            `json:"description"`
	Status       string            `json:"status"`
	Summary      string            `json:"summary"`
	OutputFile   string            `json:"output_file"`
	Usage        ndjson.RawMessage `json:"usage"`
	IsReport     bool              `json:"summary_is_report"`
	Patch        struct {
		Status string `json:"status"`
	} `json:"patch"`
}

// tasksLine (background_tasks_changed) is the whole set of what is pending.
type tasksLine struct {
	Tasks []struct {
		Type string `json:"task_type"` // local_agent, local_bash, …
	} `json:"tasks"`
}

// infoLine is informational or notification.
type infoLine struct {
	Content       string `json:"content"`
	Text          string `json:"text"`
	Level         string `json:"level"`
	Priority      string `json:"priority"`
	PromptOutcome *struct {
		Kind   string `json:"kind"`
		Reason string `json:"reason"`
	} `json:"prompt_submit_outcome"`
}

// modelLine is model_fallback, model_refusal_fallback or model_refusal_no_fallback.
type modelLine struct {
	Content   string   `json:"content"`
	Original  string   `json:"original_model"`
	Fallback  string   `json:"fallback_model"`
	Trigger   string   `json:"trigger"`
	Category  string   `json:"api_refusal_category"`
	Retracted []string `json:"retracted_message_uuids"` // uuids of earlier lines
}

type compactLine struct {
	Compact ndjson.RawMessage `json:"compact_metadata"`
}

type statusLine struct {
	PermissionMode string `json:"permissionMode"`
	CompactError   string `json:"compact_error"`
}

type resetLine struct {
	SessionID string `json:"new_conversation_id"`
}

// lostLine is session_writes_lost.
type lostLine struct {
	Code string   `json:"error_code"`
	Lost []string `json:"lost"` // transcript, global_config
}

// hookLine (hook_response) comes only with include_hook_events.
type hookLine struct {
	Name     string `json:"hook_name"`
	Output   string `json:"output"`
	ExitCode *int   `json:"exit_code"`
	Outcome  string `json:"outcome"`
}

// The facts of notices, as they go out in their data.
type (
	sessionFacts struct {
		PermissionMode string            `json:"permission_mode,omitempty"`
		APIKeySource   string            `json:"api_key_source,omitempty"`
		Tools          ndjson.RawMessage `json:"tools,omitempty"`
		MCPServers     []mcpServer       `json:"mcp_servers,omitempty"`
	}
	taskFacts struct {
		Event       string            `json:"event"`
		TaskID      string            `json:"task_id"`
		TaskType    string            `json:"task_type,omitempty"`
		Description string            `json:"description,omitempty"`
		Status      string            `json:"status,omitempty"`
		OutputFile  string            `json:"output_file,omitempty"`
		Usage       ndjson.RawMessage `json:"usage,omitempty"`
	}
	modelFacts struct {
		Original string `json:"original_model,omitempty"`
		Fallback string `json:"fallback_model,omitempty"`
		Trigger  string `json:"trigger,omitempty"`
		Category string `json:"category,omitempty"`
	}
)

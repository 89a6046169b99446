package stream

import "encoding/json"

// HookEvent is a point of a run at which a command of the user's runs.
type HookEvent string

// The points of a run, in the order in which they are met.
const (
	HookBeforeRun  HookEvent = "before_run"  // nothing was started yet
	HookBeforeTool HookEvent = "before_tool" // the agent asks to use a tool, and no policy denies it
	HookOnRequest  HookEvent = "on_request"  // the agent asks something that nothing has decided
	HookAfterTool  HookEvent = "after_tool"  // a tool gave its result
	HookOnError    HookEvent = "on_error"    // a turn or the run failed
	HookTurnEnd    HookEvent = "turn_end"    // a turn ended
	HookAfterRun   HookEvent = "after_run"   // no process is left, and the outcome is told
)

// HookEvents lists them.
func HookEvents() []HookEvent {
	return []HookEvent{HookBeforeRun, HookBeforeTool, HookOnRequest, HookAfterTool, HookOnError, HookTurnEnd, HookAfterRun}
}

// HookInput is what a hook gets on stdin: one JSON object.
type HookInput struct {
	Event     HookEvent `json:"event"`
	RunID     string    `json:"run_id"`
	Provider  string    `json:"provider"`
	Cwd       string    `json:"cwd"`                  // where the agent works
	SessionID string    `json:"session_id,omitempty"` // the vendor's, once it is known
	Turn      int       `json:"turn,omitempty"`       // from 1; absent before the first

	// Prompt is that of a run, on before_run; a live session has none.
	Prompt string `json:"prompt,omitempty"`

	// On before_tool and after_tool.
	ToolName     string          `json:"tool_name,omitempty"`
	ToolID       string          `json:"tool_id,omitempty"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty"`
	ParentToolID string          `json:"parent_tool_id,omitempty"` // the call whose subagent calls
	Paths        []string        `json:"paths,omitempty"`          // files it touches, where the vendor tells
	Command      string          `json:"command,omitempty"`        // the shell command, where the vendor tells
	ToolOutput   json.RawMessage `json:"tool_output,omitempty"`
	IsError      bool            `json:"is_error,omitempty"` // the tool failed or was denied
	Denied       bool            `json:"denied,omitempty"`

	Request *HookRequest `json:"request,omitempty"` // on_request

	Status TurnStatus    `json:"status,omitempty"` // turn_end
	Usage  *Usage        `json:"usage,omitempty"`  // turn_end
	Error  *OneShotError `json:"error,omitempty"`  // on_error, and turn_end of a failed turn

	// On after_run.
	Result     *OneShot `json:"result,omitempty"`
	ExitStatus *int     `json:"exit_status,omitempty"` // agentrun's own
}

// HookRequest is what an agent asks, as in a LiveLine.
type HookRequest struct {
	ID      string          `json:"id"`
	Kind    string          `json:"kind"`
	Message string          `json:"message,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Context AskContext      `json:"context"`
}

// HookAnswer is what a hook may print: one JSON object.
type HookAnswer struct {
	Action    HookAction      `json:"action"`
	Reason    string          `json:"reason,omitempty"`
	Prompt    string          `json:"prompt,omitempty"`     // before_run: in place of the run's
	ToolInput json.RawMessage `json:"tool_input,omitempty"` // before_tool: an object in place of the call's
	Data      json.RawMessage `json:"data,omitempty"`       // on_request: the answer to a question
}

// HookAction is what a hook says.
type HookAction string

// The actions of a hook.
const (
	HookProceed HookAction = "proceed" // as if there were no hook
	HookBlock   HookAction = "block"
	HookModify  HookAction = "modify"
)

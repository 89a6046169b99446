package stream

import "encoding/json"

// LiveInput is one line that a live session takes on stdin.
type LiveInput struct {
	Type LiveInputType `json:"type"`
	// ID names the input; the ack or refusal of it carries the same. "" is allowed.
	ID string `json:"id,omitempty"`
	// Text and Parts are the words of a message or steer; both may be given, Text comes first.
	Text  string `json:"text,omitempty"`
	Parts []Part `json:"parts,omitempty"`
	// RequestID, Action, Data, For and Message answer a request.
	RequestID string          `json:"request_id,omitempty"`
	Action    Action          `json:"action,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`    // fits the request's schema; changed input of a tool
	For       string          `json:"for,omitempty"`     // "once" (default) or "session"
	Message   string          `json:"message,omitempty"` // why, for the agent
	// Model, Access and Effort change the session from its next turn on.
	Model  string `json:"model,omitempty"`
	Access string `json:"access,omitempty"`
	Effort string `json:"effort,omitempty"`
}

// LiveInputType says what a live input asks for.
type LiveInputType string

// The live inputs.
const (
	LiveMessage LiveInputType = "message" // words for the next turn; queued while one runs
	LiveSteer   LiveInputType = "steer"   // words into the running turn
	LiveAnswer  LiveInputType = "answer"  // to a request
	LiveUpdate  LiveInputType = "update"  // of model, access or effort
	LiveAbort   LiveInputType = "abort"   // of the running turn; the session lives on
	LiveClose   LiveInputType = "close"   // the end, after the running turn and the queued messages
)

// Action is what an answer says.
type Action string

// The actions of an answer.
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel" // decline, and end the turn
)

// Part is a piece of a message.
type Part struct {
	Type      string `json:"type"` // text, image or file
	Text      string `json:"text,omitempty"`
	Path      string `json:"path,omitempty"`       // of an image or file, inside the repository or absolute
	Data      string `json:"data,omitempty"`       // of an image, base64, instead of a path
	MediaType string `json:"media_type,omitempty"` // of an image
}

// LiveLine is a line of a live session that is not a chunk.
type LiveLine struct {
	Type LiveType `json:"type"`
	ID   string   `json:"id,omitempty"` // of the input that is acknowledged or refused, or of a request

	// On ack and refused.
	Input   LiveInputType `json:"input,omitempty"`
	Queued  bool          `json:"queued,omitempty"` // the message waits for the running turn
	Reason  string        `json:"reason,omitempty"` // stable word
	Message string        `json:"message,omitempty"`

	// On request and request_end.
	Kind    string          `json:"kind,omitempty"`    // tool_permission, question, plan, auth
	Schema  json.RawMessage `json:"schema,omitempty"`  // JSON Schema of an answer's data
	Context *AskContext     `json:"context,omitempty"` // what is asked about
	Action  Action          `json:"action,omitempty"`  // how the request was answered
	By      string          `json:"by,omitempty"`      // answer, policy, hook, nobody, agent (withdrawn), abort

	// On turn_start and turn_end.
	Turn     int        `json:"turn,omitempty"` // from 1
	Messages []string   `json:"messages,omitempty"`
	Status   TurnStatus `json:"status,omitempty"`
	Class    string     `json:"class,omitempty"` // of a failed turn
	Content  string     `json:"content,omitempty"`
	Metadata *Metadata  `json:"metadata,omitempty"` // of a turn: usage, cost, denials, …

	// On state.
	State LiveState `json:"state,omitempty"`
}

// LiveType says what a line of a live session is.
type LiveType string

// The lines of a live session beside the chunks.
const (
	LiveAck        LiveType = "ack"
	LiveRefused    LiveType = "refused"
	LiveRequest    LiveType = "request"
	LiveRequestEnd LiveType = "request_end"
	LiveTurnStart  LiveType = "turn_start"
	LiveTurnEnd    LiveType = "turn_end"
	LiveStateLine  LiveType = "state"
)

// AskContext is what an agent's request is about.
type AskContext struct {
	ToolName     string          `json:"tool_name,omitempty"`
	ToolID       string          `json:"tool_id,omitempty"`
	ToolInput    json.RawMessage `json:"tool_input,omitempty"`
	ParentToolID string          `json:"parent_tool_id,omitempty"`
	Paths        []string        `json:"paths,omitempty"`   // files it touches, where the vendor tells
	Command      string          `json:"command,omitempty"` // the shell command it runs
	Reason       string          `json:"reason,omitempty"`  // the vendor's, why it asks
	// Content is what an agent shows of a call whose input it does not tell: content
	// of the Agent Client Protocol, like a diff with its path, old and new text.
	Content json.RawMessage `json:"content,omitempty"`
}

// The kinds of requests.
const (
	AskToolPermission = "tool_permission"
	AskQuestion       = "question"
	AskPlan           = "plan"
	AskAuth           = "auth"
)

// TurnStatus is how a turn ended.
type TurnStatus string

// The ends of a turn.
const (
	TurnCompleted TurnStatus = "completed"
	TurnFailed    TurnStatus = "failed"
	TurnCancelled TurnStatus = "cancelled"
)

// LiveState is what a live session is doing.
type LiveState string

// The states of a live session.
const (
	StateStarting LiveState = "starting"
	StateIdle     LiveState = "idle"
	StateRunning  LiveState = "running" // a turn
	StateWaiting  LiveState = "waiting" // a turn, for an answer
	StateClosing  LiveState = "closing"
	StateClosed   LiveState = "closed"
)

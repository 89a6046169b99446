package acp

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Session is one session to hold, and what its agent does in its own way.
type Session struct {
	Agent   string // for messages, like "gemini"
	Cwd     string // absolute
	Load    string // id of the session to carry on; "" begins a new one
	Auth    string // way to log in before the session; "" leaves that to the agent
	Servers []Server
	// Model, Mode and Effort are set before the first turn; "" leaves the agent's own.
	Model, Mode, Effort string
	Asks                bool // a policy decides: nothing is allowed beyond what is asked about
	Dialect             Dialect
}

// Dialect is what one agent does in its own way. Every function may be nil; the
// zero Dialect is the protocol as it is written.
type Dialect struct {
	// Words makes of a text what is sent, and a notice where they differ.
	Words func(text string) (string, *stream.Chunk)
	// Drop reports whether a piece of text is none of the assistant's.
	Drop func(text string) bool
	// WholeThoughts means that each piece of thinking is a unit of its own.
	WholeThoughts bool
	// SetsModel means that session/set_model works though no models are announced.
	SetsModel bool
	// LoadsOn means that the history of a loaded session may still come behind the answer to session/load.
	LoadsOn bool
	// Tool names a tool call and its input, which the protocol need not tell.
	Tool func(Tool) (name string, input ndjson.RawMessage)
	// Result reads a tool's text output for what its status does not tell.
	Result func(text string) (failed, denied bool)
	// Always lists the ids of options that hold for the session, the narrowest
	// first; without it the first of kind allow_always is taken.
	Always []string
	// Mode is the agent's mode for the access that an update names.
	Mode func(access string) (string, *providers.Error)
	// Fail classifies an error of the agent.
	Fail func(code int, message string) *providers.Error
	// Judge is the failure that a stop reason stands for; nil leaves it to the protocol.
	Judge func(stopReason string) *providers.Error
	// Usage reads what a turn used, and which model, from the turn's result.
	Usage func(result ndjson.RawMessage) (*stream.Usage, string)
	// Unready explains an end of the process before the session was ready; nil where it cannot.
	Unready func(providers.Exit) *providers.Error
}

// Tool is what the protocol tells of a tool call.
type Tool struct{ ID, Kind, Title string }

package providers

import (
	"errors"

	"agentrun/ndjson"
	"agentrun/stream"
)

// Converser is a provider with a two-way mode: one process, one session, many turns.
type Converser interface {
	Provider
	// Live says what the two-way mode can do.
	Live() LiveCapabilities
	// LiveCommand is Command for the two-way mode. The request has no prompt,
	// and the command no Stdin: stdin stays open for the driver.
	LiveCommand(Request) (Command, error)
	// NewDriver returns a fresh driver for one session of the request.
	NewDriver(Request) Driver
}

// LiveCapabilities is what a provider's two-way mode can do.
type LiveCapabilities struct {
	Steer   bool     `json:"steer"`
	Abort   bool     `json:"abort"`
	Update  []string `json:"update,omitempty"` // of model, access, effort
	Images  bool     `json:"images"`
	Deltas  bool     `json:"emits_deltas"`   // where Request.Deltas wants the pieces
	Asks    []string `json:"asks,omitempty"` // kinds of requests it may make
	Session bool     `json:"answers_for_session"`
	// Only means that there is no other mode: a run is a session of one message,
	// and Provider.Command is LiveCommand for it.
	Only bool `json:"only,omitempty"`
}

// ErrLater is what Driver.Steer and Driver.Update return when the vendor's answer
// decides: a Settle of the same input follows.
var ErrLater = errors.New("the vendor's answer decides")

// Driver speaks a vendor's two-way protocol. It is a pure state machine: no
// I/O, no clock, no goroutine; the host calls it from one goroutine at a time
// and carries out its effects in order.
type Driver interface {
	// Open is called once, when the process runs: it sends what the protocol
	// begins with. The driver says Ready when the session can take a message.
	Open(do func(Effect))
	// Receive takes one record of kind ndjson.Object that the vendor printed. Its
	// errors are those of Mapper.Map.
	Receive(rec ndjson.Record, do func(Effect)) error
	// Message begins a turn. The host calls it when the driver is ready and no
	// turn runs. Images are in Parts as base64, files as text parts that name them.
	// The error is an *Error: the message is refused.
	Message(in stream.LiveInput, do func(Effect)) error
	// Steer, Update and Abort carry out an input of that type, or refuse it by
	// an *Error of class unsupported (by name) or usage. Steer and Abort come only while a turn runs.
	Steer(in stream.LiveInput, do func(Effect)) error
	Update(in stream.LiveInput, do func(Effect)) error
	Abort(do func(Effect)) error
	// Answer answers a request that is open; it may be called from within do of
	// the AgentRequest.
	Answer(in stream.LiveInput, do func(Effect)) error
	// Close asks the vendor to end; no turn runs. Until CloseStdin background work
	// may still do so, ask and be answered, and turns of the vendor's own may follow.
	Close(do func(Effect))
	// Facts and Verdict are those of Mapper; Verdict speaks of the session as a
	// whole and is asked when the process ended without being asked to, or before it was ready.
	Facts() Facts
	Verdict(Exit) Verdict
}

// Effect is something that a driver wants done.
type Effect interface{ effect() }

// Send writes one line to the vendor: JSON without a newline.
type Send struct{ Line []byte }

// SendLine sends a line of the driver's own. One that is no JSON, as a struct of
// strings, numbers and what was decoded before always is, is not sent.
func SendLine(line any, do func(Effect)) {
	if text, err := ndjson.Marshal(line); err == nil {
		do(Send{Line: text})
	}
}

// CloseStdin ends the vendor's stdin, after what was sent. It comes once at most,
// and nothing is sent, asked or open behind it.
type CloseStdin struct{}

// Unheard is do without what would be sent: the vendor's stdin is closed.
func Unheard(do func(Effect)) func(Effect) {
	return func(e Effect) {
		if _, sends := e.(Send); !sends {
			do(e)
		}
	}
}

// Emit passes a chunk on: system, thinking, text, tool_use or tool_result.
type Emit struct{ Chunk stream.Chunk }

// Emitter is the emit of a mapper whose chunks are effects.
func Emitter(do func(Effect)) func(stream.Chunk) {
	return func(c stream.Chunk) { do(Emit{c}) }
}

// Ready says that the session takes messages.
type Ready struct{}

// AgentRequest is something the agent asks, open until Driver.Answer or Withdraw. ID is
// unique in the session; Schema describes an answer's data, nil where none is taken.
type AgentRequest struct {
	ID      string
	Kind    string // stream.AskToolPermission, …
	Message string
	Schema  ndjson.RawMessage
	Context stream.AskContext
	// Rewritable means that the data of an accepting answer takes the place of
	// Context.ToolInput.
	Rewritable bool
	// Background means that the end of the turn, or its abort, leaves the request
	// open: background work asks, and the driver withdraws it when that is void.
	Background bool
}

// Fits holds an accepting answer's data against the request's schema. A schema
// that cannot be used is the vendor's fault and no reason to refuse an answer:
// the vendor checks it itself.
func (r AgentRequest) Fits(data ndjson.RawMessage) error {
	schema, err := CompileSchema(r.Schema)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	return schema.Check(data)
}

// Settle acknowledges an input for which ErrLater was returned, or refuses it.
type Settle struct {
	Input stream.LiveInput
	Err   *Error
}

// Withdraw closes a request that the agent no longer needs answered.
type Withdraw struct{ ID string }

// TurnStart says that a turn began; one that the vendor began by itself, too.
type TurnStart struct{}

// TurnEnd says how a turn ended.
type TurnEnd struct {
	Status stream.TurnStatus
	// Verdict is the turn's as Mapper.Verdict would give it: Err of a failed one,
	// usage, cost, denials, structured output. What counts the turn alone has the scope of a run.
	Verdict Verdict
}

func (Send) effect()         {}
func (CloseStdin) effect()   {}
func (Emit) effect()         {}
func (Ready) effect()        {}
func (AgentRequest) effect() {}
func (Withdraw) effect()     {}
func (TurnStart) effect()    {}
func (TurnEnd) effect()      {}
func (Settle) effect()       {}

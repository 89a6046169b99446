package acp

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// driver holds one session with an agent.
type driver struct {
	cfg     Session
	rpc     *jsonrpc.Client
	agent   agentInfo
	caps    agentCaps
	session string // its id, once the agent confirmed it
	ready   bool
	closed  bool             // stdin is
	failed  *providers.Error // why the session cannot be
	replay  int              // updates before the session was ready
	set     settings
	turn    turn
	calls   calls
	asked   int   // requests of the agent, for their ids
	asks    []ask // without an answer

	records int // that are progress
	turns   int // that ended
	usage   *stream.Usage
	cost    *float64
}

// NewDriver returns a driver for the session.
func NewDriver(s Session) providers.Driver {
	return &driver{cfg: s, rpc: jsonrpc.NewClient("2.0", 0)}
}

// Receive takes one line of the agent.
func (d *driver) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	if d.closed {
		do = providers.Unheard(do)
	}
	m := new(jsonrpc.Message)
	if err := rec.Decode(m); err != nil {
		return err
	}
	d.records++
	switch id := len(m.ID) > 0; {
	case m.Method != "" && ndjson.Present(m.ID) != nil:
		return d.question(m, do)
	case m.Method != "":
		return d.told(m, do)
	case id && ndjson.Present(m.ID) == nil && m.Error != nil:
		emit(stream.Notice(stream.NoticeWarning, d.cfg.Agent+" could not read a line of ours: "+words(m.Error)), do)
	case id && (len(m.Result) > 0 || m.Error != nil):
		d.rpc.Receive(m, do)
	default:
		d.records--
		return providers.Unknown("that is no JSON-RPC message", rec.Raw, providers.Emitter(do))
	}
	return nil
}

// told takes a notification.
func (d *driver) told(m *jsonrpc.Message, do func(providers.Effect)) error {
	switch m.Method {
	case "session/update":
		return d.update(m.Params, do)
	case "$/cancel_request":
		var p struct {
			ID ndjson.RawMessage `json:"requestId"`
		}
		if err := ndjson.Unmarshal(m.Params, &p); err != nil {
			return err
		}
		d.withdraw(func(a ask) bool { return string(a.id) == string(p.ID) }, do)
	case "elicitation/complete": // of a page that the user was sent to
	default:
		if m.Method[0] != '_' { // an extension, to be ignored by those who do not know it
			emit(providers.UnknownNotice(m.Method, m.Params), do)
		}
	}
	return nil
}

// Close ends stdin: an agent has no other end in the protocol.
func (d *driver) Close(do func(providers.Effect)) {
	if !d.closed { // the session failed
		for _, a := range d.asks {
			d.give(a, a.cancelled(), do)
		}
		d.withdraw(func(ask) bool { return true }, do)
		d.closed = true
		do(providers.CloseStdin{})
	}
}

// Steer is refused: the protocol has no words into a running turn.
func (d *driver) Steer(stream.LiveInput, func(providers.Effect)) error {
	return providers.Errorf(providers.Unsupported, "steer", "%s cannot be steered within a turn; send a message", d.cfg.Agent)
}

// Facts is what is known so far.
func (d *driver) Facts() providers.Facts {
	f := providers.Facts{
		SessionID: d.session, Model: d.set.model, Settled: d.failed != nil, Progress: d.records,
		Usage: d.usage, CostUSD: d.cost,
	}
	if d.cost != nil {
		f.CostScope = stream.ScopeSession
	}
	if d.turns > 0 {
		f.NumTurns = new(d.turns)
	}
	return f
}

func emit(c stream.Chunk, do func(providers.Effect)) { do(providers.Emit{Chunk: c}) }

// withdraw takes back what the agent asks no longer.
func (d *driver) withdraw(void func(ask) bool, do func(providers.Effect)) {
	for _, a := range slices.Clone(d.asks) {
		if void(a) {
			d.forget(a)
			do(providers.Withdraw{ID: a.name})
		}
	}
}

package codex

import (
	"hash/maphash"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// mapper holds what one run needs to remember.
type mapper struct {
	asked asked

	thread    string // id, from thread.started
	turn      bool   // a turn has begun
	completed bool   // turn.completed was the last word
	failed    bool   // turn.failed was
	failure   string // its message
	cause     string // the last top-level error that is no retry notice
	retrying  string
	progress  int
	usage     *stream.Usage

	open   map[string]string // tool calls without a result: id, name
	over   over
	texts  int // messages that said something
	tools  int
	answer string // the last message, kept when a schema was asked for

	repeats     repeats
	lastTodo    string
	lastWarning string
	denials     []stream.Denial
	warnings    []string

	line     event // the current record
	lineItem item
}

// asked is what the mapper needs to know of the request.
type asked struct {
	scope   stream.Scope
	resumed bool
	schema  bool
	review  bool
	repeats bool // the fence against repeated text is up
	bounded bool // the fence against endless reconnects is up
	unsaved bool // the run's thread is kept nowhere
}

func newMapper(r providers.Request) *mapper {
	a := asked{scope: stream.ScopeRun, repeats: r.Fenced(fenceRepeats), bounded: r.Fenced(fenceReconnects)}
	if f, ok := r.Fields.(*fields); ok {
		a.resumed = f.Resume != "" || f.Continue
		a.schema = f.Schema != ""
		a.review = f.Review != ""
		a.unsaved = f.Ephemeral && (!a.resumed || f.Fork)
	}
	if a.resumed {
		a.scope = stream.ScopeSession
	}
	return &mapper{asked: a, open: map[string]string{}, repeats: repeats{seed: maphash.MakeSeed()}}
}

func (m *mapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	// Decoded in place: most records need no memory of their own.
	m.line, m.lineItem = event{}, item{}
	e, f := &m.line, rec.Fields()
	if e.read(&f, &m.lineItem); f.Err() != nil {
		return providers.Unknown(e.Type+" in another form", rec.Raw, emit)
	}
	switch e.Type {
	case "error":
		m.topError(e.Message, emit)
		return nil
	case "item.started", "item.updated", "item.completed":
		return m.item(e, rec.Raw, emit)
	}
	return m.turnEvent(e, rec.Raw, emit)
}

// moved notes progress: the vendor is not waiting to try again.
func (m *mapper) moved() {
	m.progress++
	m.retrying = ""
}

func (m *mapper) turnEvent(e *event, raw []byte, emit func(stream.Chunk)) error {
	switch e.Type {
	case "thread.started":
		m.thread = e.ThreadID
		emit(stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeSession, SessionID: e.ThreadID}})
	case "turn.started":
		m.begin(emit)
	case "turn.completed":
		m.completed = true
		m.usage = m.normalize(e.Usage)
		m.lateCause("", emit)
	case "turn.failed":
		m.failed, m.failure = true, e.Error.Message
		m.lateCause(e.Error.Message, emit)
	default: // and no sign that the turn goes on
		return providers.Unknown(e.Type, raw, emit)
	}
	m.moved()
	return nil
}

func (m *mapper) begin(emit func(stream.Chunk)) {
	m.turn, m.completed, m.failed = true, false, false
	emit(stream.Notice(noticeTurn, ""))
}

// lateCause tells an error that the turn's end did not repeat.
func (m *mapper) lateCause(repeated string, emit func(stream.Chunk)) {
	if m.cause != "" && m.cause != repeated {
		emit(stream.Notice(stream.NoticeWarning, m.cause))
		m.warn(m.cause)
	}
	m.cause = ""
}

// normalize returns nil where codex counted nothing: a review reports zeros
// whatever it spent.
func (m *mapper) normalize(u *usage) *stream.Usage {
	if u == nil || m.asked.review && zero(u.Input) && zero(u.Output) {
		return nil
	}
	return &stream.Usage{
		InputTokens: u.Input, CachedInputTokens: u.Cached, CacheWriteTokens: u.Write,
		OutputTokens: u.Output, ReasoningTokens: u.Reasoning, Scope: m.asked.scope,
	}
}

func zero(n *int64) bool { return n == nil || *n == 0 }

// Noise knows no harmless line: under --json codex prints nothing but events.
func (m *mapper) Noise([]byte) bool { return false }

func (m *mapper) Facts() providers.Facts {
	return providers.Facts{
		SessionID: m.thread,
		Unsaved:   m.asked.unsaved,
		Settled:   m.completed || m.failed,
		Progress:  m.progress,
		Retrying:  m.retrying,
		Usage:     m.usage,
	}
}

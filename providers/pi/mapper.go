package pi

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// mapper follows one run. What it keeps is the state of the last message, the
// open tool calls and the sums.
type mapper struct {
	request providers.Request
	tools   toolChoice
	given   *fields

	session   string // of the header
	confirmed bool   // the session is on disk
	settled   bool
	aborted   bool
	ended     bool // agent_end since the last agent_start
	legacy    bool // that agent_end was of a pi that settles nothing
	progress  int
	retrying  string

	blocks   map[int]bool // of the current message: what was emitted
	id       string       // of the current message, "" before the vendor says
	spoke    bool         // the last message emitted words
	answered bool         // and some of them were text
	worked   bool         // the run emitted text or called a tool
	last     message      // the last assistant message, without content
	open     map[string]string
	sum      sum
	past     sum             // of a live session's turns that are over
	declined map[string]bool // calls that somebody was asked about and did not allow
	facts    providers.Facts // those that refresh makes
	warnings []string

	line       head // the current record
	lineUpdate update
}

func newMapper(r providers.Request) *mapper {
	f, ok := r.Fields.(*fields)
	if !ok {
		f = &fields{}
	}
	return &mapper{
		request: r, given: f, tools: chooseTools(r, f),
		blocks: map[int]bool{}, open: map[string]string{}, declined: map[string]bool{},
	}
}

// Map maps one event.
func (m *mapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	// Decoded in place: the many updates need no memory of their own.
	m.line, m.lineUpdate = head{}, update{}
	h, f := &m.line, rec.Fields()
	if h.read(&f, &m.lineUpdate); f.Err() != nil {
		return broken("event", f.Err())
	}
	switch h.Type {
	case "message_update":
		return m.update(h.Update, rec, emit)
	case "session":
		return decode(rec, func(e sessionEvent) { m.header(e, emit) })
	case "message_start":
		return decode(rec, func(e messageEvent) { m.messageStart(e.Message) })
	case "message_end":
		var e messageEvent
		if err := rec.Decode(&e); err != nil {
			return broken(h.Type, err)
		}
		return m.messageEnd(e.Message, rec, emit)
	case "tool_execution_start":
		return decode(rec, func(e toolEvent) { m.toolStart(e, emit) })
	case "tool_execution_end":
		return decode(rec, func(e toolEvent) { m.toolEnd(e, emit) })
	}
	return m.lifecycle(h.Type, rec, emit)
}

// lifecycle maps the events around the messages.
func (m *mapper) lifecycle(kind string, rec ndjson.Record, emit func(stream.Chunk)) error {
	switch kind {
	case "agent_start":
		m.settled, m.ended = false, false
		m.refresh()
	case "agent_end":
		return decode(rec, func(e agentEnd) { m.ended, m.legacy = true, e.WillRetry == nil })
	case "agent_settled":
		return decode(rec, func(e agentSettled) {
			m.settled, m.aborted = true, e.Aborted
			m.progress++
			m.refresh()
		})
	case "turn_end":
		m.sum.turns++
		m.refresh()
	case "auto_retry_start", "summarization_retry_scheduled":
		return decode(rec, func(e retryEvent) { m.retry(e, kind == "auto_retry_start", emit) })
	case "compaction_start", "compaction_end":
		return decode(rec, func(e compactionEvent) { m.compaction(e, kind == "compaction_end", emit) })
	case "extension_error":
		return decode(rec, func(e extensionError) {
			emit(stream.Notice(stream.NoticeWarning, "extension "+e.Path+": "+e.Error))
		})
	case "tool_execution_update":
		m.progress++
	default:
		if !telemetry(kind) {
			return providers.Unknown(kind, rec.Raw, emit)
		}
	}
	return nil
}

// telemetry lists the events that carry nothing for the user, or repeat what another one said.
func telemetry(kind string) bool {
	switch kind {
	case "turn_start", "auto_retry_end", "entry_appended", "queue_update", "session_info_changed",
		"thinking_level_changed", "summarization_retry_attempt_start", "summarization_retry_finished",
		"bash_execution_update":
		return true
	}
	return false
}

// header is the first event. pi prints it before it knows whether anything will run.
func (m *mapper) header(e sessionEvent, emit func(stream.Chunk)) {
	m.session = e.ID
	m.confirmed = !m.given.Ephemeral && m.request.Given("resume") && !m.given.Fork && e.ID == m.given.Resume
	m.progress++
	c := stream.Notice(stream.NoticeSession, "")
	c.Metadata.SessionID, c.Metadata.Cwd = e.ID, e.Cwd
	emit(c)
}

// Noise is told of lines that are not objects: pi's stdout has none that are harmless.
func (m *mapper) Noise([]byte) bool { return false }

// Facts returns what is known so far.
func (m *mapper) Facts() providers.Facts {
	f := m.facts
	f.Settled, f.Progress, f.Retrying = m.settled, m.progress, m.retrying
	if m.confirmed {
		f.SessionID = m.session
	}
	return f
}

// refresh makes the facts that change with a message, not with a record.
func (m *mapper) refresh() {
	m.facts.Model = m.model()
	all := m.past.plus(m.sum)
	m.facts.Usage, m.facts.CostUSD = all.usage(!m.settled), all.cost()
	if m.facts.CostUSD != nil {
		m.facts.CostScope = stream.ScopeRun
	}
	if all.turns > 0 {
		m.facts.NumTurns = new(all.turns)
	}
}

// nextTurn forgets what was of the turn before, in a live session.
func (m *mapper) nextTurn() {
	m.past, m.sum = m.past.plus(m.sum), sum{}
	m.settled, m.aborted, m.ended, m.legacy = false, false, false, false
	m.spoke, m.answered, m.worked = false, false, false
	m.last = message{Provider: m.last.Provider, Model: m.last.Model}
	m.retrying, m.warnings = "", nil
	clear(m.declined)
}

// model names the model as --model takes it.
func (m *mapper) model() string {
	if m.last.Provider == "" || m.last.Model == "" {
		return m.last.Model
	}
	return m.last.Provider + "/" + m.last.Model
}

func decode[T any](rec ndjson.Record, then func(T)) error {
	var e T
	if err := rec.Decode(&e); err != nil {
		return broken("event", err)
	}
	then(e)
	return nil
}

func broken(what string, err error) *providers.Error {
	return providers.Errorf(providers.Protocol, providers.ReasonMalformed, "pi's %s has not the known shape: %w", what, err)
}

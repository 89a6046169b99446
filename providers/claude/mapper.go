package claude

import (
	"bytes"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// mapper reads one run. The main conversation and every subagent are a lane.
type mapper struct {
	req     providers.Request
	schema  bool // a schema was asked for
	resumed bool // the vendor's running totals count earlier runs as well

	emit    func(stream.Chunk) // of the current record
	facts   providers.Facts
	lanes   map[string]*lane // by the id of the subagent's tool call, "" is the main one
	open    map[string]call  // tool calls without a result, by id
	denied  map[string]bool  // of these, the ones that were not allowed
	recent  ring
	pending int // background tasks
	agents  int // of these, subagents

	started bool   // an init was seen
	model   string // of the last init
	before  before // the turns of a live session that are over

	// Of the run, or in a live session of its turn:

	worked  bool   // the main conversation said or did something
	spoke   bool   // it said something since the last result
	ended   bool   // nothing of a turn came since the last result
	blocked string // why a hook refused the prompt

	failure  *failedRequest // the last one of the main conversation
	last     *resultLine
	totals   totals
	warnings []string
	denials  []stream.Denial

	takenBack []string // the messages of the last retraction
}

func newMapper(r providers.Request) *mapper {
	f, _ := r.Fields.(*request)
	if f == nil {
		f = &request{}
	}
	m := &mapper{
		req: r, schema: f.Schema != "", resumed: f.Resume != "" || f.Continue,
		lanes: map[string]*lane{}, open: map[string]call{}, denied: map[string]bool{},
	}
	m.facts.Unsaved = f.Ephemeral && (!m.resumed || f.Fork)
	return m
}

func (provider) NewMapper(r providers.Request) providers.Mapper { return newMapper(r) }

// Map maps one line of the CLI's stream.
func (m *mapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	m.emit = emit
	kind := typeOf(rec.Raw)
	var err error
	switch kind {
	case "assistant":
		err = m.assistant(rec)
	case "user":
		err = m.user(rec)
	case "stream_event":
		err = m.streamEvent(rec)
	case "system":
		return m.system(rec)
	case "result":
		err = m.result(rec)
	case "rate_limit_event":
		err = m.rateLimit(rec)
	case "conversation_reset":
		err = m.reset(rec)
	case "command_lifecycle", "control_request", "control_response", "control_cancel_request", "keep_alive",
		"tool_progress", "tool_use_summary", "auth_status", "prompt_suggestion", "active_goal", "transcript_mirror":
		// Telemetry.
	default:
		return providers.Unknown(kind, rec.Raw, emit)
	}
	if err != nil {
		// A known event in a shape that we do not know.
		return providers.Unknown(kind, rec.Raw, emit)
	}
	return nil
}

// typeOf returns a line's type. The CLI writes it first in its most frequent
// lines, and then they need not be decoded twice.
func typeOf(raw []byte) string {
	for _, kind := range []string{"stream_event", "assistant", "user"} {
		rest, ok := bytes.CutPrefix(raw, []byte(`{"type":"`+kind))
		if ok && bytes.HasPrefix(rest, []byte(`",`)) {
			return kind
		}
	}
	var h head
	if ndjson.Unmarshal(raw, &h) != nil {
		return ""
	}
	return h.Type
}

// Noise knows no harmless noise: 2.1.332 writes nothing but records to stdout.
func (m *mapper) Noise([]byte) bool { return false }

// Facts returns what is known so far.
func (m *mapper) Facts() providers.Facts {
	m.facts.Settled = m.last != nil && m.ended && m.pending == 0 && m.last.Queued == 0
	m.facts.Pending = m.pending > 0
	if m.totals.changed {
		m.totals.changed = false
		m.facts.Usage = m.sessionUsage()
	}
	return m.facts
}

// progress notes that the run went on. A turn's event also means that the last
// result was not the last word.
func (m *mapper) progress(turn bool) {
	m.facts.Progress++
	m.facts.Retrying = ""
	if turn {
		m.ended = false
	}
}

func (m *mapper) notice(word, content string, data any) {
	m.emit(notice(word, content, data))
}

// notice makes a system chunk; data are its facts, or nil.
func notice(word, content string, data any) stream.Chunk {
	c := stream.Notice(word, content)
	if data != nil {
		c.Metadata.Data = ndjson.Encode(data)
	}
	return c
}

func (m *mapper) warn(warning string) {
	const most = 100
	if len(m.warnings) < most {
		m.warnings = append(m.warnings, warning)
	}
}

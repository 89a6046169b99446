package codex

import (
	"agentrun/ndjson"
	"agentrun/providers"
)

// statusPanic is the exit status of a Rust program that panicked.
const statusPanic = 101

func (m *mapper) Verdict(e providers.Exit) providers.Verdict {
	m.readLog(e.Stderr)
	v := providers.Verdict{Err: m.ending(e)}
	if v.Err == nil && m.asked.schema {
		v.Metadata.StructuredOutput = ndjson.RawMessage(m.answer)
	}
	if v.Err == nil && m.texts == 0 {
		m.warn("codex ended its turn without a final message")
	}
	v.Metadata.SessionID = m.thread
	v.Metadata.Usage = m.usage
	v.Metadata.Denials = m.denials
	v.Metadata.Warnings = m.warnings
	return v
}

// ending is the failure of the run, nil on success. The turn's own record comes
// first, then what codex said without one, then how the process ended.
func (m *mapper) ending(e providers.Exit) *providers.Error {
	switch {
	case m.failed:
		return m.classified(m.failure)
	case m.completed:
		return m.afterCompleted(e)
	case m.cause != "":
		return m.classified(m.cause)
	}
	if !m.turn && e.Code > 0 {
		if err := startup(e); err != nil {
			return err
		}
	}
	return m.noRecord(e)
}

// afterCompleted judges a run whose turn was completed: exit 0 belongs to it,
// and so does an answer.
func (m *mapper) afterCompleted(e providers.Exit) *providers.Error {
	switch {
	case e.Signal != "" || e.Code != 0:
		return nil // the host holds a success to it
	case m.texts == 0 && m.tools == 0:
		return providers.Errorf(providers.Agent, providers.ReasonEmpty, "codex completed its turn without a message or a tool call").
			WithHint("so it looks when the model refuses, or answers nothing; put the request another way")
	case m.asked.schema && !ndjson.Valid([]byte(m.answer)):
		return providers.Errorf(providers.StructuredOutput, providers.ReasonNoValue, "the answer is not JSON, although a schema was given").
			WithHint("codex does not check the model's answer: try again, or with a model that keeps to schemas")
	}
	return nil
}

// noRecord judges a process that ended with neither turn.completed nor turn.failed.
func (m *mapper) noRecord(e providers.Exit) *providers.Error {
	switch {
	case e.Signal != "":
		return died(e)
	case e.Code == statusPanic:
		return providers.Errorf(providers.Process, providers.ReasonCrash, "codex crashed%s", panicked(e.Stderr))
	case m.retrying != "":
		return m.classified(m.retrying)
	case e.Code != 0:
		return providers.Errorf(providers.Process, providers.ReasonCrash, "codex ended with status %d before its turn ended", e.Code)
	case m.thread != "" && !m.turn:
		return providers.Errorf(providers.Session, providers.ReasonNoWork, "codex opened the thread and did nothing")
	}
	return providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "codex ended without turn.completed or turn.failed")
}

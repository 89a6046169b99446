package scripted

import (
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// mapper hands a script's chunks on and keeps how the script ends.
type mapper struct {
	facts   providers.Facts
	verdict providers.Verdict
}

// Map takes one line. The first line of a recorded stream is the host's own: a
// script that is a recording of another run has it, and this run has another.
func (m *mapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	l, err := parse(rec.Raw)
	if err != nil {
		return err
	}
	if l.Delay != nil {
		return nil
	}
	m.facts.Progress++
	if l.Metadata != nil && l.Metadata.Model != "" {
		m.facts.Model = l.Metadata.Model
	}
	switch {
	case l.Fail != nil:
		m.end(l.Fail.err(), stream.Chunk{})
	case l.Type == stream.Result:
		m.end(nil, l.Chunk)
	case l.Type == stream.Error:
		m.end(errorOf(l.Chunk), l.Chunk)
	case l.Type == stream.System && l.Metadata != nil && l.Metadata.Notice == stream.NoticeRunStart:
	case l.Type == stream.System || l.Type == stream.Thinking || l.Type == stream.Text || l.Type == stream.ToolUse || l.Type == stream.ToolResult:
		emit(l.Chunk)
	default:
		return providers.Unknown(string(l.Type), rec.Raw, emit)
	}
	return nil
}

// end keeps the end. A provider that reports no usage passes none on, also not
// that of the run whose recording it plays.
func (m *mapper) end(err *providers.Error, c stream.Chunk) {
	m.facts.Settled = true
	m.verdict = providers.Verdict{Err: err}
	if err == nil {
		m.verdict.Content = c.Content
	}
	if c.Metadata != nil {
		m.verdict.Metadata = *c.Metadata
		m.verdict.Metadata.Usage = nil
		m.verdict.Metadata.TotalCostUSD, m.verdict.Metadata.CostScope = nil, ""
	}
}

func (f *failure) err() *providers.Error {
	message := f.Message
	if message == "" {
		message = "the script failed with class " + f.Class
	}
	return &providers.Error{
		Class: providers.Class(f.Class), Reason: f.Reason, Message: message, Hint: f.Hint,
		Origin: providers.OriginProvider, Retryable: f.Retryable, RetryAfter: seconds(f.RetryAfter),
	}
}

// errorOf is the failure that an error chunk tells of.
func errorOf(c stream.Chunk) *providers.Error {
	meta := c.Metadata
	if meta == nil {
		meta = &stream.Metadata{Class: string(providers.Agent)}
	}
	err := &providers.Error{
		Class: providers.Class(meta.Class), Reason: meta.Reason, Message: c.Content, Hint: meta.Hint,
		Origin: meta.Origin, ResetsAt: meta.ResetsAt, Retryable: meta.Retryable != nil && *meta.Retryable,
	}
	if meta.RetryAfter != nil {
		err.RetryAfter = seconds(*meta.RetryAfter)
	}
	return err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Noise knows no chatter.
func (*mapper) Noise([]byte) bool { return false }

// Facts returns what is known so far.
func (m *mapper) Facts() providers.Facts { return m.facts }

// Verdict is the script's own end; a script that just ends is a success.
func (m *mapper) Verdict(providers.Exit) providers.Verdict { return m.verdict }

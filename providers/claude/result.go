package claude

import (
	"fmt"

	"agentrun/ndjson"
	"agentrun/stream"
)

// failedRequest is a model request that failed for good, as a synthetic
// assistant line tells it. The result repeats only a part of it.
type failedRequest struct {
	apiError
	stopReason string
	text       string
}

// apiFailure keeps a failure of the main conversation for the verdict; its
// words are no answer. One of a subagent is told at once: no result repeats it.
func (m *mapper) apiFailure(line *assistantLine) {
	f := &failedRequest{apiError: line.apiError, stopReason: line.Message.StopReason}
	for _, b := range line.Message.Content {
		f.text += b.Text
	}
	if line.Parent != "" {
		c := notice(stream.NoticeWarning, "subagent: "+f.text, nil)
		c.Metadata.ParentToolID, c.Metadata.AgentType = line.Parent, line.SubagentType
		m.emit(c)
		return
	}
	m.failure = f
}

// result takes the record of a turn. A run may have several, and the last counts.
func (m *mapper) result(rec ndjson.Record) error {
	r := &resultLine{}
	if err := rec.Decode(r); err != nil {
		return err
	}
	m.progress(false)
	m.order(r)
	m.spoke = m.spoke && r.LocalCommand == ""
	if m.last != nil && !m.spoke && r.Result == "" {
		// A turn without an answer of its own leaves the one before it.
		r.Result = m.last.Result
	}
	m.last = r
	m.ended = true
	if m.facts.SessionID == "" && !r.IsError {
		m.facts.SessionID = r.SessionID
	}
	m.countResult(r)
	for _, d := range r.Denials {
		m.deny(stream.Denial{ToolName: d.ToolName, ToolID: d.ToolUseID, Input: d.ToolInput})
	}
	if m.pending > 0 {
		m.notice(stream.NoticeTask, fmt.Sprintf("the turn ended; background tasks that go on: %d", m.pending), nil)
	}
	return nil
}

// order tells what the last result alone would hide: results lost on the way,
// and an earlier turn that failed.
func (m *mapper) order(r *resultLine) {
	if m.last == nil {
		return
	}
	if m.last.failed() {
		m.notice(stream.NoticeWarning, "an earlier turn failed: "+m.last.words(), nil)
	}
	if r.Index != nil && m.last.Index != nil && *r.Index > *m.last.Index+1 {
		m.notice(stream.NoticeWarning, fmt.Sprintf("the results %d to %d never came", *m.last.Index+1, *r.Index-1), nil)
	}
}

// failed looks at all the flags: a failed model request comes as subtype success.
func (r *resultLine) failed() bool {
	return r.IsError || r.Subtype != "success" || r.StartupFailure != ""
}

// words is what a failed result says.
func (r *resultLine) words() string {
	for _, e := range r.Errors {
		if e != "" {
			return e
		}
	}
	if r.Result != "" {
		return r.Result
	}
	return "the vendor reports " + r.Subtype
}

package pi

import (
	"fmt"

	"agentrun/ndjson"
	"agentrun/stream"
)

// retry tells that pi will ask again, and takes back what the failed attempt said.
func (m *mapper) retry(e retryEvent, turn bool, emit func(stream.Chunk)) {
	m.retrying = e.ErrorMessage
	c := stream.Notice(stream.NoticeRetry, fmt.Sprintf("attempt %d of %d in %d ms: %s", e.Attempt, e.MaxAttempts, e.DelayMS, e.ErrorMessage))
	c.Metadata.Data = ndjson.Encode(e)
	emit(c)
	if turn {
		m.retract(emit)
	}
}

// retract takes back the words of the last message, which is streamed again.
func (m *mapper) retract(emit func(stream.Chunk)) {
	if !m.spoke {
		return
	}
	m.spoke = false
	c := stream.Notice(stream.NoticeRetracted, "the attempt failed: what the last message said is void")
	if m.last.ResponseID != "" {
		c.Metadata.Supersedes = []string{m.last.ResponseID}
	}
	emit(c)
}

// compaction tells of a shortened history, and of one that could not be shortened.
func (m *mapper) compaction(e compactionEvent, end bool, emit func(stream.Chunk)) {
	if !end {
		emit(stream.Notice(stream.NoticeCompaction, "shortening the history: "+e.Reason))
		return
	}
	m.progress++
	text := "the history was not shortened"
	data := compactionFacts{Reason: e.Reason, Aborted: e.Aborted, Error: e.ErrorMessage}
	switch {
	case e.Result != nil:
		data.Before, data.After = e.Result.TokensBefore, e.Result.TokensAfter
		text = fmt.Sprintf("the history was shortened from %d to about %d tokens", data.Before, data.After)
		m.count(e.Result.Usage)
	case e.ErrorMessage != "":
		text += ": " + e.ErrorMessage
		m.warn(text)
	}
	c := stream.Notice(stream.NoticeCompaction, text)
	c.Metadata.Data = ndjson.Encode(data)
	emit(c)
	if e.WillRetry {
		m.retract(emit)
	}
}

// warn keeps a warning for the verdict, the first few of them.
func (m *mapper) warn(text string) {
	const most = 10
	if len(m.warnings) < most {
		m.warnings = append(m.warnings, text)
	}
}

type compactionFacts struct {
	Reason  string `json:"reason,omitempty"`
	Before  int64  `json:"tokens_before,omitempty"`
	After   int64  `json:"tokens_after,omitempty"`
	Aborted bool   `json:"aborted,omitempty"`
	Error   string `json:"error,omitempty"`
}

// contextNotice maps a message that an extension or pi itself put into the context.
func contextNotice(msg message) stream.Chunk {
	text, _ := plainText(msg.Content)
	kind := msg.Role
	if msg.CustomType != "" {
		kind = msg.CustomType
	}
	if text == "" {
		text = msg.Summary
	}
	return stream.Notice(stream.NoticeInfo, kind+": "+text)
}

package codex

import (
	"slices"
	"strconv"
	"strings"

	"agentrun/ndjson"
	"agentrun/stream"
)

// noticeTurn is codex's own word: the turn has begun, the model is asked.
const noticeTurn = "turn_started"

// mostKept bounds the warnings and denials kept for the verdict.
const mostKept = 50

// topError takes a top-level error. It is a retry notice, or the cause that
// turn.failed will repeat: never the end by itself.
func (m *mapper) topError(message string, emit func(stream.Chunk)) {
	data, ok := readRetry(message)
	if !ok {
		m.lateCause(message, emit)
		m.cause = message
		return
	}
	m.retry(message, data, emit)
}

// retry tells that codex will ask the model again.
func (m *mapper) retry(message string, data attempt, emit func(stream.Chunk)) {
	m.retrying = data.Cause
	m.repeats.again()
	c := stream.Notice(stream.NoticeRetry, message)
	c.Metadata.Data = ndjson.Encode(data)
	emit(c)
}

// attempt is what a retry notice says.
type attempt struct {
	Attempt int    `json:"attempt,omitempty"`
	Most    int    `json:"max_attempts,omitempty"`
	Cause   string `json:"cause,omitempty"`
}

// readRetry reads "Reconnecting... 2/5 (cause)" and "Reconnecting... waiting for network (cause)".
func readRetry(message string) (attempt, bool) {
	rest, ok := strings.CutPrefix(message, "Reconnecting...")
	if !ok {
		return attempt{}, false
	}
	count, cause, _ := strings.Cut(strings.TrimSpace(rest), " (")
	n, most, _ := strings.Cut(count, "/")
	a := attempt{Cause: strings.TrimSuffix(cause, ")")}
	a.Attempt, _ = strconv.Atoi(n)
	a.Most, _ = strconv.Atoi(most)
	if a.Cause == "" {
		a.Cause = count
	}
	return a, true
}

// warning tells an item of kind error, which is never fatal. codex prints some twice.
func (m *mapper) warning(message string, emit func(stream.Chunk)) {
	if message == m.lastWarning {
		return
	}
	m.lastWarning = message
	word := stream.NoticeWarning
	for _, about := range []string{"Model metadata for ", "This session was recorded with model ", "rerouted"} {
		if strings.Contains(message, about) {
			word = stream.NoticeModel
		}
	}
	emit(stream.Notice(word, message))
}

func (m *mapper) deny(d stream.Denial) {
	if len(m.denials) < mostKept {
		m.denials = append(m.denials, d)
	}
}

func (m *mapper) warn(text string) {
	if len(m.warnings) < mostKept {
		m.warnings = append(m.warnings, text)
	}
}

func (m *mapper) warnOnce(text string) {
	if !slices.Contains(m.warnings, text) {
		m.warn(text)
	}
}

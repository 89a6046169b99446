package codex

import (
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
)

// classified turns the words of turn.failed or of the last error into a class.
func (m *mapper) classified(message string) *providers.Error {
	message, code := unwrap(message)
	err := providers.Classify(turnRules(), message+" "+code)
	if err == nil {
		err = &providers.Error{Class: providers.Agent, Origin: providers.OriginProvider}
		if code != "" {
			err.Reason = providers.ReasonRequest
		}
	}
	err.Message = message
	if message == "" {
		err.Message = "codex says that the turn failed, and not why"
	}
	if wait, ok := retryAfter(message); ok {
		err.RetryAfter = wait
	}
	if err.Reason == providers.ReasonPlanLimit {
		err.ResetsAt = resetsAt(message)
	}
	if m.failed && m.asked.bounded && strings.HasPrefix(message, "Connection failed") {
		err.Hint = "codex's retries are used up (the fence " + fenceReconnects + " bounds them: without it codex would go on for ever)"
	}
	return err
}

// refusal classifies what the app server did not do.
func refusal(e *jsonrpc.Error) *providers.Error {
	err := providers.Classify(append(startupRules(), turnRules()...), e.Message)
	if err == nil {
		err = &providers.Error{Class: providers.Agent, Reason: providers.ReasonRequest, Origin: providers.OriginProvider}
	}
	err.Message = e.Message
	return err
}

// unwrap takes the message and code out of an API's error body, which codex
// passes on as it came for a status 400.
func unwrap(message string) (text, code string) {
	if !strings.HasPrefix(message, "{") {
		return message, ""
	}
	var body struct {
		Error struct {
			Message string `json:"message"`
			Type    string `json:"type"`
			Code    any    `json:"code"`
		} `json:"error"`
		Detail string `json:"detail"`
	}
	if ndjson.Unmarshal([]byte(message), &body) != nil {
		return message, ""
	}
	if body.Error.Message == "" {
		if body.Detail == "" {
			return message, "400"
		}
		return body.Detail, "400"
	}
	code, _ = body.Error.Code.(string)
	return body.Error.Message, strings.TrimSpace(body.Error.Type + " " + code)
}

// retryAfter reads "try again in 0.5s" and its like.
func retryAfter(message string) (time.Duration, bool) {
	_, rest, ok := strings.Cut(strings.ToLower(message), "try again in ")
	if !ok {
		return 0, false
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0, false
	}
	if d, err := time.ParseDuration(strings.TrimRight(words[0], ".,)")); err == nil && d > 0 {
		return d, true
	}
	if len(words) < 2 {
		return 0, false
	}
	d, err := time.ParseDuration(words[0] + unit(words[1]))
	return d, err == nil && d > 0
}

// unit returns the short form of a word like "seconds.".
func unit(word string) string {
	for _, long := range []string{"second", "minute", "hour"} {
		if strings.HasPrefix(word, long) {
			return long[:1]
		}
	}
	return word
}

// resetsAt returns what follows "try again at": a local time without a zone, so
// the words are kept.
func resetsAt(message string) string {
	_, rest, _ := strings.Cut(message, "try again at ")
	rest, _, _ = strings.Cut(rest, "\n")
	return strings.TrimRight(strings.TrimSpace(rest), ".")
}

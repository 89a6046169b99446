package codex

import (
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
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

// turnRules classify what codex 0.171.0 says in turn.failed, in the order of the docs.
func turnRules() []providers.Rule {
	const login = "run codex login, or set CODEX_API_KEY"
	return []providers.Rule{
		{
			Words: []string{"access token could not be refreshed", "sign in again", "signing in again", "missing bearer or basic authentication"},
			Class: providers.Auth, Reason: providers.ReasonNotLoggedIn, Hint: login,
		},
		{
			Words: []string{"missing environment variable: `"},
			Class: providers.Auth, Reason: providers.ReasonNotLoggedIn, Hint: "set the variable: the model provider in codex's config names it as its key",
		},
		{
			Words: []string{"401 unauthorized", "incorrect api key", "invalid api key", "invalid_api_key"},
			Class: providers.Auth, Reason: providers.ReasonBadKey, Hint: login,
		},
		{Words: []string{"403 forbidden"}, Class: providers.Auth, Reason: providers.ReasonForbidden},

		{
			Words: []string{"hit your usage limit", "usage limit has been reached", "usage_limit_reached"},
			Class: providers.Quota, Reason: providers.ReasonPlanLimit, Retryable: true,
		},
		{
			Words: []string{"quota exceeded", "insufficient_quota", "exceeded your current quota", "out of credits"},
			Class: providers.Quota, Reason: providers.ReasonCredit, Hint: "check the plan and billing of the account",
		},
		{
			Words: []string{"rate limit", "rate_limit", "last status: 429", "429 too many requests"},
			Class: providers.Quota, Reason: providers.ReasonRateLimit, Retryable: true,
		},

		{
			Words: []string{"context window", "context_length_exceeded", "maximum context length"},
			Class: providers.Context, Hint: "start a new thread, or shorten the prompt",
		},
		{Words: []string{"reason: max_output_tokens"}, Class: providers.Limit, Reason: providers.ReasonTruncated},
		{
			Words: []string{"reason: content_filter", "invalid prompt:", "invalid_prompt", "usage policy", "flagged for possible", "cyber_policy"},
			Class: providers.Refusal,
		},
		{
			Words: []string{"invalid schema for response_format", "invalid_json_schema"},
			Class: providers.Usage, Reason: "schema",
			Hint: "the API is strict: each object of the schema needs additionalProperties false and all its properties in required",
		},
		{
			Words: []string{"model&does not exist", "model&not supported", "model_not_found"},
			Class: providers.Usage, Reason: providers.ReasonModel, Hint: "codex debug models lists the names",
		},

		{
			Words: []string{"at capacity", "server_is_overloaded", "overloaded"},
			Class: providers.Unavailable, Reason: providers.ReasonOverloaded, Retryable: true,
		},
		{
			Words: []string{"experiencing high demand", "unexpected status 5", "last status: 5", "an error occurred while processing", "server_error", "internal server error"},
			Class: providers.Unavailable, Reason: providers.ReasonServer, Retryable: true,
		},
		{
			Words: []string{"stream disconnected before completion", "stream closed before", "connection failed", "error sending request", "waiting for network", "idle timeout"},
			Class: providers.Unavailable, Reason: providers.ReasonNetwork, Retryable: true,
		},
		{Words: []string{"unexpected status 4"}, Class: providers.Agent, Reason: providers.ReasonRequest},
	}
}

// startupRules classify what codex 0.171.0 says on stderr when it ends before a turn.
func startupRules() []providers.Rule {
	return []providers.Rule{
		{
			Words: []string{"not inside a trusted directory"}, Class: providers.Permission, Reason: providers.ReasonUntrusted,
			Hint: "run it in a git repository, or add --set skip_git_repo_check=true",
		},
		{
			Words: []string{"no rollout found for thread id"}, Class: providers.Session, Reason: providers.ReasonNotFound,
			Hint: "codex keeps its threads below CODEX_HOME, and none of an ephemeral run",
		},
		{
			Words: []string{"already has an active writer"}, Class: providers.Session, Reason: providers.ReasonBusy, Retryable: true,
			Hint: "another codex works on this thread: wait for it, or add --fork",
		},
		{Words: []string{"input exceeds the maximum length"}, Class: providers.Context, Reason: reasonPromptTooLong},
		{Words: []string{"no prompt provided via stdin"}, Class: providers.Usage, Reason: reasonEmptyPrompt},
		{Words: []string{"input is not valid utf-8"}, Class: providers.Usage},
		{
			Words: []string{"unexpected argument", "invalid value&for '-", "cannot be used with", "unrecognized subcommand", "unknown feature flag"},
			Class: providers.Unsupported, Reason: providers.ReasonVendorArgs,
			Hint: "this codex does not take what agentrun or --vendor-arg gave it: see codex --version",
		},
		{Words: []string{
			"required mcp servers failed", "error loading config", "error parsing -c", "error finding codex home", "codex_home points to",
			"model provider `", "output schema file", "no such file or directory", "error loading configuration",
		}, Class: providers.Usage, Reason: providers.ReasonConfig},
	}
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

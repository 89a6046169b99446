package pi

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"agentrun/providers"
)

// rules classify pi's errorMessage and stderr. "http NNN" stands for the
// status that the words begin with.
func rules() []providers.Rule {
	const (
		login = "run pi and /login, or set the model provider's key variable"
		auth  = providers.Auth
		gone  = providers.Unavailable
	)
	return []providers.Rule{
		{Words: []string{"no api key found", "authentication failed for", "no models available"}, Class: auth, Reason: providers.ReasonNotLoggedIn, Hint: login},
		{Words: []string{"http 401", "authentication_error", "invalid&api key", "invalid&api-key", "invalid&api_key"}, Class: auth, Reason: providers.ReasonBadKey, Hint: login},
		{Words: []string{"http 403", "permission_error"}, Class: auth, Reason: providers.ReasonForbidden},
		{Words: []string{"usage limit", "usage_limit", "usage-limit"}, Class: providers.Quota, Reason: providers.ReasonPlanLimit, Retryable: true},
		{Words: []string{
			"insufficient_quota", "quota exceeded", "exceeded your current quota", "billing", "credit balance", "out of budget", "available balance",
		}, Class: providers.Quota, Reason: providers.ReasonCredit},
		{Words: []string{
			"prompt is too long", "prompt too long", "http 413", "request_too_large", "exceeds the context window", "exceeds the available context",
			"context length exceeded", "context_length_exceeded", "maximum context length", "input token count&exceeds", "context overflow recovery failed",
		}, Class: providers.Context, Hint: "shorten the prompt, or begin a new session"},
		{Words: []string{"http 429", "rate limit", "rate_limit", "rate-limit", "ratelimit", "too many requests"}, Class: providers.Quota, Reason: providers.ReasonRateLimit, Retryable: true},
		{Words: []string{"the model refused", "content_filter"}, Class: providers.Refusal},
		{Words: []string{"timed out", "timeout error"}, Class: gone, Reason: providers.ReasonNetwork, Retryable: true},
		{Words: []string{"could not parse&sse event"}, Class: providers.Protocol, Reason: "model_stream", Retryable: true},
		{Words: []string{"overloaded", "http 529"}, Class: gone, Reason: providers.ReasonOverloaded, Retryable: true},
		{Words: []string{
			"econnrefused", "enotfound", "eai_again", "econnreset", "connection error", "terminated", "fetch failed", "stream ended before", "und_err_",
		}, Class: gone, Reason: providers.ReasonNetwork, Retryable: true},
		{Words: []string{"http 5", "api_error"}, Class: gone, Reason: providers.ReasonServer, Retryable: true},
		{Words: []string{"http 404", "not_found_error"}, Class: providers.Usage, Reason: providers.ReasonModel, Hint: "pi --list-models lists the models"},
		{Words: []string{"http 400", "invalid_request_error"}, Class: providers.Agent, Reason: providers.ReasonRequest},
	}
}

// startRules classify what pi says on stderr before anything runs.
func startRules() []providers.Rule {
	return []providers.Rule{
		{Words: []string{"no session found matching"}, Class: providers.Session, Reason: providers.ReasonNotFound, Hint: "sessions belong to the directory where they began: use --cwd, or --fork"},
		{Words: []string{"session found in different project"}, Class: providers.Session, Reason: providers.ReasonMismatch, Hint: "run in that directory (--cwd), or add --fork for a copy of the session in this one"},
		{Words: []string{"stored session working directory"}, Class: providers.Session, Reason: providers.ReasonMismatch, Hint: "add --fork for a copy of the session in this directory"},
		{Words: []string{"not a valid pi session"}, Class: providers.Session, Reason: providers.ReasonInvalid},
		{Words: []string{"session already exists"}, Class: providers.Session, Reason: providers.ReasonBusy, Hint: "choose another session_id"},
		{Words: []string{"model&not found. use --list-models", "model \"&not found"}, Class: providers.Usage, Reason: providers.ReasonModel, Hint: "pi --list-models lists the models; those of a provider without a key are not known"},
		{Words: []string{"failed to load extension"}, Class: providers.Usage, Reason: providers.ReasonConfig, Hint: "--set no_extensions=true leaves the user's extensions out"},
		{Words: []string{"unknown option", "cannot be combined", "cannot be mixed", "invalid mode", "requires", "session id must be"}, Class: providers.Unsupported, Reason: providers.ReasonVendorArgs, Hint: "this pi does not take the arguments: update it, or leave the field out"},
		{Words: []string{"file not found:"}, Class: providers.Usage, Reason: "file_not_found"},
		{Words: []string{"enablecompilecache", "unsupported engine"}, Class: providers.Process, Reason: providers.ReasonCrash, Hint: "pi needs Node 22.19 or newer"},
		{Words: []string{"env: &node&no such file", "node: command not found", "node: not found"}, Class: providers.NotFound, Hint: "pi needs Node 22.19 or newer in PATH"},
	}
}

// classifyModel turns the last message's error into a class.
func classifyModel(msg message) *providers.Error {
	text := msg.ErrorMessage
	if text == "" {
		text = "the model's request failed"
	}
	words := text
	if code := httpStatus(text); code != "" {
		words = "http " + code + " " + text
	}
	if msg.RawStopReason == "refusal" || msg.RawStopReason == "content_filter" {
		words = "content_filter"
	}
	err := providers.Classify(rules(), words)
	if err == nil {
		return &providers.Error{Class: providers.Agent, Message: text, Origin: providers.OriginProvider}
	}
	err.Message = text
	err.RetryAfter = retryAfter(text)
	return err
}

// httpStatus reads the status that pi puts before a server's words: `401 {…}`,
// `401: {…}` or `PROVIDER API error (401): {…}`, by the API spoken.
func httpStatus(text string) string {
	m := regexp.MustCompile(`^([1-5]\d\d)[ :]|API error \((\d\d\d)\)`).FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// retryAfter reads the wait that pi computes from the plan's reset (openai-codex, 1.6.0).
func retryAfter(text string) time.Duration {
	m := regexp.MustCompile(`(?i)try again in ~(\d{1,6}) min`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Minute
}

// classifyStderr finds the line that says why pi did not run, or nil. The warnings have been taken out.
func classifyStderr(x providers.Exit) *providers.Error {
	if stack(x.Stderr) && x.Code != 0 {
		if err := providers.Classify(startRules(), x.Stderr); err != nil && err.Class == providers.Process {
			err.Message = crashLine(x.Stderr)
			return err
		}
		return providers.Errorf(providers.Process, providers.ReasonCrash, "pi crashed: %s", crashLine(x.Stderr))
	}
	tables := [][]providers.Rule{startRules()}
	if x.Code != 0 {
		tables = append(tables, rules())
	}
	for _, rules := range tables {
		for line := range strings.Lines(x.Stderr) {
			if err := providers.Classify(rules, strings.TrimSpace(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stack reports whether Node printed one.
func stack(stderr string) bool {
	return strings.Contains(stderr, "\n    at ") || strings.Contains(stderr, "\nNode.js v")
}

func crashLine(stderr string) string {
	for line := range strings.Lines(stderr) {
		if head, _, ok := strings.Cut(line, ": "); ok && strings.HasSuffix(head, "Error") && !strings.Contains(head, " ") {
			return strings.TrimSpace(line)
		}
	}
	return providers.LastLine(stderr)
}

// warnings splits what pi only warned of from the rest of stderr.
func warnings(stderr string) (list []string, rest string) {
	const most = 10
	var sb strings.Builder
	for line := range strings.Lines(stderr) {
		text := strings.TrimSpace(line)
		if !strings.HasPrefix(text, "Warning: ") && !strings.HasPrefix(text, "Extension error (") {
			sb.WriteString(line)
			continue
		}
		if len(list) < most {
			list = append(list, strings.TrimPrefix(text, "Warning: "))
		}
	}
	return list, sb.String()
}

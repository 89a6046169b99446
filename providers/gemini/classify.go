package gemini

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
)

// keyHint is the way out where the CLI has no key.
const keyHint = "set GEMINI_API_KEY, or log in with `gemini` once"

// rules turns the words of error events, results and stderr into classes.
func rules() []providers.Rule { return slices.Concat(startRules(), runRules(), apiRules()) }

// startRules are about what the CLI says on stderr when it does not begin.
func startRules() []providers.Rule {
	return []providers.Rule{
		{
			Words: []string{"must specify the gemini_api_key", "set an auth method", "invalid auth method selected", "gemini_api_key&not found"},
			Class: providers.Auth, Reason: providers.ReasonNotLoggedIn, Hint: keyHint,
		},
		{
			Words: []string{"not running in a trusted directory"}, Class: providers.Permission, Reason: providers.ReasonUntrusted,
			Hint: "give --set trust=true if you trust what is in this directory",
		},
		{
			Words: []string{"no input provided via stdin"}, Class: providers.Process, Reason: "stdin_lost", Retryable: true,
			Hint: "gemini waits half a second for its prompt; the machine may be too busy",
		},
		{
			Words: []string{"error resuming session", "error importing session"}, Class: providers.Session, Reason: providers.ReasonNotFound,
			Hint: "sessions belong to the exact directory they began in; one whose only turn failed is not kept",
		},
		{
			Words: []string{"no previous sessions found", "invalid session identifier"}, Class: providers.Session, Reason: providers.ReasonNotFound,
			Hint: "sessions belong to the exact directory they began in; one that a live session carries on must be older than a minute",
		},
		{Words: []string{"error starting session"}, Class: providers.Session, Reason: "exists", Hint: "carry it on with --resume, or give another id"},
		{
			Words: []string{"unknown argument", "not enough arguments following", "invalid values:", "cannot use both", "mutually exclusive", "flag is only available"},
			Class: providers.Unsupported, Reason: providers.ReasonVendorArgs, Hint: "the CLI may be older or newer than this adapter; --vendor-arg is passed on as it is",
		},
		{
			Words: []string{"fatalsandboxerror", "sandbox image", "failed to start sandbox"}, Class: providers.Permission, Reason: providers.ReasonSandbox,
			Hint: "gemini's sandbox needs docker or podman and its image",
		},
		{
			Words: []string{"yolo mode is disabled", "disableyolomode"}, Class: providers.Permission, Reason: providers.ReasonDenied,
			Hint: "the settings of this machine forbid full access",
		},
		{
			Words: []string{"missing system prompt file", "directory does not exist", "please fix the configuration file", "settings.json:"},
			Class: providers.Usage, Reason: providers.ReasonConfig,
		},
		{
			Words: []string{"heap out of memory"}, Class: providers.Process, Reason: providers.ReasonCrash,
			Hint: "give the CLI more memory with --env NODE_OPTIONS=--max-old-space-size=8192",
		},
	}
}

// runRules are about what the CLI says of the run.
func runRules() []providers.Rule {
	return []providers.Rule{
		{Words: []string{"loop detected"}, Class: providers.Limit, Reason: "loop", Hint: "gemini stopped the agent by itself"},
		{
			Words: []string{"agent execution blocked", "agent execution stopped"}, Class: providers.Permission, Reason: "hook",
			Hint: "a hook of the user's or the project's settings stopped the agent",
		},
		{
			Words: []string{"max session turns", "maximum session turns"}, Class: providers.Limit, Reason: providers.ReasonMaxTurns,
			Hint: "resume the session, or give more turns",
		},
		{Words: []string{"truncated because it exceeded the token limit"}, Class: providers.Limit, Reason: providers.ReasonTruncated},
		{Words: []string{"blocked due to safety", "blocked due to recitation", "response was blocked", "blocked by"}, Class: providers.Refusal},
		{Words: []string{"empty response with no text", "no final response text"}, Class: providers.Agent, Reason: providers.ReasonEmpty, Retryable: true},
		{
			Words: []string{"malformed function call", "without a finish reason", "in json at position", "unexpected end of json"},
			Class: providers.Protocol, Reason: "model_stream", Retryable: true,
		},
	}
}

// apiRules are about what the model API says, in words.
func apiRules() []providers.Rule {
	return []providers.Rule{
		{
			Words: []string{"token count&exceeds", "input is too long", "context window&exceed"}, Class: providers.Context,
			Hint: "shorten the prompt, or begin a new session",
		},
		{Words: []string{"daily quota", "exhausted your capacity", "quota will reset", "terminalquotaerror", "perday"}, Class: providers.Quota, Reason: providers.ReasonPlanLimit, Retryable: true},
		{
			Words: []string{"exceeded your current quota", "resource_exhausted", "rate limit", "quota exceeded", "too many requests", "slow down"},
			Class: providers.Quota, Reason: providers.ReasonRateLimit, Retryable: true,
		},
		{Words: []string{"api key not valid", "api_key_invalid"}, Class: providers.Auth, Reason: providers.ReasonBadKey, Hint: keyHint},
		{Words: []string{"invalid authentication credentials", "unauthenticated", "fatalauthenticationerror"}, Class: providers.Auth, Reason: providers.ReasonNotLoggedIn, Hint: keyHint},
		{Words: []string{"permission_denied", "permission denied on resource"}, Class: providers.Auth, Reason: providers.ReasonForbidden},
		{Words: []string{"is not found for api version", "modelnotfounderror"}, Class: providers.Usage, Reason: providers.ReasonModel},
		{Words: []string{"overloaded"}, Class: providers.Unavailable, Reason: providers.ReasonOverloaded, Retryable: true},
		{
			Words: []string{"fetch failed", "api error: terminated", "econnrefused", "econnreset", "enotfound", "etimedout", "socket hang up", "other side closed"},
			Class: providers.Unavailable, Reason: providers.ReasonNetwork, Retryable: true,
		},
		{Words: []string{"internal error has occurred"}, Class: providers.Unavailable, Reason: providers.ReasonServer, Retryable: true},
	}
}

// classify makes an error of the vendor's words, which are its message.
func classify(words string) *providers.Error {
	message := unwrapped(words)
	err := providers.Classify(rules(), words)
	if err == nil {
		err = &providers.Error{Class: providers.Agent, Origin: providers.OriginProvider}
	}
	err.Message = message
	addReset(err, words)
	return err
}

// resultError reads the error of a result record: the model API's own code
// first, then the words, then the exit status.
func resultError(e *vendorError, exit providers.Exit) *providers.Error {
	if api, ok := parseAPI(e.Message); ok {
		return api.error()
	}
	err := classify(e.Type + ": " + e.Message)
	if err.Class == providers.Agent {
		if known := statusError(exit.Code); known != nil {
			err = known
		}
	}
	err.Message = unwrapped(e.Message)
	return err
}

// unwrapped is a message without the CLI's words around it.
func unwrapped(words string) string {
	s, ok := strings.CutPrefix(strings.TrimSpace(words), "[API Error: ")
	if !ok {
		return s
	}
	head, tail, found := strings.Cut(s, "]\n")
	if !found {
		return strings.TrimSuffix(s, "]")
	}
	return head + "\n" + tail
}

// addReset finds when the limit ends, which the vendor tells in words.
func addReset(err *providers.Error, words string) {
	if err.Class != providers.Quota {
		return
	}
	m := regexp.MustCompile(`(?i)(retry in|retry after|reset after) ((?:[0-9.]+[dhms])+)`).FindStringSubmatch(words)
	if m == nil {
		return
	}
	if d, e := time.ParseDuration(strings.TrimSuffix(m[2], ".")); e == nil {
		err.RetryAfter = d
	}
	if strings.EqualFold(m[1], "reset after") {
		err.ResetsAt = m[2]
	}
}

// apiError is the Google API's error object, which the CLI puts into a message.
type apiError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []struct {
		Reason     string `json:"reason"`
		RetryDelay string `json:"retryDelay"`
		Violations []struct {
			QuotaID string `json:"quotaId"`
		} `json:"violations"`
	} `json:"details"`
}

func parseAPI(message string) (apiError, bool) {
	begin, end := strings.IndexByte(message, '{'), strings.LastIndexByte(message, '}')
	if begin < 0 || end < begin {
		return apiError{}, false
	}
	var v struct {
		Error *apiError `json:"error"`
	}
	if ndjson.Unmarshal([]byte(message[begin:end+1]), &v) != nil || v.Error == nil || v.Error.Code == 0 {
		return apiError{}, false
	}
	return *v.Error, true
}

func (a apiError) error() *providers.Error {
	said := []string{a.Status + ": " + a.Message}
	var delay time.Duration
	for _, d := range a.Details {
		said = append(said, d.Reason)
		for _, v := range d.Violations {
			said = append(said, v.QuotaID)
		}
		if w, err := time.ParseDuration(d.RetryDelay); err == nil {
			delay = w
		}
	}
	words := strings.Join(said, " ")
	err := providers.Classify(rules(), words)
	if err == nil {
		err = httpError(a.Code)
	}
	err.Message = a.Message
	addReset(err, words)
	if delay > 0 && err.Class == providers.Quota {
		err.RetryAfter = delay
	}
	return err
}

package gemini

import (
	"fmt"
	"strings"
	"testing"

	"agentrun/providers"
)

// told is an error as the tables of this file have it.
func told(err *providers.Error) string {
	return strings.TrimSpace(fmt.Sprintf("%s/%s retryable=%v %s (%v %s)", err.Class, err.Reason, err.Retryable, err.Message, err.RetryAfter, err.ResetsAt))
}

// The API's own code comes first, then what its details say.
func TestResultErrors(t *testing.T) {
	api := func(code int, status, message, details string) string {
		return fmt.Sprintf(`[API Error: {"error":{"code":%d,"message":%q,"status":%q,"details":[%s]}}]`, code, message, status, details)
	}
	for _, tt := range []struct{ message, want string }{
		{api(429, "RESOURCE_EXHAUSTED", "slow", `{"retryDelay":"34.5s"}`), "quota/rate_limit retryable=true slow (34.5s )"},
		{api(429, "RESOURCE_EXHAUSTED", "retry in 5s", `{"retryDelay":"0s"}`), "quota/rate_limit retryable=true retry in 5s (5s )"},
		{api(429, "RESOURCE_EXHAUSTED", "retry in 5s", `{"retryDelay":"soon"}`), "quota/rate_limit retryable=true retry in 5s (5s )"},
		{api(503, "UNAVAILABLE", "busy", `{"retryDelay":"9s"}`), "unavailable/overloaded retryable=true busy (0s )"},
		{api(400, "INVALID_ARGUMENT", "no", `{"reason":"API_KEY_INVALID"}`), "auth/bad_key retryable=false no (0s )"},
		{api(418, "TEAPOT", "short and stout", ``), "agent/request retryable=false short and stout (0s )"},
		{api(408, "X", "slow", ``), "unavailable/server retryable=true slow (0s )"},
		{api(404, "X", "gone", ``), "usage/model retryable=false gone (0s )"},
		{api(0, "X", "no code", ``), "agent/ retryable=false " + strings.TrimSuffix(strings.TrimPrefix(api(0, "X", "no code", ``), "[API Error: "), "]") + " (0s )"},
		{`{"error":null}`, `agent/ retryable=false {"error":null} (0s )`},
		{`done } { begun`, `agent/ retryable=false done } { begun (0s )`},
	} {
		if got := told(resultError(&vendorError{Type: "unknown", Message: tt.message}, providers.Exit{})); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.message, got, tt.want)
		}
	}
}

// A run without a result: what stderr says, else the exit status.
func TestStartErrors(t *testing.T) {
	for _, tt := range []struct {
		code   int
		stderr string
		want   string
	}{
		{1, "\n[STARTUP] x\nPlease fix the configuration file:\n  /x/settings.json\n", "usage/config retryable=false Please fix the configuration file: /x/settings.json (0s )"},
		{1, "Please fix the configuration file:", "usage/config retryable=false Please fix the configuration file: (0s )"},
		{42, "odd words\nat the end\n", "usage/input retryable=false at the end (0s )"},
		{42, "[STARTUP] x\n", "usage/input retryable=false gemini refused the input (0s )"},
		{247, "", "unavailable/overloaded retryable=true the model API answered with HTTP status 503 (0s )"},
		{9, "odd words", "process/crash retryable=false gemini ended with exit status 9 and no result: odd words (0s )"},
		{9, "", "process/crash retryable=false gemini ended with exit status 9 and no result (0s )"},
	} {
		if got := told(startError(providers.Exit{Code: tt.code, Stderr: tt.stderr})); got != tt.want {
			t.Errorf("%d %q:\ngot  %s\nwant %s", tt.code, tt.stderr, got, tt.want)
		}
	}
}

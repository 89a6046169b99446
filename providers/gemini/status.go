package gemini

import (
	"fmt"
	"strings"

	"agentrun/providers"
)

// statusError is what an exit status alone says, or nil. From 144 on it is the
// HTTP status of the model API modulo 256, never a signal.
func statusError(code int) *providers.Error {
	of := func(class providers.Class, reason, message string) *providers.Error {
		return &providers.Error{Class: class, Reason: reason, Message: message, Origin: providers.OriginProvider}
	}
	switch code {
	case 41:
		return of(providers.Auth, providers.ReasonNotLoggedIn, "gemini is not logged in")
	case 42:
		return of(providers.Usage, "input", "gemini refused the input")
	case 44:
		return of(providers.Permission, providers.ReasonSandbox, "gemini's sandbox did not start")
	case 52:
		return of(providers.Usage, providers.ReasonConfig, "gemini's settings are broken")
	case 53:
		return of(providers.Limit, providers.ReasonMaxTurns, "gemini reached its limit of turns")
	case 54:
		return of(providers.Agent, "tool", "a tool failed for good")
	case 55:
		return of(providers.Permission, providers.ReasonUntrusted, "gemini does not trust the directory")
	case 130:
		return of(providers.Agent, "cancelled", "gemini was cancelled")
	}
	for _, http := range []int{400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504} {
		if code == http%256 {
			return httpError(http)
		}
	}
	return nil
}

// httpError is what a status of the model API says.
func httpError(status int) *providers.Error {
	err := &providers.Error{Class: providers.Agent, Reason: providers.ReasonRequest, Origin: providers.OriginProvider}
	switch {
	case status == 401:
		err.Class, err.Reason = providers.Auth, providers.ReasonNotLoggedIn
	case status == 403:
		err.Class, err.Reason = providers.Auth, providers.ReasonForbidden
	case status == 404:
		err.Class, err.Reason = providers.Usage, providers.ReasonModel
	case status == 429:
		err.Class, err.Reason, err.Retryable = providers.Quota, providers.ReasonRateLimit, true
	case status == 503:
		err.Class, err.Reason, err.Retryable = providers.Unavailable, providers.ReasonOverloaded, true
	case status >= 500 || status == 408:
		err.Class, err.Reason, err.Retryable = providers.Unavailable, providers.ReasonServer, true
	}
	err.Message = fmt.Sprintf("the model API answered with HTTP status %d", status)
	return err
}

// startError is a vendor that ended with a failing status and no result: it
// mostly never began, and says why on stderr.
func startError(exit providers.Exit) *providers.Error {
	exit = telling(exit)
	lines := strings.Split(exit.Stderr, "\n")
	for i, line := range lines {
		err := providers.Classify(rules(), line)
		if err == nil {
			continue
		}
		if strings.HasSuffix(line, ":") && i+1 < len(lines) {
			err.Message += " " + lines[i+1]
		}
		return err
	}
	err := statusError(exit.Code)
	if err == nil {
		return providers.Errorf(providers.Process, providers.ReasonCrash, "gemini ended with exit status %d and no result%s", exit.Code, exit.LastWords())
	}
	if line := providers.LastLine(exit.Stderr); line != "" {
		err.Message = line
	}
	return err
}

// telling is the exit with the lines of stderr that mean something: not those
// that the CLI prints on every start (0.61.0).
func telling(exit providers.Exit) providers.Exit {
	var lines []string
	for line := range strings.Lines(exit.Stderr) {
		line = strings.TrimSpace(line)
		switch {
		case line == "",
			strings.HasPrefix(line, "[STARTUP]"), strings.HasPrefix(line, "YOLO mode is enabled"),
			strings.HasPrefix(line, "Ripgrep is not available"), strings.HasPrefix(line, "Warning: Basic terminal"),
			strings.HasPrefix(line, "Warning: 256-color"), strings.HasPrefix(line, "Error handling request"), strings.HasPrefix(line, "Warning: --allowed-tools"):
		default:
			lines = append(lines, line)
		}
	}
	exit.Stderr = strings.Join(lines, "\n")
	return exit
}

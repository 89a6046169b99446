package claude

import (
	"strings"

	"agentrun/providers"
)

// failed classifies a result that is an error, in the order of tests that the
// vendor's records allow: what it says of the start, of limits, of an abort;
// then the failed model request.
func (m *mapper) failed() *providers.Error {
	r := m.last
	words := r.words()
	switch {
	case r.StartupFailure != "":
		return startup(r.StartupFailure, words)
	case r.Subtype == "error_max_turns":
		return vendorError(providers.Limit, providers.ReasonMaxTurns, words).
			WithHint("resume the session to go on, or raise max-turns")
	case r.Subtype == "error_max_budget_usd":
		return vendorError(providers.Limit, providers.ReasonMaxCost, words).
			WithHint("resume the session to go on, or raise max-cost")
	case r.Subtype == "error_max_structured_output_retries":
		return vendorError(providers.StructuredOutput, providers.ReasonInvalid, words).
			WithHint("simplify the schema, or say in the prompt what each field holds")
	case strings.HasPrefix(r.TerminalReason, "aborted"):
		return interrupted()
	}
	if r.TerminalReason == "" || len(r.Errors) > 0 {
		if err := providers.Classify(sessionRules(), words); err != nil {
			return m.placed(err)
		}
	}
	return m.requestFailed()
}

// startup classifies a start that the vendor refused (startup_failure_reason).
func startup(reason, words string) *providers.Error {
	switch reason {
	case "bypass_root":
		return vendorError(providers.Usage, reason, words).
			WithHint("run as another user, or set IS_SANDBOX=1 where the machine is a throw-away sandbox")
	case "config_file_invalid":
		return vendorError(providers.Usage, providers.ReasonConfig, words).
			WithHint("mend the file or move it aside")
	}
	if err := providers.Classify(stderrRules(), words); err != nil {
		return err
	}
	return vendorError(providers.Usage, providers.ReasonConfig, words)
}

func vendorError(class providers.Class, reason, words string) *providers.Error {
	return &providers.Error{Class: class, Reason: reason, Message: words, Origin: providers.OriginProvider}
}

// requestFailed classifies the failed model request: its structured fields
// first, then its words.
func (m *mapper) requestFailed() *providers.Error {
	f := m.failure
	if f == nil {
		f = &failedRequest{}
	}
	g := *f
	terminal, words := "", g.text
	if r := m.last; r != nil {
		terminal, words = r.TerminalReason, r.words()
		if g.Status == 0 {
			g.Status = r.Status
		}
		if g.Kind == "" {
			g.Kind = r.APIError
		}
		if g.stopReason == "" {
			g.stopReason = r.StopReason
		}
		if g.ErrorType == "" {
			g.ErrorType = r.ErrorType
		}
	}
	err := g.classify(terminal, words)
	err.Message, err.Origin = words, providers.OriginProvider
	return err
}

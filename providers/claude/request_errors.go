package claude

import (
	"strings"

	"agentrun/providers"
)

// classify is the vendor's failure table. The order matters: a failed context
// check also has status 400, a plan limit also has status 429.
func (f *failedRequest) classify(terminal, words string) *providers.Error {
	for _, test := range []func(terminal string) *providers.Error{
		f.tooLong, f.quota, f.login, f.rateLimit, f.model, f.refusal, f.server,
	} {
		if err := test(terminal); err != nil {
			return err
		}
	}
	if err := providers.Classify(textRules(), words); err != nil {
		return err
	}
	if f.Status >= 400 && f.Status < 500 {
		return &providers.Error{Class: providers.Agent, Reason: providers.ReasonRequest}
	}
	return &providers.Error{Class: providers.Agent}
}

func (f *failedRequest) tooLong(terminal string) *providers.Error {
	const hint = "start a new session, or shorten the prompt; /compact shortens a long session"
	switch {
	case terminal == "prompt_too_long", terminal == "blocking_limit":
		return &providers.Error{Class: providers.Context, Reason: "prompt_too_long", Hint: hint}
	case f.Params.Cut == "context_window":
		return &providers.Error{Class: providers.Context, Reason: "context_window", Hint: hint}
	case f.Status == 413:
		return &providers.Error{Class: providers.Context, Reason: "request_too_large", Hint: hint}
	case f.Params.Cut == "output_limit", f.Kind == "max_output_tokens":
		return &providers.Error{
			Class: providers.Limit, Reason: providers.ReasonTruncated,
			Hint: "ask for less at once, or raise max_output_tokens",
		}
	}
	return nil
}

func (f *failedRequest) quota(string) *providers.Error {
	if limit := f.Params.RateLimit; f.Kind == "usage_limit_reached" || limit != nil && limit.Status == "rejected" {
		err := &providers.Error{
			Class: providers.Quota, Reason: providers.ReasonPlanLimit, Retryable: true,
			Hint: "wait for the reset, or sign in with an API key",
		}
		if limit != nil && limit.ResetsAt != 0 {
			err.ResetsAt = resetTime(limit.ResetsAt)
		}
		return err
	}
	if f.Error == "billing_error" || f.ErrorType == "billing_error" || f.Status == 402 {
		return &providers.Error{
			Class: providers.Quota, Reason: providers.ReasonCredit,
			Hint: "add credit to the account of the API key",
		}
	}
	return nil
}

const keyHint = "check ANTHROPIC_API_KEY (it wins over a login), or run `claude` and /login"

func (f *failedRequest) login(string) *providers.Error {
	switch {
	case f.Status == 401:
		return &providers.Error{
			Class: providers.Auth, Reason: providers.ReasonBadKey,
			Hint: keyHint,
		}
	case f.Status == 403:
		return &providers.Error{
			Class: providers.Auth, Reason: providers.ReasonForbidden,
			Hint: "the key or login may not use this model or workspace",
		}
	case f.Error == "authentication_failed" && strings.Contains(f.text, "API Error: 401"): // 2.1.0 gave no status
		return &providers.Error{Class: providers.Auth, Reason: providers.ReasonBadKey, Hint: keyHint}
	case f.Error == "authentication_failed":
		return &providers.Error{
			Class: providers.Auth, Reason: providers.ReasonNotLoggedIn,
			Hint: "set ANTHROPIC_API_KEY, or run `claude` and /login",
		}
	}
	return nil
}

func (f *failedRequest) rateLimit(string) *providers.Error {
	if f.Status == 429 || f.Error == "rate_limit" {
		return &providers.Error{Class: providers.Quota, Reason: providers.ReasonRateLimit, Retryable: true}
	}
	return nil
}

func (f *failedRequest) model(string) *providers.Error {
	if f.Error == "model_not_found" {
		return &providers.Error{
			Class: providers.Usage, Reason: providers.ReasonModel,
			Hint: "name another model; the vendor takes full names, and aliases like opus and sonnet",
		}
	}
	return nil
}

func (f *failedRequest) refusal(string) *providers.Error {
	if f.stopReason == "refusal" {
		return &providers.Error{Class: providers.Refusal, Hint: "put the task in other words, or try another model"}
	}
	return nil
}

func (f *failedRequest) server(string) *providers.Error {
	switch {
	case f.Kind == "connection_failed", f.Error == "server_error" && f.Status == 0:
		return &providers.Error{
			Class: providers.Unavailable, Reason: providers.ReasonNetwork, Retryable: true,
			Hint: "check the network, the proxy settings and ANTHROPIC_BASE_URL",
		}
	case f.Status == 529, f.ErrorType == "overloaded_error":
		return &providers.Error{Class: providers.Unavailable, Reason: providers.ReasonOverloaded, Retryable: true}
	case f.Status >= 500, f.Error == "server_error":
		return &providers.Error{Class: providers.Unavailable, Reason: providers.ReasonServer, Retryable: true}
	}
	return nil
}

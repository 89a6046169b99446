package codex

import (
	"slices"

	"agentrun/providers"
)

// turnRules classify what codex 0.171.0 says in turn.failed.
func turnRules() []providers.Rule {
	return slices.Concat(accountRules(), requestRules(), serviceRules())
}

// accountRules are about who asks and what for.
func accountRules() []providers.Rule {
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
	}
}

// requestRules are about what was asked and answered.
func requestRules() []providers.Rule {
	return []providers.Rule{
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
	}
}

// serviceRules are about the model's service and the way to it.
func serviceRules() []providers.Rule {
	return []providers.Rule{
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

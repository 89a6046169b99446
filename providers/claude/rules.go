package claude

import (
	"strings"

	"agentrun/providers"
)

// sessionRules read the errors of a result that never reached the model.
func sessionRules() []providers.Rule {
	return []providers.Rule{
		{
			Words: []string{"no conversation found", "--resume requires a valid session id"},
			Class: providers.Session, Reason: providers.ReasonNotFound,
			Hint: "claude finds a session by its id only under the HOME or CLAUDE_CONFIG_DIR where it was made, and not one made with ephemeral",
		},
		{
			Words: []string{"session id&is already in use"},
			Class: providers.Usage, Reason: "session_exists",
			Hint: "resume that session, or leave session_id out",
		},
	}
}

// textRules read the words of a failed model request whose fields say nothing.
func textRules() []providers.Rule {
	return []providers.Rule{
		{Words: []string{"prompt is too long", "context window"}, Class: providers.Context, Reason: "prompt_too_long"},
		{Words: []string{"not logged in", "please run /login"}, Class: providers.Auth, Reason: providers.ReasonNotLoggedIn},
		{Words: []string{"invalid api key", "api error: 401", "oauth token has expired", "invalid bearer token"}, Class: providers.Auth, Reason: providers.ReasonBadKey},
		{Words: []string{"api error: 403"}, Class: providers.Auth, Reason: providers.ReasonForbidden},
		{Words: []string{"credit balance"}, Class: providers.Quota, Reason: providers.ReasonCredit},
		{Words: []string{"hit your&limit", "usage limit reached"}, Class: providers.Quota, Reason: providers.ReasonPlanLimit, Retryable: true},
		{Words: []string{"rate limit", "api error: 429"}, Class: providers.Quota, Reason: providers.ReasonRateLimit, Retryable: true},
		{
			Words: []string{"empty or malformed response"}, Class: providers.Protocol, Reason: "model_api",
			Hint: "something between claude and the model API answers in its place: check the proxy and ANTHROPIC_BASE_URL",
		},
		{Words: []string{"overloaded", "api error: 529"}, Class: providers.Unavailable, Reason: providers.ReasonOverloaded, Retryable: true},
		{
			Words: []string{"connection refused", "connection dropped", "connection error", "econnrefused", "econnreset", "enotfound", "request timed out", "fetch failed"},
			Class: providers.Unavailable, Reason: providers.ReasonNetwork, Retryable: true,
		},
		{Words: []string{"api error: 5"}, Class: providers.Unavailable, Reason: providers.ReasonServer, Retryable: true},
	}
}

// stderrRules read stderr, which alone speaks when the CLI refuses to start.
func stderrRules() []providers.Rule {
	return append(sessionRules(),
		providers.Rule{
			Words: []string{"cannot be used with root/sudo"},
			Class: providers.Usage, Reason: "bypass_root",
			Hint: "run as another user, or set IS_SANDBOX=1 where the machine is a throw-away sandbox",
		},
		providers.Rule{
			Words: []string{"configuration error in", "configuration file at&is corrupted"},
			Class: providers.Usage, Reason: providers.ReasonConfig, Hint: "mend the file or move it aside",
		},
		providers.Rule{
			Words: []string{"passed via --permission-prompt-tool"},
			Class: providers.Usage, Reason: providers.ReasonConfig,
			Hint: "permission_prompt_tool names an MCP tool of mcp_config: mcp__SERVER__TOOL",
		},
		providers.Rule{
			Words: []string{"invalid mcp configuration", "settings file not found", "invalid --agents configuration", "is not valid json"},
			Class: providers.Usage, Reason: providers.ReasonConfig,
		},
		providers.Rule{
			Words: []string{"input must be provided", "input contained only whitespace", "provide a prompt to continue"},
			Class: providers.Usage, Reason: "empty_prompt",
		},
		providers.Rule{
			Words: []string{
				"unknown option", "error: option&is invalid", "missing required argument", "too many arguments",
				"requires --print", "requires --verbose", "requires output-format", "requires both --input-format",
				"also needs --fork-session", "must be a valid uuid", "error parsing streaming input", "expected message role",
			},
			Class: providers.Unsupported, Reason: providers.ReasonVendorArgs,
			Hint: "this version of claude refuses the arguments: see --vendor-arg, and the versions in `agentrun providers claude`",
		},
		providers.Rule{
			Words: []string{"not logged in", "please run /login"}, Class: providers.Auth, Reason: providers.ReasonNotLoggedIn,
			Hint: "set ANTHROPIC_API_KEY, or run `claude` and /login",
		},
		providers.Rule{
			Words: []string{"cannot be launched inside another"}, Class: providers.Usage, Reason: "nested",
			Hint: "run it outside of the other session, or drop the marker that it left in the environment",
		},
		providers.Rule{
			Words: []string{"requires bubblewrap", "bubblewrap&not"}, Class: providers.Permission, Reason: providers.ReasonSandbox,
		},
	)
}

// fromStderr finds the cause of a run without a result in what stderr says.
func (m *mapper) fromStderr(exit providers.Exit) *providers.Error {
	if exit.Code == 0 || exit.Stderr == "" {
		return nil
	}
	err := providers.Classify(stderrRules(), exit.Stderr)
	if err == nil {
		return nil
	}
	err.Message = oneLine(exit.Stderr)
	return m.placed(err)
}

// oneLine joins the lines of a short stderr; of a long one the last line counts.
func oneLine(stderr string) string {
	const most = 600
	if joined := strings.Join(strings.Fields(stderr), " "); len(joined) <= most {
		return joined
	}
	return providers.LastLine(stderr)
}

// placed adds to an unknown session where it was looked for.
func (m *mapper) placed(err *providers.Error) *providers.Error {
	if err.Reason == providers.ReasonNotFound && m.req.Cwd != "" {
		err.Message += " (looked for it from " + m.req.Cwd + ")"
	}
	return err
}

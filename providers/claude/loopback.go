package claude

import "agentrun/providers"

// Loopback points the CLI at a stand-in of the Messages API. With these
// variables an isolated network namespace saw no other host contacted.
func (provider) Loopback(l providers.Loopback) providers.LoopbackCommand {
	return providers.LoopbackCommand{Env: []string{
		"HOME=" + l.Home,
		"TMPDIR=" + l.Dir,
		"CLAUDE_CODE_TMPDIR=" + l.Dir,
		"ANTHROPIC_BASE_URL=" + l.URL,
		"ANTHROPIC_API_KEY=agentrun-loopback",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1",
		"CLAUDE_CODE_MAX_RETRIES=1",
	}}
}

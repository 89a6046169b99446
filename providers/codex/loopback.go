package codex

import (
	"path/filepath"

	"agentrun/providers"
)

// Loopback points codex at the server by settings on the command line, which
// hold even under ignore_user_config. With analytics and plugins off it looks
// up no other host (0.171.0). The trust check is off: the private home has no
// trust list.
func (provider) Loopback(l providers.Loopback) providers.LoopbackCommand {
	server := `{name="agentrun mock",base_url=` + providers.QuoteTOML(l.URL+"/v1") +
		`,env_key="AGENTRUN_MOCK_KEY",wire_api="responses",request_max_retries=1,stream_max_retries=1}`
	return providers.LoopbackCommand{
		Env: []string{
			"HOME=" + l.Home,
			"CODEX_HOME=" + filepath.Join(l.Home, ".codex"),
			"TMPDIR=" + l.Dir,
			"AGENTRUN_MOCK_KEY=sk-mock",
		},
		// codex wants its home to exist.
		Files: []providers.File{{Name: ".codex/config.toml", Content: []byte("check_for_update_on_startup = false\n")}},
		Args: []string{
			"-c", `model_provider="agentrun_mock"`,
			"-c", `model="gpt-5.5"`,
			"-c", "model_providers.agentrun_mock=" + server,
			"-c", "analytics.enabled=false",
			"--disable", "plugins",
			skipGitCheck,
		},
	}
}

package gemini

import "agentrun/providers"

// Loopback points the CLI at a model server of this machine. The key is made
// up; with it selected, and statistics, telemetry and updates off, the CLI
// contacts no other host.
func (provider) Loopback(l providers.Loopback) providers.LoopbackCommand {
	const settings = `{"security":{"auth":{"selectedType":"gemini-api-key"}},` +
		`"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false,"sessionRetention":{"enabled":false},"maxAttempts":2},` +
		`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`
	return providers.LoopbackCommand{
		Env: []string{
			"HOME=" + l.Home,
			"TMPDIR=" + l.Dir,
			"GEMINI_API_KEY=agentrun-loopback",
			"GOOGLE_GEMINI_BASE_URL=" + l.URL,
			"GEMINI_TELEMETRY_ENABLED=false",
			"GEMINI_CLI_TRUST_WORKSPACE=true",
			"NO_BROWSER=true",
			// A named model spares the router's own model call before every prompt; --model still wins.
			"GEMINI_MODEL=gemini-2.5-flash",
		},
		Files: []providers.File{{Name: ".gemini/settings.json", Content: []byte(settings)}},
		Args:  []string{"--extensions", "none"},
	}
}

// Package codex is the adapter for OpenAI's Codex CLI (`codex exec --json`). Its
// facts were observed on codex-cli 0.171.0; docs/vendors/codex.md has the tables.
package codex

import "agentrun/providers"

type provider struct{}

// New returns the adapter for the Codex CLI.
func New() providers.Provider { return provider{} }

// The fences, by their stable names.
const (
	fenceReconnects = "bounded-reconnects"
	fenceSandbox    = "stated-sandbox"
	fenceRepeats    = "repeated-text"
	fenceBOM        = "kept-bom"
	fenceTrust      = "unwritten-trust"
)

func (provider) About() providers.About {
	return providers.About{
		Name:   "codex",
		Title:  "OpenAI Codex CLI",
		Models: "openai",
		Capabilities: providers.Capabilities{
			Transport:              providers.Subprocess,
			Resumable:              true,
			ResumeField:            "resume",
			Forkable:               true,
			EmitsToolEvents:        true,
			EmitsThinking:          true,
			ReportsUsage:           true,
			EndsWithTerminalRecord: true,
			StructuredOutput:       "native",
			Access:                 []string{accessRead, accessEdit, accessFull},
			Images:                 true,
			MCPConfig:              true,
		},
		Binary: providers.Binary{
			Name:        "codex",
			Env:         "AGENTRUN_CODEX_BIN",
			VersionArgs: []string{"--version"},
			Oldest:      oldest,
			Newest:      "0.171.0",
			Install:     "npm install -g @openai/codex",
			Package:     "@openai/codex",
		},
		EnvDrop:     nesting(),
		StderrNoise: []string{"Reading additional input from stdin"},
		Fences:      fences(),
	}
}

// nesting lists what codex sets for its tools (seen in a tool's environment on
// 0.171.0): a codex started from such a tool is a run of its own.
func nesting() []string {
	return []string{
		"CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_TOOL_CALL_ID", "CODEX_CI", "CODEX_VERSION",
		"CODEX_MANAGED_BY_NPM", "CODEX_MANAGED_PACKAGE_ROOT", "CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS",
		"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
	}
}

func fences() []providers.Fence {
	return []providers.Fence{
		{Name: fenceReconnects, Help: "codex reconnects for ever while the network is down: end the run after its bounded retries"},
		{Name: fenceSandbox, Help: "the default sandbox depends on a trust list in the user's config: always state it"},
		{Name: fenceRepeats, Help: "after a broken stream codex prints the same message again: drop the repetition"},
		{Name: fenceBOM, Help: "codex strips a byte order mark at the start of the prompt: send it twice, so that one arrives"},
		{Name: fenceTrust, Help: "a live session that may write would note the directory as trusted in the user's config: its thread begins read-only, and its turns say more"},
	}
}

func (provider) NewMapper(r providers.Request) providers.Mapper {
	return newMapper(r)
}

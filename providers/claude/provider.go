// Package claude drives Claude Code, the CLI `claude`: a typed request becomes
// its argv, environment and input line; its stream-json output becomes chunks
// and a verdict. Vendor facts were observed on version 2.1.332 unless another
// is named. The package does no I/O.
package claude

import "agentrun/providers"

// The names of the fences.
const (
	fenceVerbatim = "verbatim-prompt"
	fenceRetries  = "retry-cap"
	fenceTmp      = "private-tmp"
	fenceSystem   = "fresh-system"
	fenceQuiet    = "quiet"
)

type provider struct{}

// New returns the adapter of Claude Code.
func New() providers.Provider { return provider{} }

func (provider) About() providers.About {
	return providers.About{
		Name:         "claude",
		Title:        "Claude Code",
		Models:       "anthropic",
		Capabilities: capabilities(),
		Binary: providers.Binary{
			Name: "claude", Env: "AGENTRUN_CLAUDE_BIN", VersionArgs: []string{"--version"},
			Oldest: "2.1.0", Newest: "2.1.332",
			Install: "npm install -g @anthropic-ai/claude-code", Package: "@anthropic-ai/claude-code",
		},
		EnvDrop: envDrop(),
		Fences:  fences(),
	}
}

func capabilities() providers.Capabilities {
	return providers.Capabilities{
		Transport: providers.Subprocess,
		Resumable: true, ResumeField: "resume", Forkable: true,
		EmitsToolEvents: true, EmitsThinking: true, EmitsDeltas: true,
		ReportsUsage: true, ReportsCost: true,
		EndsWithTerminalRecord: true,
		StructuredOutput:       "native",
		Access:                 []string{"read-only", "edit", "full"},
		TurnLimit:              true, CostLimit: true, Images: true, MCPConfig: true,
	}
}

// envDrop lists the markers of an outer session. Only exact names: gateway and
// cloud settings share the prefix CLAUDE_CODE_ and must stay.
func envDrop() []string {
	return []string{
		"CLAUDECODE",
		"CLAUDE_PID",
		"CLAUDE_CODE_ENTRYPOINT",
		"CLAUDE_CODE_SESSION_ID",
		"CLAUDE_CODE_SESSION_ACCESS_TOKEN",
		"CLAUDE_CODE_SSE_PORT",
		"CLAUDE_CODE_EXECPATH",
		"CLAUDE_CODE_CHILD_SESSION",
		"CLAUDE_CODE_SIMPLE",               // would be --bare
		"CLAUDE_CODE_SUBPROCESS_ENV_SCRUB", // refuses to start without bubblewrap
	}
}

func fences() []providers.Fence {
	return []providers.Fence{
		{Name: fenceVerbatim, Help: "marks the prompt as composed by a program, so that a leading / is no command and @path is not replaced by a file"},
		{Name: fenceRetries, Help: "caps the silent repeats of a failed model request at 5 (about 17 s) instead of 10 (about 3 minutes)"},
		{Name: fenceTmp, Help: "gives the run its own CLAUDE_CODE_TMPDIR, so that its tools do not reach the user's other sessions by the sockets there"},
		{Name: fenceSystem, Help: "on a resumed session, sends the system prompt of this run instead of silently keeping the recorded one"},
		{Name: fenceQuiet, Help: "switches the self-update off for the run"},
	}
}

func (provider) NewFields() any { return &request{} }

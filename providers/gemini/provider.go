package gemini

import (
	"agentrun/providers"
)

// New returns the adapter of the Gemini CLI.
func New() providers.Provider { return provider{} }

type provider struct{}

// The fences, by the names that --no-fence takes.
const (
	fenceStdout    = "stdout-file"
	fenceLauncher  = "launcher"
	fenceDumps     = "error-dumps"
	fencePlan      = "plan-escape"
	fenceRetention = "session-retention"
	fenceSlash     = "slash-commands"
	fenceAt        = "at-files"
)

// resumeField is the field that names a session.
const resumeField = "resume"

// About describes the CLI as of 0.61.0.
func (provider) About() providers.About {
	return providers.About{
		Name:   "gemini",
		Title:  "Gemini CLI",
		Models: "gcp.gemini",
		Capabilities: providers.Capabilities{
			Transport:              providers.Subprocess,
			Resumable:              true,
			ResumeField:            resumeField,
			EmitsToolEvents:        true,
			EmitsDeltas:            true,
			ReportsUsage:           true,
			EndsWithTerminalRecord: true,
			Access:                 []string{accessReadOnly, accessEdit, accessFull},
			TurnLimit:              true,
			Images:                 true,
			MCPConfig:              true,
		},
		Binary: providers.Binary{
			Name:        "gemini",
			Env:         "AGENTRUN_GEMINI_BIN",
			VersionArgs: []string{"--version"},
			Oldest:      "0.61.0",
			Newest:      "0.61.0",
			Install:     "npm install -g @google/gemini-cli",
			Package:     "@google/gemini-cli",
		},
		EnvDrop: []string{
			"GEMINI_CLI", // set for the tools of an outer session
			"GEMINI_CLI_IDE_AUTH_TOKEN", "GEMINI_CLI_IDE_PID", "GEMINI_CLI_IDE_SERVER_PORT",
			"GEMINI_CLI_IDE_SERVER_STDIO_ARGS", "GEMINI_CLI_IDE_SERVER_STDIO_COMMAND",
			"GEMINI_CLI_IDE_WORKSPACE_PATH", // widens the workspace to an editor's folders
			"GEMINI_CLI_INTEGRATION_TEST",   // switches folder trust off
		},
		Fences: []providers.Fence{
			{Name: fenceStdout, Help: "takes stdout through a file: the CLI exits with unflushed pipe writes, and the end of the stream is lost behind a slow reader"},
			{Name: fenceLauncher, Help: "runs the CLI without its launcher process, which swallows INT, TERM and HUP"},
			{Name: fenceDumps, Help: "gives the CLI a TMPDIR of the run: after API errors it leaves the whole conversation there"},
			{Name: fencePlan, Help: "denies the plan-mode tools, through which a model can leave every approval mode for full access"},
			{Name: fenceRetention, Help: "switches off the CLI's cleanup of sessions, which deletes resumed ones (where the CLI takes settings from us)"},
			{Name: fenceSlash, Help: "puts a newline before a prompt that begins with a slash, which the CLI would run as a command"},
			{Name: fenceAt, Help: "puts a backslash before @words of the prompt, which the CLI would replace by files"},
		},
	}
}

// NewMapper returns a mapper for one run.
func (provider) NewMapper(r providers.Request) providers.Mapper {
	f, _ := r.Fields.(*fields)
	if f == nil {
		f = &fields{}
	}
	return &mapper{wants: wantsOf(r, f), open: map[string]string{}}
}

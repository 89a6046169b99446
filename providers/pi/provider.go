// Package pi drives the pi coding agent (`pi --mode json`, and `pi --mode rpc`
// for live sessions): 1.6.0 of @earendil-works/pi-coding-agent and, where they
// differ, 0.73.1 of @mariozechner/pi-coding-agent. Facts about the CLI were seen
// on these two unless a comment names another version.
package pi

import "agentrun/providers"

// The versions of the CLI that the adapter is made for.
const (
	oldest = "0.73.1"
	newest = "1.6.0"
)

// The fences; see About.
const (
	fenceSlash = "slash-commands"
	fenceTrim  = "trimmed-prompt"
)

type provider struct{}

// New returns the provider for pi.
func New() providers.Provider { return provider{} }

// About describes the provider.
func (provider) About() providers.About {
	return providers.About{
		Name:  "pi",
		Title: "pi coding agent",
		Capabilities: providers.Capabilities{
			Transport:              providers.Subprocess,
			Resumable:              true,
			ResumeField:            "resume",
			Forkable:               true,
			EmitsToolEvents:        true,
			EmitsThinking:          true,
			EmitsDeltas:            true,
			ReportsUsage:           true,
			ReportsCost:            true,
			EndsWithTerminalRecord: true,
			Access:                 accessLevels(),
			Images:                 true,
		},
		Binary: providers.Binary{
			Name: "pi", Env: "AGENTRUN_PI_BIN", VersionArgs: []string{"--version"},
			Oldest: oldest, Newest: newest,
			Install: "npm install -g @earendil-works/pi-coding-agent", Package: "@earendil-works/pi-coding-agent",
		},
		// pi sets these for the tools it runs: an inner pi must not believe it is the outer one.
		StderrNoise: []string{"Warning: "},
		EnvDrop: []string{
			"PI_CODING_AGENT", "PI_SESSION_ID", "PI_SESSION_FILE", "PI_PROVIDER", "PI_MODEL", "PI_REASONING_LEVEL",
		},
		Fences: []providers.Fence{
			{Name: fenceSlash, Help: "a prompt that begins with / reaches the model as it is: pi would run it as one of its slash commands, skills or templates"},
			{Name: fenceTrim, Help: "blanks around the prompt reach the model: pi would cut them off"},
		},
	}
}

// NewFields returns the typed request with its defaults.
func (provider) NewFields() any { return &fields{} }

// NewMapper returns the mapper of one run.
func (provider) NewMapper(r providers.Request) providers.Mapper { return newMapper(r) }

package acp

import (
	"slices"
	"strings"

	"agentrun/providers"
)

// fields is the typed request.
type fields struct {
	Command   string   `field:"command" maps:"the program and its arguments" help:"the agent: a command line (quotes and backslashes as in a shell, nothing else) or a JSON array of strings"`
	Model     string   `field:"model" maps:"session/set_config_option or session/set_model" help:"the model, by the agent's own id"`
	Effort    string   `field:"effort" maps:"session/set_config_option" help:"how much the model thinks, by the agent's own word"`
	Mode      string   `field:"mode" maps:"session/set_config_option or session/set_mode" help:"session mode, by the agent's own id: what it does without asking"`
	Auth      string   `field:"auth" maps:"authenticate" help:"way to log in before the session, by the agent's own id"`
	Load      string   `field:"load" kind:"id" maps:"session/resume or session/load" help:"id of the agent's session to carry on, where it can"`
	MCPConfig []string `field:"mcp_config" kind:"json-or-file" maps:"mcpServers of the session" help:"MCP servers: {\"mcpServers\":{...}}"`
	Image     []string `field:"image" kind:"file" maps:"the prompt" help:"image file to show the model"`
}

// NewFields returns an empty typed request.
func (provider) NewFields() any { return &fields{} }

// Command is that of a run with one message, which the driver sends.
func (provider) Command(r providers.Request) (providers.Command, error) {
	if strings.TrimSpace(r.Prompt) == "" {
		return providers.Command{}, usage("the prompt is empty")
	}
	return command(r)
}

// LiveCommand is the command of a live session.
func (provider) LiveCommand(r providers.Request) (providers.Command, error) {
	switch {
	case r.Prompt != "":
		return providers.Command{}, usage("a live session begins without a prompt: send it as a message")
	case r.Given("image"):
		return providers.Command{}, usage("image: in a live session an image is a part of a message")
	}
	return command(r)
}

func command(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return providers.Command{}, usage("the fields are not those of acp")
	}
	for name, value := range map[string]string{"model": f.Model, "effort": f.Effort, "mode": f.Mode, "auth": f.Auth} {
		if r.Given(name) && strings.TrimSpace(value) == "" {
			return providers.Command{}, usage("%s: the value is empty", name)
		}
	}
	argv, err := argv(f)
	if err != nil {
		return providers.Command{}, err
	}
	if _, err := readServers(f.MCPConfig); err != nil {
		return providers.Command{}, err
	}
	return providers.Command{Args: slices.Concat(argv[1:], r.VendorArgs)}, nil
}

// Program is the agent's program.
func (provider) Program(r providers.Request) (string, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return "", usage("the fields are not those of acp")
	}
	argv, err := argv(f)
	if err != nil {
		return "", err
	}
	return argv[0], nil
}

func argv(f *fields) ([]string, error) {
	words, err := split(f.Command)
	if err != nil {
		return nil, usage("command: %w", err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, usage("no agent was named").WithHint(`name its command with --set command="PROGRAM ARGUMENTS", like --set command="gemini --acp"`)
	}
	return words, nil
}

// session is what the request asks of the agent. The request was checked.
func session(r providers.Request) Session {
	f, _ := r.Fields.(*fields)
	if f == nil {
		f = &fields{}
	}
	s := Session{
		Agent: "the agent", Cwd: r.Cwd, Load: f.Load, Auth: f.Auth, Model: f.Model, Mode: f.Mode, Effort: f.Effort, Asks: r.Asks,
	}
	s.Servers, _ = readServers(f.MCPConfig)
	return s
}

func usage(format string, args ...any) *providers.Error {
	return providers.Errorf(providers.Usage, "", format, args...)
}

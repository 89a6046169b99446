package gemini

import (
	"agentrun/providers"
)

// fields is the typed request. Where a field says "settings", the CLI has no
// flag for it, only settings files: see settings.go for when it takes ours.
type fields struct {
	Model             string   `field:"model" argv:"--model" help:"model or alias: auto, pro, flash, flash-lite"`
	Effort            string   `field:"effort" maps:"settings modelConfigs.overrides thinkingLevel" choices:"minimal low medium high" help:"thinking level of Gemini 3 models"`
	ThinkingBudget    int      `field:"thinking_budget" maps:"settings modelConfigs.overrides thinkingBudget" help:"thinking tokens of Gemini 2.5 models"`
	Access            string   `field:"access" maps:"--approval-mode, --admin-policy" choices:"read-only edit full" help:"what the agent may do"`
	ApprovalMode      string   `field:"approval_mode" argv:"--approval-mode" choices:"default auto_edit yolo plan" help:"the CLI's own word for access"`
	Trust             bool     `field:"trust" argv:"--skip-trust" help:"trust the directory for this run"`
	AllowTool         []string `field:"allow_tool" maps:"--admin-policy" help:"tool to allow: NAME, mcp_SERVER_TOOL with *, or run_shell_command(PREFIX)"`
	DenyTool          []string `field:"deny_tool" maps:"--admin-policy" help:"tool to deny, in the same form; it beats every allowance"`
	Policy            []string `field:"policy" kind:"file" argv:"--policy" help:"policy file (TOML) instead of those in ~/.gemini/policies"`
	AdminPolicy       []string `field:"admin_policy" kind:"file" argv:"--admin-policy" help:"policy file (TOML) above all others"`
	Sandbox           bool     `field:"sandbox" argv:"--sandbox" help:"run the agent in the CLI's container sandbox"`
	System            string   `field:"system" maps:"GEMINI_SYSTEM_MD" help:"system prompt; ${...} of the CLI's system prompts is filled in"`
	MaxTurns          int      `field:"max_turns" maps:"settings model.maxSessionTurns" help:"most model calls of the run"`
	MaxAttempts       int      `field:"max_attempts" maps:"settings general.maxAttempts" help:"tries of a failing model call, 1 to 10 (the CLI's default is 10, near four minutes)"`
	Image             []string `field:"image" kind:"content" maps:"@file in the prompt, --include-directories" help:"image file to show the model"`
	MCPConfig         []string `field:"mcp_config" kind:"json-or-file" maps:"settings mcpServers" help:"MCP servers: {\"mcpServers\":{...}}"`
	AllowedMCPServers []string `field:"allowed_mcp_servers" argv:"--allowed-mcp-server-names" help:"use only this configured MCP server"`
	Extensions        []string `field:"extensions" argv:"--extensions" help:"use only this extension; none for no extension"`
	AddDir            []string `field:"add_dir" kind:"dir" argv:"--include-directories" help:"another directory of the workspace"`
	Resume            string   `field:"resume" kind:"id" argv:"--resume" help:"id of the session to carry on"`
	Continue          bool     `field:"continue" maps:"--resume latest" help:"carry on the newest session of this directory"`
	SessionID         string   `field:"session_id" argv:"--session-id" help:"id for the new session, best a UUID"`
	SessionFile       string   `field:"session_file" kind:"file" argv:"--session-file" help:"chat file of a session to copy into a new one, from any directory"`
	Ephemeral         bool     `field:"ephemeral" maps:"GEMINI_CLI_HOME" help:"a private home for the run: no session kept, the key taken from the environment, your own ~/.gemini not read"`
	Settings          string   `field:"settings" kind:"json-or-file" maps:"settings" help:"more settings, as in settings.json"`
	RedactEnv         bool     `field:"redact_env" maps:"settings security.environmentVariableRedaction.enabled" help:"hide variables that look like secrets from tools"`
	RawOutput         bool     `field:"raw_output" argv:"--raw-output" help:"keep ANSI sequences in the model's text"`
}

// NewFields returns an empty typed request.
func (provider) NewFields() any { return &fields{} }

// Command checks the request and writes the command line. The prompt goes by stdin.
func (provider) Command(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return providers.Command{}, usage("the fields are not gemini's")
	}
	if err := check(r, f); err != nil {
		return providers.Command{}, err
	}
	c := providers.Command{
		Args:       []string{"--output-format", "stream-json"},
		StdoutFile: r.Fenced(fenceStdout),
	}
	text, notices := prompt(r, f)
	if len(text) > stdinLimit {
		return providers.Command{}, providers.Errorf(providers.Usage, "prompt_too_long",
			"the prompt has %d bytes, and gemini reads at most %d from stdin", len(text), stdinLimit)
	}
	c.Stdin, c.Notices = []byte(text), notices
	c.Args = append(c.Args, mode(r, f)...)
	c.Args = append(c.Args, providers.Argv(f, r.Set)...)
	if f.Continue {
		c.Args = append(c.Args, "--resume", "latest")
	}
	addEnvironment(r, f, &c)
	addPolicy(r, f, &c)
	addImages(r, f, &c)
	if err := addSettings(r, f, &c); err != nil {
		return providers.Command{}, err
	}
	c.Args = append(c.Args, r.VendorArgs...)
	return c, nil
}

// The levels of access.
const (
	accessReadOnly = "read-only"
	accessEdit     = "edit"
	accessFull     = "full"
)

// modeEdit is the CLI's mode of access edit.
const modeEdit = "auto_edit"

// mode states the approval mode: left out, it would come from the user's settings.
func mode(r providers.Request, f *fields) []string {
	if r.Given("approval_mode") {
		return nil // in the argv already
	}
	return []string{"--approval-mode", modeOf(r, f)}
}

func modeOf(r providers.Request, f *fields) string {
	if r.Given("approval_mode") {
		return f.ApprovalMode
	}
	switch {
	case f.Access == accessEdit && !r.Asks: // in that mode the CLI asks about no change of a file, whatever its rules say
		return modeEdit
	case f.Access == accessFull:
		return "yolo"
	}
	return "default"
}

// addEnvironment sets the variables of the fences and of fields that have no flag.
func addEnvironment(r providers.Request, f *fields, c *providers.Command) {
	if r.Fenced(fenceLauncher) {
		c.SetEnv = append(c.SetEnv, "GEMINI_CLI_NO_RELAUNCH=true")
	}
	if r.Fenced(fenceDumps) {
		c.Files = append(c.Files, providers.File{Name: "tmp/.keep"})
		c.SetEnv = append(c.SetEnv, "TMPDIR="+r.Dir+"/tmp")
	}
	if r.Given("system") {
		c.Files = append(c.Files, providers.File{Name: "system.md", Content: []byte(f.System)})
		c.SetEnv = append(c.SetEnv, "GEMINI_SYSTEM_MD="+r.Dir+"/system.md")
	}
}

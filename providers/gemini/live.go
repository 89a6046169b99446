package gemini

import (
	"maps"

	"agentrun/providers"
	"agentrun/providers/acp"
	"agentrun/stream"
)

// Live says what `gemini --acp` can do. A second prompt in a running turn would
// cancel it and take its place, its words forgotten: that is no steering.
func (provider) Live() providers.LiveCapabilities {
	return providers.LiveCapabilities{
		Abort: true, Update: []string{"model", "access"}, Images: true, Session: true,
		Asks:   []string{stream.AskToolPermission},
		Deltas: true,
	}
}

// LiveCommand is the command of the ACP mode, with the same rules and settings.
// The session is the driver's business.
func (provider) LiveCommand(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return providers.Command{}, usage("the fields are not gemini's")
	}
	if err := checkLive(r, f); err != nil {
		return providers.Command{}, err
	}
	c := providers.Command{Args: append([]string{"--acp"}, mode(r, f)...)}
	set := maps.Clone(r.Set)
	delete(set, resumeField)
	c.Args = append(c.Args, providers.Argv(f, set)...)
	addEnvironment(r, f, &c)
	// Every mode can be left by an update, so the fence is up in all of them.
	addPolicyOver(asking(r), true, r, f, &c)
	// Without it no output of a command is told.
	shell := object{"tools": object{"shell": object{"enableInteractiveShell": false}}}
	if err := addSettingsOver(shell, r, f, &c); err != nil {
		return providers.Command{}, err
	}
	c.Args = append(c.Args, r.VendorArgs...)
	return c, nil
}

// asking has the CLI ask about every tool call, where somebody decides on them:
// also about commands that it takes for harmless, unless a rule has a pattern (0.61.0).
func asking(r providers.Request) []string {
	if !r.Asks {
		return nil
	}
	return []string{
		rule(`"run_shell_command"`, "argsPattern = \".\"\n", askUser, priorityAsk),
		rule(`"*"`, "", askUser, priorityAsk), rule(`"*"`, "mcpName = \"*\"\n", askUser, priorityAsk),
	}
}

// checkLive refuses what the one-way mode refuses, and what has no meaning here.
func checkLive(r providers.Request, f *fields) error {
	if r.Prompt != "" {
		return usage("a live session begins without a prompt: send it as a message")
	}
	for name, hint := range map[string]string{
		"image":        "in a live session an image is a part of a message",
		"continue":     "in a live session, name the session with --resume",
		"session_id":   "in a live session the CLI names the session itself",
		"session_file": "in a live session the CLI takes no chat file",
		"sandbox":      "in a live session the CLI's sandbox was never tried",
		"raw_output":   "in a live session the CLI changes no output",
	} {
		if r.Given(name) {
			return usage("%s: %s", name, hint)
		}
	}
	if sandboxed(r, f) {
		return usage("GEMINI_SANDBOX: in a live session the CLI's sandbox was never tried")
	}
	for _, c := range []func(providers.Request, *fields) error{
		checkExclusive, checkArguments, checkSession, checkTools, checkNumbers, checkServers, checkVendorArgs, checkAsks,
	} {
		if err := c(r, f); err != nil {
			return err
		}
	}
	return providers.CheckVersions(r)
}

// checkAsks refuses what would let tools run without a policy being asked: neither
// the mode auto_edit nor the trust in an MCP server heeds a rule to ask (0.61.0).
func checkAsks(r providers.Request, f *fields) error {
	what := ""
	switch {
	case !r.Asks:
	case f.ApprovalMode == modeEdit:
		what = "approval_mode " + modeEdit
	case trusts(r, f):
		what = "the trust in an MCP server"
	}
	if what == "" {
		return nil
	}
	return providers.Errorf(providers.Unsupported, "policy", "%s keeps gemini from asking, and no policy and no hook can decide", what)
}

// trusts reports whether the request's own settings trust an MCP server.
func trusts(r providers.Request, f *fields) bool {
	given, err := wanted(r, f)
	servers, _ := given["mcpServers"].(object)
	for _, s := range servers {
		server, _ := s.(object)
		if trust, _ := server["trust"].(bool); trust {
			return true
		}
	}
	return err != nil
}

// NewDriver returns a driver of the Agent Client Protocol that knows the CLI.
func (provider) NewDriver(r providers.Request) providers.Driver {
	f, _ := r.Fields.(*fields)
	if f == nil {
		f = &fields{}
	}
	return acp.NewDriver(acp.Session{Agent: "gemini", Cwd: r.Cwd, Load: f.Resume, Asks: r.Asks, Dialect: dialect(r, f)})
}

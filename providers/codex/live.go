package codex

import (
	"slices"

	"agentrun/providers"
	"agentrun/stream"
)

// Live says what `codex app-server` can do (0.171.0).
func (provider) Live() providers.LiveCapabilities {
	return providers.LiveCapabilities{
		Steer: true, Abort: true, Update: []string{"model", "access", "effort"}, Images: true,
		Asks:   []string{stream.AskToolPermission, stream.AskQuestion, stream.AskAuth},
		Deltas: true, Session: true,
	}
}

// LiveCommand is `codex app-server`. What the thread and its turns are to be is
// said on the wire; the rest are the settings of the one-way mode.
func (provider) LiveCommand(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*fields)
	if !ok {
		return providers.Command{}, providers.Errorf(providers.Usage, "", "the request's fields are not codex's")
	}
	if err := validateLive(r, f); err != nil {
		return providers.Command{}, err
	}
	servers, err := mcpServers(r, f)
	if err != nil {
		return providers.Command{}, err
	}
	args := append([]string{"app-server"}, liveFlags(r, f)...)
	args = append(args, settings(r, f)...)
	args = append(args, servers...)
	args = append(args, systemArg(r)...)
	args = append(args, boundReconnects(r, f)...)
	args = append(args, withoutGitCheck(r.VendorArgs)...)
	if err := tooLong(args); err != nil {
		return providers.Command{}, err
	}
	return providers.Command{Args: args, Files: systemFiles(f)}, nil
}

func (provider) NewDriver(r providers.Request) providers.Driver { return newDriver(r) }

// liveFlags are the fields that are flags of the app server, too.
func liveFlags(r providers.Request, f *fields) []string {
	given := map[string]bool{}
	for _, name := range []string{"strict_config", "enable", "disable", "config"} {
		given[name] = r.Set[name]
	}
	return providers.Argv(f, given)
}

// validateLive is validate for the two-way mode.
func validateLive(r providers.Request, f *fields) error {
	if r.Prompt != "" {
		return providers.Errorf(providers.Usage, "", "a live session begins without a prompt: send it as a message")
	}
	if r.Given("image") {
		return providers.Errorf(providers.Usage, "", "image: in a live session an image is a part of a message")
	}
	for _, name := range onlyExec() {
		if r.Given(name) {
			return providers.Errorf(providers.Unsupported, name, "%s: codex has it in one-way runs only, not in a live session", name)
		}
	}
	return firstError(
		providers.CheckVersions(r),
		providers.Exclusive(r, "access", "approve_for_me", "bypass"),
		checkSession(f),
		checkSandbox(f),
		checkWords(r, f),
		checkConfig(f),
		checkFiles(r, f),
		checkAsks(r, f),
	)
}

// checkAsks refuses what would let tools run without a policy being asked.
func checkAsks(r providers.Request, f *fields) error {
	what := ""
	switch {
	case !r.Asks:
	case f.Bypass:
		what = "bypass"
	case f.ApproveForMe:
		what = "approve_for_me"
	case f.MCPApprove:
		what = "mcp_approve"
	case r.Given("approval") && f.Approval != askMost:
		what = "approval " + f.Approval
	}
	if what == "" {
		return nil
	}
	return providers.Errorf(providers.Unsupported, "policy", "%s keeps codex from asking, and no policy and no hook can decide", what)
}

// onlyExec lists the fields that the app server of 0.171.0 has nothing for.
func onlyExec() []string {
	return []string{
		"review", "continue", "trust", "worktree", "profile", "ignore_user_config", "ignore_rules", "oss", "local_provider",
	}
}

// withoutGitCheck leaves out the flag that codex exec alone has: the app server
// looks for no repository.
func withoutGitCheck(args []string) []string {
	return slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == skipGitCheck })
}

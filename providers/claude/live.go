package claude

import (
	"slices"

	"agentrun/providers"
	"agentrun/stream"
)

// stdio is the permission_prompt_tool that asks on the stream.
const stdio = "stdio"

// Live says what the stream-json input mode can do.
func (provider) Live() providers.LiveCapabilities {
	return providers.LiveCapabilities{
		Steer: true, Abort: true, Update: []string{"model", "access", "effort"}, Images: true,
		Asks:   []string{stream.AskToolPermission, stream.AskQuestion, stream.AskPlan, stream.AskAuth},
		Deltas: true, Session: true,
	}
}

// LiveCommand is the command of the one-way mode with stdin left open, and with
// the questions for a permission asked on the stream, unless the request has
// another answer to them.
func (provider) LiveCommand(r providers.Request) (providers.Command, error) {
	f, err := fieldsOf(r)
	if err != nil {
		return providers.Command{}, err
	}
	if err := validate(r, f, checkLive, checkAsks); err != nil {
		return providers.Command{}, err
	}
	var ask []string
	if f.PermissionTool == "" && f.PermissionPrompts != "none" {
		ask = []string{"--permission-prompt-tool", stdio}
	}
	c := start(r, f, ask...)
	// Tells when nothing is left to do, background subagents included.
	c.SetEnv = append(c.SetEnv, "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1")
	return c, nil
}

// checkLive refuses what has no meaning without a prompt.
func checkLive(r providers.Request, f *request) error {
	switch {
	case r.Prompt != "":
		return providers.Errorf(providers.Usage, "", "a live session begins without a prompt: send it as a message")
	case len(f.Image) > 0:
		return providers.Errorf(providers.Usage, "", "image: in a live session an image is a part of a message")
	case slices.Contains(r.VendorArgs, "--permission-prompt-tool"):
		return providers.Errorf(providers.Usage, "", "the vendor argument --permission-prompt-tool does not go together with a live session").
			WithHint("use the field permission_prompt_tool")
	}
	return nil
}

func (provider) NewDriver(r providers.Request) providers.Driver { return newDriver(r) }

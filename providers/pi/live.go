package pi

import (
	"agentrun/providers"
	"agentrun/stream"
)

// Live says what `pi --mode rpc` can do.
func (provider) Live() providers.LiveCapabilities {
	return providers.LiveCapabilities{
		Steer: true, Abort: true, Update: []string{"model", "effort"}, Images: true,
		Asks:   []string{stream.AskToolPermission, stream.AskQuestion},
		Deltas: true,
	}
}

// LiveCommand is the command of the one-way mode with --mode rpc, and with an
// extension of the session's own.
func (provider) LiveCommand(r providers.Request) (providers.Command, error) {
	f, err := fieldsOf(r)
	if err != nil {
		return providers.Command{}, err
	}
	if err := check(r, f, checkLive(r)); err != nil {
		return providers.Command{}, err
	}
	cmd := commandFor("rpc", r, f)
	if guards(r, f) && !f.NoPromptTemplates {
		// Templates are for words that begin with a slash alone.
		cmd.Args = append(cmd.Args, "--no-prompt-templates")
	}
	if guards(r, f) || r.Asks {
		cmd.Args = append(cmd.Args, "--extension", r.Dir+"/"+liveFile)
		cmd.Files = append(cmd.Files, providers.File{Name: liveFile, Content: []byte(liveExtension(r.Asks))})
	}
	cmd.Args = append(cmd.Args, r.VendorArgs...)
	return cmd, nil
}

// checkLive refuses what has no meaning without a prompt.
func checkLive(r providers.Request) error {
	if r.Prompt != "" {
		return providers.Errorf(providers.Usage, "", "a live session begins without a prompt: send it as a message")
	}
	for _, name := range []string{"image", "file"} {
		if r.Given(name) {
			return providers.Errorf(providers.Usage, "", "%s: in a live session it is a part of a message", name)
		}
	}
	return nil
}

func (provider) NewDriver(r providers.Request) providers.Driver { return newDriver(r) }

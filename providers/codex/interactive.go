package codex

import "agentrun/providers"

// Interactive is `codex resume ID` (0.171.0). Flags of the user stand before the
// subcommand, as in Command.
func (provider) Interactive(session string, r providers.Request) (providers.Command, error) {
	return providers.Command{Args: append(append([]string{}, r.VendorArgs...), "resume", session)}, nil
}

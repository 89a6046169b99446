package codex

import (
	"slices"

	"agentrun/providers"
)

// Interactive is `codex resume ID` (0.171.0). Flags of the user stand before the
// subcommand, as in Command; one of them only `codex exec` has.
func (provider) Interactive(session string, r providers.Request) (providers.Command, error) {
	args := slices.DeleteFunc(slices.Clone(r.VendorArgs), func(a string) bool { return a == skipGitCheck })
	return providers.Command{Args: append(args, "resume", session)}, nil
}

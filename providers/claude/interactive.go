package claude

import "agentrun/providers"

// Interactive is `claude --resume ID` (2.1.332).
func (provider) Interactive(session string, r providers.Request) (providers.Command, error) {
	if !isUUID(session) {
		return providers.Command{}, providers.Errorf(providers.Usage, "", "%q is not a session id of claude (a UUID)", session)
	}
	return providers.Command{Args: append([]string{"--resume", session}, r.VendorArgs...)}, nil
}

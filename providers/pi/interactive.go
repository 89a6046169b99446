package pi

import "agentrun/providers"

// Interactive is `pi --session ID` (1.6.0).
func (provider) Interactive(session string, r providers.Request) (providers.Command, error) {
	if looksLikePath(session) {
		return providers.Command{}, providers.Errorf(providers.Usage, "", "%q is a path, not a session's id", session)
	}
	return providers.Command{Args: append([]string{"--session", session}, r.VendorArgs...)}, nil
}

package gemini

import "agentrun/providers"

// Interactive is `gemini --resume ID` (0.61.0). The terminal interface deletes
// resumed sessions at its start as any other does, so that fence is up here, too.
func (provider) Interactive(session string, r providers.Request) (providers.Command, error) {
	c := providers.Command{Args: append([]string{"--resume", session}, r.VendorArgs...)}
	if r.Fenced(fenceLauncher) {
		c.SetEnv = append(c.SetEnv, "GEMINI_CLI_NO_RELAUNCH=true")
	}
	err := addSettings(r, &fields{Resume: session}, &c)
	return c, err
}

// Package all is the explicit list of the providers: a new vendor is one folder
// and one line here.
package all

import (
	"agentrun/providers"
	"agentrun/providers/acp"
	"agentrun/providers/claude"
	"agentrun/providers/codex"
	"agentrun/providers/gemini"
	"agentrun/providers/pi"
	"agentrun/providers/scripted"
)

// Providers lists the providers in the order in which they are shown.
func Providers() []providers.Provider {
	return []providers.Provider{claude.New(), codex.New(), gemini.New(), pi.New(), acp.New(), scripted.New()}
}

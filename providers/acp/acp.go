// Package acp drives any agent that speaks the Agent Client Protocol, version 1
// (agentclientprotocol.com): JSON-RPC 2.0, one message per line, on stdin and
// stdout. The driver is the protocol; what one agent does in its own way is a
// Dialect, so that a vendor's package needs no copy of it.
package acp

import (
	"agentrun/providers"
	"agentrun/stream"
)

// New returns the provider of agents that the request names.
func New() providers.Provider { return provider{} }

type provider struct{}

// About claims what the protocol can carry; an agent may tell less.
func (provider) About() providers.About {
	return providers.About{
		Name:  "acp",
		Title: "ACP agent",
		Capabilities: providers.Capabilities{
			Transport:              providers.Subprocess,
			EmitsToolEvents:        true,
			EmitsThinking:          true,
			EmitsDeltas:            true,
			ReportsUsage:           true,
			ReportsCost:            true,
			EndsWithTerminalRecord: true,
			Images:                 true,
			MCPConfig:              true,
		},
	}
}

// Live says what the protocol can do. There is no other mode.
func (provider) Live() providers.LiveCapabilities {
	return providers.LiveCapabilities{
		Abort: true, Update: []string{"model", "access", "effort"}, Images: true, Session: true,
		Asks: []string{stream.AskToolPermission, stream.AskQuestion, stream.AskAuth}, Deltas: true, Only: true,
	}
}

// NewDriver returns the driver of the session that the request asks for.
func (provider) NewDriver(r providers.Request) providers.Driver { return NewDriver(session(r)) }

// NewMapper returns a mapper of what the agent printed in a run of one message.
func (provider) NewMapper(r providers.Request) providers.Mapper {
	return newOneShot(session(r), r.Prompt)
}

// Loopback names the model server to whatever SDK the agent may use.
func (provider) Loopback(l providers.Loopback) providers.LoopbackCommand {
	const key = "agentrun-loopback"
	return providers.LoopbackCommand{Env: []string{
		"HOME=" + l.Home, "TMPDIR=" + l.Dir, "NO_BROWSER=true",
		"ANTHROPIC_BASE_URL=" + l.URL, "ANTHROPIC_API_KEY=" + key,
		"OPENAI_BASE_URL=" + l.URL + "/v1", "OPENAI_API_KEY=" + key,
		"GOOGLE_GEMINI_BASE_URL=" + l.URL, "GEMINI_API_KEY=" + key,
	}}
}

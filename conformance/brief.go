package conformance

import (
	"fmt"
	"strings"

	"agentrun/providers"
)

// Brief is an effect of a driver in a few words; sent gives those of a line to
// the vendor.
func Brief(e providers.Effect, sent func(line []byte) string) string {
	switch e := e.(type) {
	case providers.Send:
		return sent(e.Line)
	case providers.Emit:
		if notice := metadata(e.Chunk).Notice; notice != "" {
			return "notice " + notice
		}
		return strings.TrimSpace(fmt.Sprintf("emit %s %s", e.Chunk.Type, e.Chunk.ToolID))
	case providers.AgentRequest:
		note := fmt.Sprintf("request %s %s %q", e.ID, e.Kind, e.Message)
		if e.Background {
			note += " background"
		}
		return note
	case providers.Withdraw:
		return "withdraw " + e.ID
	case providers.TurnEnd:
		if e.Verdict.Err != nil {
			return fmt.Sprintf("turn end %s %s/%s", e.Status, e.Verdict.Err.Class, e.Verdict.Err.Reason)
		}
		return "turn end " + string(e.Status)
	case providers.Settle:
		if e.Err != nil {
			return "settle " + e.Input.ID + ": " + e.Err.Reason
		}
		return "settle " + e.Input.ID
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", e), "providers.")
}

package render

import (
	"fmt"
	"strings"

	"agentrun/providers"
)

// closing is the last line: verdict, time, tokens, cost.
func closing(out providers.Outcome) string {
	parts := []string{"ok"}
	if out.Err != nil {
		parts[0] = string(out.Err.Class)
		if out.Err.Reason != "" {
			parts[0] += " (" + out.Err.Reason + ")"
		}
	}
	parts = append(parts, seconds(out.Duration))
	if m := out.Terminal.Metadata; m != nil {
		if m.Usage != nil && m.Usage.InputTokens != nil && m.Usage.OutputTokens != nil {
			parts = append(parts, fmt.Sprintf("%d tokens in, %d out", *m.Usage.InputTokens, *m.Usage.OutputTokens))
		}
		if m.TotalCostUSD != nil {
			parts = append(parts, fmt.Sprintf("$%.4f", *m.TotalCostUSD))
		}
		if n := len(m.Denials); n > 0 {
			parts = append(parts, fmt.Sprintf("%d denied", n))
		}
	}
	if out.Facts.SessionID != "" {
		parts = append(parts, "session "+out.Facts.SessionID)
	}
	return "-- " + strings.Join(parts, ", ")
}

package gemini

import "agentrun/stream"

// usageOf normalizes the run's sums. The CLI counts thoughts in the total alone,
// so the output with reasoning is what the total has beyond the input.
func usageOf(s *stats) *stream.Usage {
	if s == nil || s.InputTokens == nil && s.OutputTokens == nil && s.TotalTokens == nil {
		return nil
	}
	u := &stream.Usage{
		InputTokens: s.InputTokens, CachedInputTokens: s.Cached, OutputTokens: s.OutputTokens,
		TotalTokens: s.TotalTokens, Scope: stream.ScopeRun,
	}
	if s.InputTokens != nil && s.OutputTokens != nil && s.TotalTokens != nil {
		if all := *s.TotalTokens - *s.InputTokens; all > *s.OutputTokens {
			u.OutputTokens = &all
		}
	}
	return u
}

// modelOf is the model's real name, which the CLI tells in the sums alone. An
// alias such as auto stays where more than one model was asked.
func modelOf(name string, s *stats) string {
	switch name {
	case "", "auto", "pro", "flash", "flash-lite":
	default:
		return name
	}
	if s == nil || len(s.Models) != 1 {
		return name
	}
	for only := range s.Models {
		return only
	}
	return name
}

package providers

import "agentrun/stream"

// Totals are a session's running totals before a run that carries it on.
type Totals struct {
	Usage   *stream.Usage
	CostUSD *float64
}

// share turns a session's running totals into this run's part where the totals
// before it are known. The totals stay, as session_usage and session_cost_usd.
func (before Totals) share(meta *stream.Metadata) {
	if now := meta.Usage; now != nil && now.Scope == stream.ScopeSession && before.Usage != nil {
		part, ok := subtract(*now, *before.Usage)
		if ok {
			meta.SessionUsage, meta.Usage = now, &part
		}
	}
	if now := meta.TotalCostUSD; now != nil && meta.CostScope == stream.ScopeSession && before.CostUSD != nil && *now >= *before.CostUSD {
		meta.SessionCostUSD, meta.TotalCostUSD = now, new(*now-*before.CostUSD)
		meta.CostScope = stream.ScopeRun
	}
}

// subtract is not ok where a total fell: the vendor began to count anew.
func subtract(now, before stream.Usage) (part stream.Usage, ok bool) {
	ok = true
	minus := func(a, b *int64) *int64 {
		if a == nil || b == nil {
			return a
		}
		ok = ok && *a >= *b
		return new(*a - *b)
	}
	part = stream.Usage{
		InputTokens:       minus(now.InputTokens, before.InputTokens),
		CachedInputTokens: minus(now.CachedInputTokens, before.CachedInputTokens),
		CacheWriteTokens:  minus(now.CacheWriteTokens, before.CacheWriteTokens),
		OutputTokens:      minus(now.OutputTokens, before.OutputTokens),
		ReasoningTokens:   minus(now.ReasoningTokens, before.ReasoningTokens),
		TotalTokens:       minus(now.TotalTokens, before.TotalTokens),
		Scope:             stream.ScopeRun,
		Partial:           now.Partial,
	}
	return part, ok
}

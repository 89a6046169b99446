package acp

import "agentrun/stream"

// usageReport is the protocol's draft of what a turn used (PromptResponse.usage).
type usageReport struct {
	Total       *int64 `json:"totalTokens"`
	Input       *int64 `json:"inputTokens"`
	Output      *int64 `json:"outputTokens"`
	Thought     *int64 `json:"thoughtTokens"`
	CachedRead  *int64 `json:"cachedReadTokens"`
	CachedWrite *int64 `json:"cachedWriteTokens"`
}

// usage is the report as ours. The draft leaves open whether the input includes
// what came from and went to a cache: it does not if only with that the parts
// make the total, as claude-agent-acp 0.23.1 counts.
func (r *usageReport) usage() *stream.Usage {
	if r == nil || r.Total == nil && r.Input == nil && r.Output == nil {
		return nil
	}
	input := r.Input
	if apart := plus(plus(r.Input, r.CachedRead), r.CachedWrite); r.Total != nil && apart != nil && *plus(apart, r.Output) == *r.Total {
		input = apart
	}
	return &stream.Usage{
		InputTokens: input, CachedInputTokens: r.CachedRead, CacheWriteTokens: r.CachedWrite,
		OutputTokens: r.Output, ReasoningTokens: r.Thought, TotalTokens: r.Total, Scope: stream.ScopeRun,
	}
}

// sum adds what a turn used to what those before it did.
func sum(a, b *stream.Usage) *stream.Usage {
	if a == nil || b == nil {
		if a == nil {
			a = b
		}
		return a
	}
	return &stream.Usage{
		InputTokens: plus(a.InputTokens, b.InputTokens), CachedInputTokens: plus(a.CachedInputTokens, b.CachedInputTokens),
		CacheWriteTokens: plus(a.CacheWriteTokens, b.CacheWriteTokens), OutputTokens: plus(a.OutputTokens, b.OutputTokens),
		ReasoningTokens: plus(a.ReasoningTokens, b.ReasoningTokens), TotalTokens: plus(a.TotalTokens, b.TotalTokens), Scope: b.Scope,
	}
}

func plus(a, b *int64) *int64 {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return new(*a + *b)
}

package pi

import "agentrun/stream"

// sum adds up what the vendor reported per response; the stream has no total.
type sum struct {
	reports   int
	in        usage
	reasoning int64
	reasoned  bool
	usd       float64
	apiMS     float64
	turns     int
}

// count adds a report to the facts.
func (m *mapper) count(u *usage) {
	m.sum.add(u)
	m.refresh()
}

// add counts one report: of an assistant message (failed ones too), a tool that asked a model, or a compaction.
func (s *sum) add(u *usage) {
	if u == nil {
		return
	}
	s.reports++
	s.in.Input += u.Input
	s.in.Output += u.Output
	s.in.CacheRead += u.CacheRead
	s.in.CacheWrite += u.CacheWrite
	s.in.Total += u.Total
	s.usd += u.Cost.Total
	if u.Reasoning != nil {
		s.reasoned = true
		s.reasoning += *u.Reasoning
	}
}

// plus is both sums in one.
func (s sum) plus(o sum) sum {
	s.reports += o.reports
	s.in.Input += o.in.Input
	s.in.Output += o.in.Output
	s.in.CacheRead += o.in.CacheRead
	s.in.CacheWrite += o.in.CacheWrite
	s.in.Total += o.in.Total
	s.reasoning += o.reasoning
	s.reasoned = s.reasoned || o.reasoned
	s.usd += o.usd
	s.apiMS += o.apiMS
	s.turns += o.turns
	return s
}

// usage is the sum as agentrun counts, or nil when nothing was reported.
func (s *sum) usage(partial bool) *stream.Usage {
	if s.reports == 0 {
		return nil
	}
	u := &stream.Usage{
		InputTokens:       new(s.in.Input + s.in.CacheRead + s.in.CacheWrite),
		CachedInputTokens: new(s.in.CacheRead),
		CacheWriteTokens:  new(s.in.CacheWrite),
		OutputTokens:      new(s.in.Output),
		TotalTokens:       new(s.in.Total),
		Scope:             stream.ScopeRun,
		Partial:           partial,
	}
	if s.reasoned {
		u.ReasoningTokens = new(s.reasoning)
	}
	return u
}

// cost is the sum of pi's own prices; pi says 0 where it knows none, so 0 is not reported.
func (s *sum) cost() *float64 {
	if s.usd <= 0 {
		return nil
	}
	return new(s.usd)
}

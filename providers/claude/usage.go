package claude

import "agentrun/stream"

// counts are tokens; input leaves cached and cache-written tokens out.
type counts struct {
	input, cacheRead, cacheWrite, output int64
	reasoning                            *int64
	any                                  bool // somebody reported them
}

func (c *counts) add(o counts) {
	c.input += o.input
	c.cacheRead += o.cacheRead
	c.cacheWrite += o.cacheWrite
	c.output += o.output
	if o.reasoning != nil {
		sum := *o.reasoning
		if c.reasoning != nil {
			sum += *c.reasoning
		}
		c.reasoning = &sum
	}
	c.any = c.any || o.any
}

// less takes the counts of an earlier running total off.
func (c counts) less(o counts) counts {
	c.input -= o.input
	c.cacheRead -= o.cacheRead
	c.cacheWrite -= o.cacheWrite
	c.output -= o.output
	if c.reasoning != nil && o.reasoning != nil {
		c.reasoning = new(*c.reasoning - *o.reasoning)
	}
	return c
}

// used is counts with what they stand for.
type used struct {
	counts
	scope   stream.Scope
	partial bool // not the vendor's own total
}

// usage normalizes: the whole prompt, with what came from and went to the cache.
func (u used) usage() *stream.Usage {
	if !u.any {
		return nil
	}
	return &stream.Usage{
		InputTokens:       new(u.input + u.cacheRead + u.cacheWrite),
		CachedInputTokens: new(u.cacheRead),
		CacheWriteTokens:  new(u.cacheWrite),
		OutputTokens:      new(u.output),
		ReasoningTokens:   u.reasoning,
		Scope:             u.scope,
		Partial:           u.partial,
	}
}

func countsOf(t *tokens) counts {
	if t == nil {
		return counts{}
	}
	c := counts{any: true}
	for _, p := range []struct {
		to   *int64
		from *int64
	}{{&c.input, t.Input}, {&c.cacheRead, t.CacheRead}, {&c.cacheWrite, t.CacheWrite}, {&c.output, t.Output}} {
		if p.from != nil {
			*p.to = *p.from
		}
	}
	return c
}

func sumModels(models map[string]modelUsage) counts {
	var sum counts
	for _, u := range models {
		sum.add(counts{u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Thinking, true})
	}
	return sum
}

// totals adds up what a run used. The vendor's results come first: a delta per
// result and model, subagents included. Messages count only after the last
// result, each once, with the last numbers that it gave.
type totals struct {
	changed   bool
	deltas    counts // of all results
	hasDeltas bool
	results   int
	messages  counts // of messages that are over, since the last result
	turns     int
	duration  int64
	apiTime   int64
}

// observe takes a report of the message that a lane is writing. A message
// repeats its usage on every line, and only the last is right.
func (t *totals) observe(l *lane, u *tokens) {
	if u == nil || l.counted {
		return
	}
	c := countsOf(u)
	l.usage = counts{
		input: max(l.usage.input, c.input), cacheRead: max(l.usage.cacheRead, c.cacheRead),
		cacheWrite: max(l.usage.cacheWrite, c.cacheWrite), output: max(l.usage.output, c.output), any: true,
	}
	t.changed = true
}

// settle takes the usage of a message that is over.
func (t *totals) settle(l *lane) {
	t.messages.add(l.usage)
	l.usage = counts{}
}

// countResult takes a turn's record.
func (m *mapper) countResult(r *resultLine) {
	t := &m.totals
	t.results++
	t.changed = true
	if r.ModelUsageDelta != nil {
		t.hasDeltas = true
		t.deltas.add(sumModels(r.ModelUsageDelta))
	}
	t.messages = counts{}
	for _, l := range m.lanes {
		l.usage, l.counted = counts{}, true
	}
	if r.NumTurns != nil {
		t.turns += *r.NumTurns
		m.facts.NumTurns = new(m.before.numTurns + t.turns)
	}
	t.duration += r.DurationMS
	t.apiTime = max(t.apiTime, r.DurationAPIMS)
	if r.TotalCostUSD != nil {
		m.facts.CostUSD, m.facts.CostScope = r.TotalCostUSD, m.scope()
	}
}

// usage is the best known of the run, or of the turn of a live session: nil when
// nothing was reported.
func (m *mapper) usage() *stream.Usage { return m.used().usage() }

// used is what the run, or the turn of a live session, used so far.
func (m *mapper) used() used {
	sum := m.totals.messages
	for _, l := range m.lanes {
		sum.add(l.usage)
	}
	u := m.reported()
	u.partial = u.partial || sum.any
	u.add(sum)
	return u
}

// reported is what the vendor's results say.
func (m *mapper) reported() used {
	r, t := m.last, &m.totals
	switch {
	case r == nil:
		return used{scope: stream.ScopeRun}
	case t.hasDeltas && t.deltas.any:
		return used{counts: t.deltas, scope: stream.ScopeRun}
	case !t.hasDeltas && len(r.ModelUsage) > 0:
		return used{counts: sumModels(r.ModelUsage).less(m.before.running), scope: m.scope()}
	}
	// The main conversation of the last turn alone.
	return used{counts: countsOf(r.Usage), scope: stream.ScopeRun, partial: t.results != 1}
}

// scope is that of the vendor's running totals, which a resumed session carries
// on; those of turns that are over are taken off.
func (m *mapper) scope() stream.Scope {
	if m.resumed && m.before.turns == 0 {
		return stream.ScopeSession
	}
	return stream.ScopeRun
}

// deny collects a denial, once per tool call.
func (m *mapper) deny(d stream.Denial) {
	const most = 1000
	for i := range m.denials {
		have := &m.denials[i]
		if d.ToolID == "" || have.ToolID != d.ToolID {
			continue
		}
		if len(have.Input) == 0 {
			have.Input = d.Input
		}
		if have.Message == "" {
			have.Message = d.Message
		}
		return
	}
	if len(m.denials) < most {
		m.denials = append(m.denials, d)
	}
}

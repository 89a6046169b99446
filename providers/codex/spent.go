package codex

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// spent counts tokens. The server gives the thread's running total at every
// request of the model, and for a thread that is carried on first that of its
// last turn, under the name of that.
type spent struct {
	total  tokens
	before tokens // when the turn began
	known  bool   // a turn of the session was counted
	moved  bool   // in the turn
}

type tokens struct {
	Input     int64 `json:"inputTokens"`
	Cached    int64 `json:"cachedInputTokens"`
	Write     int64 `json:"cacheWriteInputTokens"`
	Output    int64 `json:"outputTokens"`
	Reasoning int64 `json:"reasoningOutputTokens"`
}

// usageEvent is thread/tokenUsage/updated.
type usageEvent struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
	Usage  struct {
		Total tokens `json:"total"`
		Last  tokens `json:"last"`
	} `json:"tokenUsage"`
}

func (d *driver) usage(line *jsonrpc.Message, do func(providers.Effect)) error {
	var e usageEvent
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	if m, _ := d.of(e.Thread, do); m != d.m {
		return nil // exec does not count subagents either
	}
	s := &d.spent
	ours := d.turn.runs && e.Turn == d.turn.id
	switch first := ours && !s.known; {
	case first && d.fields.Fork:
		// The total told before may count more than the copy carries on from.
		s.before = e.Usage.Total.minus(e.Usage.Last)
	case !ours && !s.moved:
		s.before = e.Usage.Total
	}
	s.known = s.known || ours
	s.total, s.moved = e.Usage.Total, s.moved || ours && e.Usage.Total != s.before
	d.m.usage = s.total.usage(d.m.asked.scope)
	return nil
}

func (s *spent) begin() { s.before, s.moved = s.total, false }

// turn is the turn's own usage, and the running total where that is another.
func (s *spent) turn() (turn, session *stream.Usage) {
	if !s.moved {
		return nil, nil
	}
	turn = s.total.minus(s.before).usage(stream.ScopeRun)
	if s.before != (tokens{}) {
		session = s.total.usage(stream.ScopeSession)
	}
	return turn, session
}

func (t tokens) minus(o tokens) tokens {
	return tokens{t.Input - o.Input, t.Cached - o.Cached, t.Write - o.Write, t.Output - o.Output, t.Reasoning - o.Reasoning}
}

func (t tokens) usage(scope stream.Scope) *stream.Usage {
	return &stream.Usage{
		InputTokens: new(t.Input), CachedInputTokens: new(t.Cached), CacheWriteTokens: new(t.Write),
		OutputTokens: new(t.Output), ReasoningTokens: new(t.Reasoning), Scope: scope,
	}
}

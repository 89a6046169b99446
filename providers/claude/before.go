package claude

import (
	"math"

	"agentrun/stream"
)

// before is what the turns of a live session used that are over. It is zero in a
// one-way run.
type before struct {
	turns    int // of ours; a turn of the vendor's count is a model request or so
	used     used
	numTurns int
	running  counts // the vendor's running totals at the end of the last turn
	cost     float64
	apiTime  int64
}

// nextTurn begins another turn of a live session. What messages that go on in
// the background used comes with the next result.
func (m *mapper) nextTurn() {
	b, t := &m.before, &m.totals
	if m.last != nil || m.worked {
		b.used = b.used.plus(m.reported())
		b.turns++
		b.numTurns += t.turns
		b.apiTime = max(b.apiTime, t.apiTime)
		if m.facts.CostUSD != nil {
			b.cost = *m.facts.CostUSD
		}
		if m.last != nil && len(m.last.ModelUsage) > 0 {
			b.running = sumModels(m.last.ModelUsage)
		}
	}
	m.totals = totals{changed: true, messages: t.messages}
	m.last, m.failure, m.blocked = nil, nil, ""
	m.worked, m.spoke, m.ended = false, false, false
	m.warnings, m.denials = nil, nil
}

// sessionUsage is the usage of all turns.
func (m *mapper) sessionUsage() *stream.Usage {
	if m.before.turns == 0 {
		return m.usage()
	}
	return m.before.used.plus(m.used()).usage()
}

func (u used) plus(o used) used {
	if u.scope != stream.ScopeSession { // a running total stays one
		u.scope = o.scope
	}
	u.add(o.counts)
	u.partial = u.partial || o.partial
	return u
}

// turnMetadata is the metadata of the turn alone.
func (m *mapper) turnMetadata(session stream.Metadata) stream.Metadata {
	turn, b := session, m.before
	turn.Usage = m.usage()
	if turn.NumTurns != nil {
		turn.NumTurns = new(m.totals.turns)
	}
	if b.turns == 0 {
		return turn
	}
	turn.CostScope = stream.ScopeRun
	if c := turn.TotalCostUSD; c != nil && *c >= b.cost {
		const nano = 1e9 // the difference of two sums has digits that nobody meant
		turn.TotalCostUSD = new(math.Round((*c-b.cost)*nano) / nano)
	}
	turn.DurationAPIMS = max(0, turn.DurationAPIMS-b.apiTime)
	return turn
}

package pi

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// turn is the turn that runs: from a message of ours, or from agent_start where
// an extension began it, to agent_settled.
type turn struct {
	runs     bool
	accepted bool               // pi has the message
	begun    bool               // and is at work, so that there is something to steer and to abort
	steers   []stream.LiveInput // that wait for that: of two prompts that begin, pi would lose one
	aborting bool               // we want its end
	told     bool               // and said so
	cut      bool               // the wait for another attempt was ended
	denials  []stream.Denial
}

func (d *driver) begin(t turn) {
	d.m.nextTurn()
	d.turn = t
}

// taken takes the response to a message.
func (d *driver) taken(r response, do func(providers.Effect)) {
	t := &d.turn
	var data promptData
	_ = ndjson.Unmarshal(r.Data, &data) // before 0.99.0 there is none
	switch {
	case !t.runs:
	case !r.Success && !t.begun:
		d.end(r.refusal(), do)
	case data.Disposition == "handled" && !t.begun:
		do(providers.Emit{Chunk: stream.Notice(stream.NoticeInfo, "pi took the message for one of its commands")})
		d.end(nil, do)
	default:
		t.accepted = true
		t.begun = t.begun || data.Disposition != ""
		d.catchUp(do)
		if data.Disposition == "" && !t.begun {
			d.probe(do) // it may have been a command
		}
	}
}

// started takes agent_start: of the turn's first attempt or a further one, or
// of a turn that an extension began.
func (d *driver) started(do func(providers.Effect)) {
	d.stirs++
	if !d.turn.runs {
		d.begin(turn{runs: true, accepted: true})
		do(providers.TurnStart{})
	}
	d.turn.begun = true
	d.catchUp(do)
}

// moved takes note of an event that the mapper has taken.
func (d *driver) moved(kind string, rec ndjson.Record, do func(providers.Effect)) error {
	switch kind {
	case "agent_settled":
		if d.turn.runs && d.turn.accepted {
			d.end(nil, do)
		}
	case "agent_end":
		d.probeEnd(do)
	case "auto_retry_start", "compaction_start":
		d.stirs++
	case "auto_retry_end":
		return decode(rec, func(e retryEnd) {
			d.turn.cut = !e.Success && strings.Contains(e.FinalError, "cancelled")
			if !e.Success {
				d.probeEnd(do)
			}
		})
	case "compaction_end":
		return decode(rec, func(e compactionEvent) {
			if !e.WillRetry {
				d.probeEnd(do)
			}
		})
	}
	return nil
}

type retryEnd struct {
	Success    bool   `json:"success"`
	FinalError string `json:"finalError"`
}

// probeEnd asks whether the turn is over, of a pi that does not say so by itself:
// before 0.80.4 agent_end may be followed by another attempt.
func (d *driver) probeEnd(do func(providers.Effect)) {
	if d.turn.runs && d.m.ended && (d.m.legacy || d.m.before("0.80.4")) {
		d.probe(do)
	}
}

// probe ends the turn when pi does nothing, and has taken up nothing since.
func (d *driver) probe(do func(providers.Effect)) {
	stirs := d.stirs
	providers.SendLine(d.command("get_state", func(r response, do func(providers.Effect)) {
		var s state
		switch err := ndjson.Unmarshal(r.Data, &s); {
		case err != nil || !d.turn.runs || !d.turn.accepted || stirs != d.stirs:
		case s.Streaming || s.Compacting:
			d.probe(do)
		default:
			d.m.settled = true
			d.end(nil, do)
		}
	}), do)
}

// end says how the turn ended; err is why pi did not begin it.
func (d *driver) end(err *providers.Error, do func(providers.Effect)) {
	d.dropAsks(false, do)
	t, m := d.turn, d.m
	d.turn = turn{}
	for _, in := range t.steers {
		do(providers.Settle{Input: in, Err: noTurn()})
	}
	v := providers.Verdict{Err: err, Metadata: stream.Metadata{SessionID: m.Facts().SessionID}}
	if err == nil && t.begun {
		v = m.Verdict(providers.Exit{})
	}
	v.Metadata.Usage, v.Metadata.TotalCostUSD, v.Metadata.NumTurns = m.sum.usage(false), m.sum.cost(), nil
	if m.sum.turns > 0 {
		v.Metadata.NumTurns = new(m.sum.turns)
	}
	v.Metadata.Denials = t.denials
	e := providers.TurnEnd{Status: stream.TurnCompleted, Verdict: v}
	switch {
	case t.aborting && (!t.told || m.aborted || t.cut || m.last.StopReason == "aborted"):
		e.Status, e.Verdict.Err = stream.TurnCancelled, nil
	case v.Err != nil:
		e.Status = stream.TurnFailed
	}
	do(e)
}

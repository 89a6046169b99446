package acp

import (
	"agentrun/providers"
	"agentrun/stream"
)

// judge decides on a turn by why it stopped.
func (d *driver) judge(stopReason string, t turn) *providers.Error {
	if own := d.cfg.Dialect.Judge; own != nil {
		if err := own(stopReason); err != nil {
			return err
		}
	}
	of := func(class providers.Class, reason, message string) *providers.Error {
		return &providers.Error{Class: class, Reason: reason, Message: d.cfg.Agent + message, Origin: providers.OriginProvider}
	}
	switch stopReason {
	case "end_turn":
		if t.did || t.command {
			return nil
		}
		err := of(providers.Agent, providers.ReasonEmpty, " gave an empty answer")
		err.Retryable = true
		return err
	case "max_tokens":
		return of(providers.Limit, providers.ReasonTruncated, " stopped at the limit of tokens")
	case "max_turn_requests":
		return of(providers.Limit, providers.ReasonMaxTurns, " reached its limit of model requests in a turn")
	case "refusal":
		return of(providers.Refusal, "", " refused to go on")
	case "":
		return providers.Errorf(providers.Protocol, providers.ReasonMalformed, "%s ended the turn without a reason", d.cfg.Agent)
	}
	return of(providers.Agent, "", " stopped with the reason "+stopReason)
}

// Verdict is that of a session which ended by itself, or never began.
func (d *driver) Verdict(exit providers.Exit) providers.Verdict {
	v := providers.Verdict{Metadata: stream.Metadata{SessionID: d.session, Model: d.set.model, Usage: d.usage}, Explained: true}
	switch {
	case d.failed != nil:
		v.Err = d.failed
	case exit.Signal != "":
		v.Err = providers.SignalError(exit)
	case !d.ready:
		v.Err = d.unready(exit)
	case exit.Code != 0 || !d.turn.runs:
		v.Err = providers.Errorf(providers.Process, providers.ReasonCrash, "%s ended the session with exit status %d%s", d.cfg.Agent, exit.Code, exit.LastWords())
	default:
		v.Err = providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "%s ended in the middle of a turn%s", d.cfg.Agent, exit.LastWords())
		v.Err.Retryable = true
	}
	return v
}

func (d *driver) unready(exit providers.Exit) *providers.Error {
	if own := d.cfg.Dialect.Unready; own != nil {
		if err := own(exit); err != nil {
			return err
		}
	}
	if exit.Records == 0 {
		err := providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "%s ended with exit status %d and not a word of the Agent Client Protocol%s", d.cfg.Agent, exit.Code, exit.LastWords())
		return err.WithHint("the command must start the agent in its ACP mode")
	}
	return providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "%s ended with exit status %d before the session began%s", d.cfg.Agent, exit.Code, exit.LastWords())
}

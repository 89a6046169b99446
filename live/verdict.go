package live

import (
	"agentrun/providers"
	"agentrun/stream"
)

// Verdict is that of a session as a whole: of the vendor, unless it was closed
// in good order. A session of one turn is judged by that turn, and one that
// nobody attends by its last.
func (s *session) Verdict(exit providers.Exit) providers.Verdict {
	if !s.closed || s.running {
		return s.driver.Verdict(exit)
	}
	f := s.driver.Facts()
	v := providers.Verdict{Metadata: stream.Metadata{SessionID: f.SessionID, Model: f.Model}}
	if s.cfg.Alone || s.turn == 1 {
		v = s.last.Verdict
	}
	switch {
	case !s.cfg.Alone || v.Err != nil:
	case s.turn == 0 && s.refused != nil:
		v.Err = s.refused
	case s.last.Status == stream.TurnCancelled:
		v.Err = providers.Errorf(providers.Permission, providers.ReasonDenied, "the policy ended the turn")
	}
	v.Explained = true
	if s.turn != 1 {
		v.Metadata.Usage, v.Metadata.NumTurns = f.Usage, f.NumTurns
		v.Metadata.TotalCostUSD, v.Metadata.CostScope = f.CostUSD, f.CostScope
	}
	return v
}

// over says what became of all that was under way when the process was gone.
func (s *session) over(out providers.Outcome) {
	s.gone, s.out = true, providers.Outlet{}
	for len(s.open) > 0 {
		s.finishRequest(s.open[0].ID, "", "agent")
	}
	if s.running {
		e := providers.TurnEnd{Status: stream.TurnFailed, Verdict: providers.Verdict{Err: out.Err, Metadata: stream.Metadata{SessionID: out.Facts.SessionID}}}
		if out.Cancelled() {
			e.Status, e.Verdict.Err = stream.TurnCancelled, nil
		}
		s.turnEnded(e)
	}
	letters, _ := s.mail.empty()
	for _, in := range append(s.later, s.queue...) {
		letters = append(letters, letter{Input: Input{LiveInput: in}})
	}
	for _, in := range letters {
		if in.do != nil {
			continue // the answer to a question that is none any more
		}
		if in.Err == nil {
			in.Err = providers.Errorf(providers.Session, "ended", "the session has ended")
		}
		s.refuse(in.LiveInput, in.Err)
	}
	s.enter(stream.StateClosed)
}

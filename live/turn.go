package live

import (
	"slices"

	"agentrun/providers"
	"agentrun/stream"
)

// do carries out an effect of the driver.
func (s *session) do(e providers.Effect) {
	switch e := e.(type) {
	case providers.Send:
		s.vendor.send(e.Line)
	case providers.CloseStdin:
		s.vendor.close()
	case providers.Emit:
		s.out.Put(e.Chunk)
	case providers.Ready:
		s.ready = true
		s.rest()
	case providers.AgentRequest:
		s.seen++
		s.asked(e)
	case providers.Withdraw:
		s.finishRequest(e.ID, "", "agent")
	case providers.TurnStart:
		s.seen++
		s.began()
	case providers.TurnEnd:
		s.seen++
		s.ended(e)
	case providers.Settle:
		s.settle(e)
	}
}

// next begins the next turn, or the end, when nothing runs.
func (s *session) next() {
	for s.ready && !s.running && !s.closed && len(s.queue) > 0 {
		in := s.queue[0]
		s.queue = s.queue[1:]
		s.begin(in)
	}
	if s.closing && !s.running && !s.closed && len(s.queue) == 0 && s.ready {
		s.closed = true
		s.rest()
		s.driver.Close(s.do)
	}
}

// begin gives a message to the driver. The turn begins for us at that moment,
// whenever the vendor says so.
func (s *session) begin(in stream.LiveInput) {
	s.current = []string{in.ID}
	if err := s.driver.Message(in, s.do); err != nil {
		s.current = nil
		s.refuse(in, err)
		return
	}
	s.line(stream.LiveLine{Type: stream.LiveAck, ID: in.ID, Input: in.Type})
	s.began()
}

// began takes note of a turn, once, whether we or the vendor began it.
func (s *session) began() {
	if s.running {
		return
	}
	s.running = true
	s.turn++
	line := stream.LiveLine{Type: stream.LiveTurnStart, Turn: s.turn}
	for _, id := range s.current {
		if id != "" {
			line.Messages = append(line.Messages, id)
		}
	}
	s.line(line)
	s.rest()
}

// ended takes note of the end of the turn that runs.
func (s *session) ended(e providers.TurnEnd) {
	if !s.running {
		return
	}
	s.finishRequests("", "agent")
	s.turnEnded(e)
	s.rest()
}

func (s *session) turnEnded(e providers.TurnEnd) {
	s.running, s.current, s.last = false, nil, e
	meta := ofTurn(e.Verdict.Metadata)
	line := stream.LiveLine{Type: stream.LiveTurnEnd, Turn: s.turn, Status: e.Status, Content: e.Verdict.Content, Metadata: &meta}
	if err := e.Verdict.Err; err != nil {
		line.Class, line.Reason, line.Message = string(err.Class), err.Reason, err.Error()
	}
	s.line(line)
}

// ofTurn is a turn's metadata: what counts a run to the driver counts the turn here.
func ofTurn(m stream.Metadata) stream.Metadata {
	if m.Usage != nil && m.Usage.Scope == stream.ScopeRun {
		usage := *m.Usage
		usage.Scope = stream.ScopeTurn
		m.Usage = &usage
	}
	if m.CostScope == stream.ScopeRun {
		m.CostScope = stream.ScopeTurn
	}
	return m
}

// rest says what the session does when nobody is asked.
func (s *session) rest() {
	switch {
	case s.gone:
	case slices.ContainsFunc(s.open, func(r *request) bool { return r.told }):
		s.enter(stream.StateWaiting)
	case s.running:
		s.enter(stream.StateRunning)
	case s.closed:
		s.enter(stream.StateClosing)
	default:
		s.enter(stream.StateIdle)
	}
}

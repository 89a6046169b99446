package live

import (
	"context"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Adviser has a say in a request, in its own time: the session goes on meanwhile,
// and the request stays open.
type Adviser struct {
	// IfOpen leaves the adviser out where the request is allowed already.
	IfOpen bool
	// Ask is called by a goroutine of its own. The end of ctx means that the answer
	// is no longer wanted; Ask then returns soon, and what it returns is not looked at.
	Ask func(ctx context.Context, r providers.AgentRequest) Advice
}

// Advice is what an adviser says. The zero value says nothing.
type Advice struct {
	// Action decides the request: Decline, or, with Data, Accept.
	Action stream.Action
	Reason string            // of a decline, for the agent
	Data   ndjson.RawMessage // of the answer; fits the request's schema
	// Input takes the place of the tool's input, where the request leaves it open
	// (AgentRequest.Rewritable): who is asked after that is asked about the changed call.
	Input ndjson.RawMessage
	// Notice is told in the stream; Type "" is none.
	Notice stream.Chunk
}

// consult asks the next adviser about a request; when all were asked, it is settled.
func (s *session) consult(r *request) {
	for len(r.advisers) > 0 {
		next := r.advisers[0]
		r.advisers = r.advisers[1:]
		if next.IfOpen && r.word.Action == stream.Accept {
			continue
		}
		ctx, stop := context.WithCancel(s.ctx)
		r.stop = stop
		about := r.AgentRequest // the session may go on to change its own
		s.advisers.Go(func() {
			advice := next.Ask(ctx, about)
			s.mail.post(func() { s.advised(r, advice) })
		})
		return
	}
	s.settleRequest(r)
}

// advised takes the word of an adviser, unless the request has ended meanwhile.
func (s *session) advised(r *request, a Advice) {
	if !slices.Contains(s.open, r) || s.ctx.Err() != nil {
		return
	}
	r.stop()
	if a.Notice.Type != "" {
		s.out.Put(a.Notice)
	}
	switch {
	case a.Action != "":
		s.decided(r, Decision{Action: a.Action, Message: a.Reason}, byHook, a.Data)
		return
	case len(a.Input) > 0:
		r.change(a.Input)
		if s.ruledOut(r) {
			return
		}
	}
	s.consult(r)
}

// change puts another input in place of the tool's. What the vendor told of the
// old one is forgotten, so that nobody decides by it.
func (r *request) change(input ndjson.RawMessage) {
	var in struct {
		Command string `json:"command"`
	}
	_ = ndjson.Unmarshal(input, &in) // another tool's input, or a command that is a list
	r.Context.ToolInput, r.Context.Command, r.Context.Paths, r.changed = input, in.Command, nil, true
}

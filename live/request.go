package live

import (
	"context"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Who decided a request, as a request_end line says it.
const (
	byPolicy = "policy"
	byHook   = "hook"
	byNobody = "nobody"
)

// request is one of the agent's that has no answer yet.
type request struct {
	providers.AgentRequest
	word     Decision           // the policy's
	advisers []Adviser          // still to be asked
	stop     context.CancelFunc // ends the adviser that is being asked; nil before the first
	changed  bool               // the tool's input is not the agent's own
	told     bool               // by a line: somebody may answer
}

// asked takes a request of the agent. The policy comes first, and its no is final;
// then the advisers have their say.
func (s *session) asked(a providers.AgentRequest) {
	r := &request{AgentRequest: a}
	s.open = append(s.open, r)
	if s.ruledOut(r) {
		return
	}
	if s.cfg.Advise != nil {
		r.advisers = s.cfg.Advise(a)
	}
	s.consult(r)
}

// ruledOut asks the policy, and reports whether its answer was no.
func (s *session) ruledOut(r *request) bool {
	if s.cfg.Decide != nil {
		r.word = s.cfg.Decide(r.AgentRequest)
	}
	if r.word.Action == "" || r.word.Action == stream.Accept {
		return false
	}
	s.decided(r, r.word, byPolicy, nil)
	return true
}

// settleRequest has the policy's word carried out, or somebody asked by a line,
// or, where nobody is there, the request declined.
func (s *session) settleRequest(r *request) {
	d := r.word
	switch {
	case d.Action != "":
		s.decided(r, d, byPolicy, nil)
		return
	case s.alone:
		n := nobody()
		n.Rule = d.Rule
		s.decided(r, n, byNobody, nil)
		return
	case d.Rule != "":
		s.audit(r, "ask", byPolicy, d)
	}
	r.told = true
	ctx := r.Context
	s.line(stream.LiveLine{Type: stream.LiveRequest, ID: r.ID, Kind: r.Kind, Message: r.Message, Schema: r.Schema, Context: &ctx})
	s.rest()
}

func nobody() Decision {
	return Decision{Action: stream.Decline, Message: "nobody is there to allow it"}
}

// leaveAlone declines what is asked now and from now on: nobody will answer.
func (s *session) leaveAlone() {
	s.alone = true
	for _, r := range slices.Clone(s.open) {
		if r.told {
			s.decided(r, nobody(), byNobody, nil)
		}
	}
}

// decided answers a request in the name of the policy or of a hook, and tells so.
func (s *session) decided(r *request, d Decision, by string, data ndjson.RawMessage) {
	in := stream.LiveInput{Type: stream.LiveAnswer, RequestID: r.ID, Action: d.Action, Message: d.Message, Data: data}
	err := s.driver.Answer(r.complete(in), s.do)
	if err != nil {
		// It cannot be accepted in this way, like a question without its answers.
		d.Action, d.Message = stream.Decline, err.Error()
		in.Action, in.Message, in.Data = d.Action, d.Message, nil
		_ = s.driver.Answer(in, s.do) // one that cannot even be declined is open no longer
	}
	if by != byHook || err != nil { // a hook's own notice tells
		s.audit(r, string(d.Action), by, d)
	}
	s.finishRequest(r.ID, d.Action, by)
}

// complete gives an accepting answer the input that the tool is to have.
func (r *request) complete(in stream.LiveInput) stream.LiveInput {
	if r.changed && in.Action == stream.Accept && len(in.Data) == 0 {
		in.Data = r.Context.ToolInput
	}
	return in
}

// auditData is the data of a notice about a decision.
type auditData struct {
	RequestID string `json:"request_id"`
	Action    string `json:"action"` // accept, decline, cancel or ask
	By        string `json:"by"`     // policy, nobody or hook
	Rule      string `json:"rule,omitempty"`
	Reason    string `json:"reason,omitempty"`
}

// audit tells of a decision in the stream.
func (s *session) audit(r *request, action, by string, d Decision) {
	words := action + " " + r.Context.ToolName
	if d.Rule != "" {
		words += " (rule " + d.Rule + ")"
	}
	if d.Message != "" {
		words += ": " + d.Message
	}
	meta := &stream.Metadata{
		Notice: stream.NoticePolicy, ParentToolID: r.Context.ParentToolID,
		Data: ndjson.Encode(auditData{r.ID, action, by, d.Rule, d.Message}),
	}
	s.out.Put(stream.Chunk{Type: stream.System, Content: words, ToolName: r.Context.ToolName, ToolID: r.Context.ToolID, Metadata: meta})
}

// answer carries out somebody's answer to a request.
func (s *session) answer(in stream.LiveInput) error {
	i := slices.IndexFunc(s.open, func(r *request) bool { return r.ID == in.RequestID && r.told })
	switch {
	case i < 0:
		return providers.Errorf(providers.Usage, "no_request", "no request %q is open", in.RequestID)
	case in.Action != stream.Accept && in.Action != stream.Decline && in.Action != stream.Cancel:
		return providers.Errorf(providers.Usage, "", "the action is accept, decline or cancel, not %q", in.Action)
	case in.For != "" && in.For != "once" && in.For != "session":
		return providers.Errorf(providers.Usage, "", "an answer is for once or for the session, not for %q", in.For)
	case in.For == "session" && !s.caps.Session:
		return providers.Errorf(providers.Unsupported, "session", "%s cannot be answered for the session", s.cfg.Job.Provider.About().Title)
	}
	r := s.open[i]
	if err := checkData(r.AgentRequest, in); err != nil {
		return err
	}
	if err := s.driver.Answer(r.complete(in), s.do); err != nil {
		return err
	}
	s.finishRequest(in.RequestID, in.Action, "answer")
	return nil
}

// checkData holds an accepting answer's data against the request's schema.
func checkData(r providers.AgentRequest, in stream.LiveInput) error {
	if len(in.Data) == 0 || in.Action != stream.Accept {
		return nil
	}
	if len(r.Schema) == 0 {
		return providers.Errorf(providers.Usage, "", "request %s takes no data", r.ID)
	}
	if err := r.Fits(in.Data); err != nil {
		return providers.Errorf(providers.Usage, "data", "the data does not fit the request's schema: %w", err)
	}
	return nil
}

// finishRequest closes a request, once.
func (s *session) finishRequest(id string, action stream.Action, by string) {
	i := slices.IndexFunc(s.open, func(r *request) bool { return r.ID == id })
	if i < 0 {
		return
	}
	if r := s.open[i]; r.stop != nil {
		r.stop()
	}
	s.open = slices.Delete(s.open, i, i+1)
	s.line(stream.LiveLine{Type: stream.LiveRequestEnd, ID: id, Action: action, By: by})
	s.rest()
}

// finishRequests closes the requests that end with the turn.
func (s *session) finishRequests(action stream.Action, by string) {
	for _, r := range slices.Clone(s.open) {
		if !r.Background {
			s.finishRequest(r.ID, action, by)
		}
	}
}

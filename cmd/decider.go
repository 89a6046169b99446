package cmd

import (
	"fmt"

	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/policy"
	"agentrun/providers"
	"agentrun/stream"
)

// decider answers the requests of one run by its policy.
type decider struct {
	policy   *policy.Policy
	world    policy.World
	provider string
	depths   map[string]int // of the calls that a call makes; 1 where it is not there
	open     map[string]openCall
}

// openCall is a tool call without a result.
type openCall struct {
	asked bool
	use   stream.Chunk // when nobody asked
}

// decide is a live.Decide. Only tools are a policy's business: a question is for a person.
func (d *decider) decide(r providers.AgentRequest) live.Decision {
	if r.Kind != stream.AskToolPermission && r.Kind != stream.AskPlan {
		return live.Decision{}
	}
	if r.Context.ToolID != "" {
		d.open[r.Context.ToolID] = openCall{asked: true}
	}
	decision := d.word(r)
	answer := live.Decision{Rule: decision.Label(), Message: decision.Reason}
	switch decision.Action {
	case policy.Allow:
		answer.Action = stream.Accept
	case policy.Deny:
		answer.Action = stream.Decline
	case policy.Ask:
	}
	return answer
}

func (d *decider) word(r providers.AgentRequest) policy.Decision {
	c := r.Context
	return d.policy.Decide(policy.Call{
		Provider: d.provider, Tool: c.ToolName, Input: c.ToolInput, Command: c.Command, Paths: c.Paths, Depth: d.depth(r),
	}, d.world)
}

// depth is how deep the subagent is that asks. Background work is a subagent's,
// also where the vendor does not say whose.
func (d *decider) depth(r providers.AgentRequest) int {
	if r.Context.ParentToolID == "" && r.Background {
		return 1
	}
	return d.below(r.Context.ParentToolID)
}

// below is the depth of the calls that a call makes, "" for the main conversation.
func (d *decider) below(parent string) int {
	if depth, known := d.depths[parent]; known {
		return depth
	}
	if parent == "" {
		return 0
	}
	return 1
}

// watching is the sink, with the calls noted that somebody may ask about, and
// told of those that ran although nobody did.
func (d *decider) watching(emit providers.Sink) providers.Sink {
	if d == nil {
		return emit
	}
	return func(c stream.Chunk) error {
		switch c.Type {
		case stream.ToolUse:
			d.began(c)
		case stream.ToolResult:
			if notice, ok := d.unasked(c); ok {
				if err := emit(notice); err != nil {
					return err
				}
			}
		default:
		}
		return emit(c)
	}
}

func (d *decider) began(c stream.Chunk) {
	parent := ""
	if c.Metadata != nil {
		parent = c.Metadata.ParentToolID
	}
	switch kind := policy.Kind(c.ToolName); {
	case kind == policy.Other && parent != "": // it may begin a subagent
		d.depths[c.ToolID] = d.below(parent) + 1
	case kind == policy.Exec: // the calls of a script are those of whoever runs it
		d.depths[c.ToolID] = d.below(parent)
	}
	if _, asked := d.open[c.ToolID]; !asked && c.ToolID != "" {
		d.open[c.ToolID] = openCall{use: c}
	}
}

// unasked is a notice of a call that ran without being asked about: the vendor
// holds some for harmless, and there the policy can only tell what it would have said.
func (d *decider) unasked(c stream.Chunk) (stream.Chunk, bool) {
	call, ok := d.open[c.ToolID]
	delete(d.open, c.ToolID)
	if policy.Kind(c.ToolName) == policy.Exec {
		delete(d.depths, c.ToolID)
	}
	if !ok || call.asked || c.Metadata != nil && c.Metadata.Denied {
		return c, false
	}
	var r providers.AgentRequest
	r.Kind, r.Context.ToolName, r.Context.ToolID, r.Context.ToolInput = stream.AskToolPermission, call.use.ToolName, c.ToolID, call.use.ToolInput
	if m := call.use.Metadata; m != nil {
		var told struct { // where the protocol has paths in place of an input
			Paths []string `json:"paths"`
		}
		_ = ndjson.Unmarshal(m.Data, &told)
		r.Context.ParentToolID, r.Context.Paths = m.ParentToolID, told.Paths
	}
	word := d.word(r)
	meta := &stream.Metadata{Notice: stream.NoticePolicy, ParentToolID: r.Context.ParentToolID}
	meta.Data = ndjson.Encode(struct {
		policy.Decision
		By string `json:"by"`
	}{word, "agent"})
	return stream.Chunk{
		Type: stream.System, ToolName: call.use.ToolName, ToolID: c.ToolID, Metadata: meta,
		Content: fmt.Sprintf("%s ran without being asked about; the policy says %s (rule %s)", call.use.ToolName, word.Action, word.Label()),
	}, true
}

// rule is the decider as a live session takes it.
func (d *decider) rule() live.Decide {
	if d == nil {
		return nil
	}
	return d.decide
}

package cmd

import (
	"context"
	"errors"

	"agentrun/hooks"
	"agentrun/live"
	"agentrun/providers"
	"agentrun/stream"
)

// advisers lists the hooks that have a say in a request, as a live session takes
// them: before a tool is used, and then about what nothing has decided.
func (h *hooked) advisers() func(providers.AgentRequest) []live.Adviser {
	if h == nil {
		return nil
	}
	return func(r providers.AgentRequest) []live.Adviser {
		var list []live.Adviser
		if r.Kind == stream.AskToolPermission || r.Kind == stream.AskPlan {
			in := h.at(stream.HookBeforeTool)
			for _, k := range h.wants(in.Event, r.Context.ToolName) {
				list = append(list, live.Adviser{Ask: func(ctx context.Context, r providers.AgentRequest) live.Advice {
					return h.beforeTool(ctx, k, in, r)
				}})
			}
		}
		in := h.at(stream.HookOnRequest)
		for _, k := range h.wants(in.Event, "") {
			list = append(list, live.Adviser{IfOpen: true, Ask: func(ctx context.Context, r providers.AgentRequest) live.Advice {
				return h.onRequest(ctx, k, in, r)
			}})
		}
		return list
	}
}

// beforeTool asks a hook about a tool that the agent wants to use.
func (h *hooked) beforeTool(ctx context.Context, k hooks.Hook, in stream.HookInput, r providers.AgentRequest) live.Advice {
	c := r.Context
	in.ToolName, in.ToolID, in.ToolInput, in.ParentToolID = c.ToolName, c.ToolID, c.ToolInput, c.ParentToolID
	in.Paths, in.Command = c.Paths, c.Command
	said := h.host.Run(ctx, k, in, func(stream.HookAnswer) error {
		if !r.Rewritable {
			return errors.New("the agent takes no other input for this")
		}
		return nil
	})
	return advice(k, in, r, said)
}

// onRequest asks a hook about something that the agent asks.
func (h *hooked) onRequest(ctx context.Context, k hooks.Hook, in stream.HookInput, r providers.AgentRequest) live.Advice {
	in.Request = &stream.HookRequest{ID: r.ID, Kind: r.Kind, Message: r.Message, Schema: r.Schema, Context: r.Context}
	said := h.host.Run(ctx, k, in, func(a stream.HookAnswer) error { return fitsQuestion(r, a) })
	return advice(k, in, r, said)
}

// fitsQuestion holds the data of an answer against what is asked. A hook answers
// questions alone: what is allowed is for the policy, or for a person.
func fitsQuestion(r providers.AgentRequest, a stream.HookAnswer) error {
	switch {
	case r.Kind != stream.AskQuestion:
		return errors.New("a hook answers questions alone; it allows nothing")
	case len(r.Schema) == 0:
		return errors.New("the question takes no data")
	}
	return r.Fits(a.Data)
}

// advice is what a hook said, as a live session takes it.
func advice(k hooks.Hook, in stream.HookInput, r providers.AgentRequest, said hooks.Result) live.Advice {
	a := live.Advice{Reason: said.Reason, Input: said.ToolInput, Data: said.Data}
	switch {
	case said.Action == stream.HookBlock:
		a.Action = stream.Decline
	case said.Action == stream.HookModify && in.Event == stream.HookOnRequest:
		a.Action = stream.Accept
	}
	a.Notice, _ = k.Notice(in, r.ID, said)
	return a
}

package claude

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// The answers to can_use_tool and to an elicitation.
type (
	allowAnswer struct {
		Behavior string            `json:"behavior"` // allow
		Input    ndjson.RawMessage `json:"updatedInput,omitempty"`
		Rules    []suggestion      `json:"updatedPermissions,omitempty"`
	}
	denyAnswer struct {
		Behavior  string `json:"behavior"` // deny
		Message   string `json:"message"`
		Interrupt bool   `json:"interrupt,omitempty"`
	}
	elicitAnswer struct {
		Action  stream.Action     `json:"action"`
		Content ndjson.RawMessage `json:"content,omitempty"`
	}
)

// suggestion is a change of the permissions, as the CLI proposes it.
type suggestion struct {
	Type        string   `json:"type"` // addRules, setMode, addDirectories, …
	Rules       []rule   `json:"rules,omitempty"`
	Behavior    string   `json:"behavior,omitempty"`
	Mode        string   `json:"mode,omitempty"`
	Directories []string `json:"directories,omitempty"`
	Destination string   `json:"destination"`
}

type rule struct {
	Tool    string `json:"toolName"`
	Content string `json:"ruleContent,omitempty"`
}

// Answer answers a request of the CLI.
func (d *driver) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	line, open := d.asks[in.RequestID]
	if !open {
		return providers.Errorf(providers.Usage, "no_request", "no request %q is open", in.RequestID)
	}
	body, err := answerTo(&line.Request.toolAsk, in)
	if err != nil {
		return err
	}
	delete(d.asks, in.RequestID)
	if c, open := d.m.open[line.Request.ToolUseID]; open && in.Action != stream.Accept {
		c.denied = true
		d.m.open[line.Request.ToolUseID] = c
	}
	if in.Action == stream.Cancel && line.Request.AgentID == "" {
		d.turn.aborting = true
	}
	providers.SendLine(controlResponse{"control_response", responseBody{Subtype: "success", RequestID: line.RequestID, Response: body}}, do)
	return nil
}

func answerTo(ask *toolAsk, in stream.LiveInput) (any, error) {
	switch {
	case in.For == "session" && (in.Action != stream.Accept || ask.Tool == "" || ask.Tool == toolPlan || ask.Tool == toolQuestion):
		return nil, providers.Errorf(providers.Usage, "", "only the permission of a tool can be given for the session")
	case ask.Tool == "":
		return elicitAnswer{in.Action, in.Data}, nil
	case in.Action == stream.Accept:
		return allow(ask, in)
	}
	a := denyAnswer{Behavior: "deny", Message: in.Message, Interrupt: in.Action == stream.Cancel}
	if a.Message == "" {
		a.Message = "The user declined this."
	}
	return a, nil
}

func allow(ask *toolAsk, in stream.LiveInput) (any, error) {
	a := allowAnswer{Behavior: "allow", Input: ask.Input}
	switch {
	case ask.Tool == toolQuestion:
		input, err := withAnswers(ask.Input, in.Data)
		if err != nil {
			return nil, err
		}
		a.Input = input
	case len(in.Data) > 0:
		a.Input = in.Data
	}
	if in.For == "session" {
		a.Rules = forSession(ask)
	}
	return a, nil
}

// forSession makes the CLI's own proposals hold for this session alone, where it
// would write some of them into the user's settings: rules for commands like
// this one, else what it proposes beside, like to accept all edits.
func forSession(ask *toolAsk) []suggestion {
	var rules, others []suggestion
	for _, s := range ask.Suggestions {
		s.Destination = "session"
		switch {
		case s.Type == "addRules" && s.Behavior == "allow":
			rules = append(rules, s)
		case s.Type == "setMode" && s.Mode == "bypassPermissions":
		default:
			others = append(others, s)
		}
	}
	switch {
	case len(rules) > 0:
		return rules
	case len(others) > 0:
		return others
	}
	return []suggestion{{Type: "addRules", Rules: []rule{{Tool: ask.Tool}}, Behavior: "allow", Destination: "session"}}
}

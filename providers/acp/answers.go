package acp

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

type (
	permissionAnswer struct {
		Outcome outcome `json:"outcome"`
	}
	outcome struct {
		Outcome string `json:"outcome"` // selected, cancelled
		Option  string `json:"optionId,omitempty"`
	}
	elicitationAnswer struct {
		Action  stream.Action     `json:"action"`
		Content ndjson.RawMessage `json:"content,omitempty"`
	}
)

// cancelled is the answer that nobody gave.
func (a ask) cancelled() any {
	if a.options != nil {
		return permissionAnswer{outcome{Outcome: "cancelled"}}
	}
	return elicitationAnswer{Action: stream.Cancel}
}

// Answer answers a request of the agent.
func (d *driver) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	i := slices.IndexFunc(d.asks, func(a ask) bool { return a.name == in.RequestID })
	if i < 0 {
		return providers.Errorf(providers.Usage, "no_request", "no request %q is open", in.RequestID)
	}
	a := d.asks[i]
	body, err := d.answer(a, in)
	if err != nil {
		return err
	}
	d.forget(a)
	d.give(a, body, do)
	if in.Action != stream.Accept {
		d.calls.decline(a.tool)
	}
	if in.Action == stream.Cancel && a.turn {
		others := d.asks
		d.abort(do)
		for _, o := range others {
			if o.turn {
				do(providers.Withdraw{ID: o.name})
			}
		}
	}
	return nil
}

func (d *driver) answer(a ask, in stream.LiveInput) (any, error) {
	switch {
	case a.options == nil && in.For == "session":
		return nil, providers.Errorf(providers.Usage, "", "only a permission can be given for the session")
	case a.options == nil && in.Action == stream.Accept:
		return elicitationAnswer{in.Action, in.Data}, nil
	case a.options == nil:
		return elicitationAnswer{Action: in.Action}, nil
	case in.Action == stream.Cancel:
		return a.cancelled(), nil
	case in.Action == stream.Decline:
		return a.decline(in.For == "session"), nil
	}
	id, err := d.accept(a, in)
	return permissionAnswer{outcome{"selected", id}}, err
}

// accept picks the option that allows as far as the answer says, and no further.
func (d *driver) accept(a ask, in stream.LiveInput) (string, error) {
	var data struct {
		Option string `json:"option"`
	}
	if len(in.Data) > 0 {
		if err := ndjson.Unmarshal(in.Data, &data); err != nil {
			return "", providers.Errorf(providers.Usage, "data", "the data is no object with an option")
		}
	}
	kind := allowOnce
	if in.For == "session" {
		if d.cfg.Asks {
			return "", providers.Errorf(providers.Unsupported, "session", "%s would ask no more, and the policy could not decide", d.cfg.Agent).
				WithHint("answer for once, or allow it by a rule")
		}
		kind = allowAlways
		for _, id := range d.cfg.Dialect.Always {
			if slices.ContainsFunc(a.options, func(c choice) bool { return c.ID == id && c.Kind == kind }) && data.Option == "" {
				return id, nil
			}
		}
	}
	for _, c := range a.options {
		if data.Option == "" && c.Kind == kind || c.ID == data.Option && c.allows() {
			return c.ID, nil
		}
	}
	if data.Option != "" {
		return "", providers.Errorf(providers.Usage, "data", "%s does not offer the option %q", d.cfg.Agent, data.Option)
	}
	return "", providers.Errorf(providers.Usage, "option", "%s offers no way to allow this that is of kind %s", d.cfg.Agent, kind)
}

// decline picks the option that refuses; an agent without one takes the cancelled request for a no.
func (a ask) decline(always bool) any {
	kinds := []string{"reject_once", "reject_always"}
	if always {
		slices.Reverse(kinds)
	}
	for _, kind := range kinds {
		for _, c := range a.options {
			if c.Kind == kind {
				return permissionAnswer{outcome{"selected", c.ID}}
			}
		}
	}
	return a.cancelled()
}

func (d *driver) give(a ask, body any, do func(providers.Effect)) {
	d.rpc.Respond(a.id, body, do)
}

func (d *driver) forget(a ask) {
	d.asks = slices.DeleteFunc(d.asks, func(o ask) bool { return o.name == a.name })
}

// others are the requests that do not belong to the turn.
func (d *driver) others() []ask {
	var list []ask
	for _, a := range d.asks {
		if !a.turn {
			list = append(list, a)
		}
	}
	return list
}

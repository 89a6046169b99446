package pi

import (
	"slices"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// sessionOnly is the version from which on a change of model or effort is the
// session's alone: before, pi writes it into the user's settings.
const sessionOnly = "0.84.3"

func effortLevels() []string {
	return []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}
}

// change is a command of an update.
type change struct {
	kind string
	line func(rpcCommand) any
	done func()
}

// Update changes the model or the effort, from pi's next request to the model on.
func (d *driver) Update(in stream.LiveInput, do func(providers.Effect)) error {
	changes, err := d.changes(in)
	if err != nil {
		return err
	}
	left := len(changes)
	var refused *providers.Error
	for _, c := range changes {
		providers.SendLine(c.line(d.command(c.kind, func(r response, do func(providers.Effect)) {
			left--
			if err := r.refusal(); err == nil {
				c.done()
			} else if refused == nil {
				refused = err
			}
			if left == 0 {
				do(providers.Settle{Input: in, Err: refused})
			}
		})), do)
	}
	return providers.ErrLater
}

func (d *driver) changes(in stream.LiveInput) ([]change, error) {
	model, effort := in.Model, in.Effort
	if i := strings.LastIndex(model, ":"); i > 0 && slices.Contains(effortLevels(), model[i+1:]) {
		if effort == "" {
			effort = model[i+1:]
		}
		model = model[:i]
	}
	switch {
	case in.Access != "":
		return nil, providers.Errorf(providers.Unsupported, "access", "a session of pi has its tools from its beginning")
	case d.m.before(sessionOnly):
		return nil, providers.Errorf(providers.Unsupported, providers.ReasonTooOld,
			"a change of model or effort needs version %s of the vendor's CLI, this is %s and would make it the user's default", sessionOnly, d.req.Version)
	case model != "" && strings.TrimSpace(model) == "":
		return nil, providers.Errorf(providers.Usage, "model", "model: the value is empty")
	case effort != "" && !slices.Contains(effortLevels(), effort): // pi takes another word for off
		return nil, providers.Errorf(providers.Usage, "effort", "effort is one of %s, not %q", strings.Join(effortLevels(), ", "), effort)
	}
	var list []change
	if model != "" {
		vendor, id, ok := strings.Cut(model, "/")
		if !ok {
			vendor, id = d.vendor, model
		}
		list = append(list, change{
			"set_model", func(c rpcCommand) any { return modelCommand{c, vendor, id} }, func() { d.vendor = vendor },
		})
	}
	if effort != "" {
		list = append(list, change{
			"set_thinking_level", func(c rpcCommand) any { return levelCommand{c, effort} }, func() {},
		})
	}
	return list, nil
}

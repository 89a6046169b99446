package acp

import (
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// settings is what the agent says can be set, and the login ways it named.
type settings struct {
	model   string // in use
	modes   []string
	models  []string
	options []option
	logins  []string
}

// state is what the answer to session/new and its kin says of settings. Config
// options are the newer form, which stands for the other two.
type state struct {
	Modes *struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models *struct {
		Current   string `json:"currentModelId"`
		Available []struct {
			ID string `json:"modelId"`
		} `json:"availableModels"`
	} `json:"models"`
	Options []option `json:"configOptions"`
}

type option struct {
	ID       string            `json:"id"`
	Category string            `json:"category"`
	Current  ndjson.RawMessage `json:"currentValue"`
	Values   []struct {
		Value string `json:"value"`
		// Of a group.
		Options []struct {
			Value string `json:"value"`
		} `json:"options"`
	} `json:"options"`
}

func (o option) values() []string {
	var list []string
	for _, v := range o.Values {
		if v.Value != "" {
			list = append(list, v.Value)
		}
		for _, inner := range v.Options {
			list = append(list, inner.Value)
		}
	}
	return list
}

func (s *settings) state(n state) {
	if n.Modes != nil {
		for _, m := range n.Modes.Available {
			s.modes = append(s.modes, m.ID)
		}
	}
	if n.Models != nil {
		s.model = n.Models.Current
		for _, m := range n.Models.Available {
			s.models = append(s.models, m.ID)
		}
	}
	s.replace(n.Options)
}

// replace takes a new list of options, which is always whole.
func (s *settings) replace(list []option) {
	s.options = list
	if o := s.option("model"); o != nil {
		var current string
		if ndjson.Unmarshal(o.Current, &current) == nil && current != "" {
			s.model = current
		}
	}
}

// option finds the first option of a category, or the one of that name.
func (s *settings) option(category string) *option {
	for i := range s.options {
		if s.options[i].Category == category {
			return &s.options[i]
		}
	}
	for i := range s.options {
		if s.options[i].ID == category {
			return &s.options[i]
		}
	}
	return nil
}

// change is a request that changes a setting.
type change struct {
	method string
	params any
	done   func()
}

type (
	setOption struct {
		Session string `json:"sessionId"`
		ID      string `json:"configId"`
		Value   string `json:"value"`
	}
	setModel struct {
		Session string `json:"sessionId"`
		Model   string `json:"modelId"`
	}
	setMode struct {
		Session string `json:"sessionId"`
		Mode    string `json:"modeId"`
	}
)

// changes are the requests for what is not "".
func (d *driver) changes(model, mode, effort string) ([]change, *providers.Error) {
	var list []change
	for _, w := range []struct{ what, category, value string }{
		{"model", "model", model}, {"mode", "mode", mode}, {"effort", "thought_level", effort},
	} {
		if w.value == "" {
			continue
		}
		c, err := d.change(w.what, w.category, w.value)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

func (d *driver) change(what, category, value string) (change, *providers.Error) {
	c := change{done: func() {}}
	if what == "model" {
		c.done = func() { d.set.model = value }
	}
	known := []string(nil)
	switch o := d.set.option(category); {
	case o != nil:
		c.method, c.params, known = "session/set_config_option", setOption{d.session, o.ID, value}, o.values()
	case what == "model" && (len(d.set.models) > 0 || d.cfg.Dialect.SetsModel):
		c.method, c.params = "session/set_model", setModel{d.session, value}
	case what == "mode" && len(d.set.modes) > 0:
		c.method, c.params, known = "session/set_mode", setMode{d.session, value}, d.set.modes
	default:
		return c, providers.Errorf(providers.Unsupported, what, "%s has no %s to set", d.cfg.Agent, what)
	}
	if len(known) > 0 && !slices.Contains(known, value) {
		return c, providers.Errorf(providers.Usage, what, "%s has no %s %q", d.cfg.Agent, what, value).
			WithHint("it has: %s", strings.Join(known, ", "))
	}
	return c, nil
}

// apply makes the changes one behind the other; then is told of the first that failed.
func (d *driver) apply(list []change, do func(providers.Effect), then func(*providers.Error, func(providers.Effect))) {
	if len(list) == 0 {
		then(nil, do)
		return
	}
	d.rpc.Request(list[0].method, list[0].params, do, func(m *jsonrpc.Message, do func(providers.Effect)) {
		if m.Error != nil {
			then(d.failure(m.Error), do)
			return
		}
		var now struct {
			Options []option `json:"configOptions"`
		}
		if ndjson.Unmarshal(m.Result, &now) == nil && len(now.Options) > 0 {
			d.set.replace(now.Options)
		}
		list[0].done()
		d.apply(list[1:], do, then)
	})
}

// Update changes the session; the agent's word decides.
func (d *driver) Update(in stream.LiveInput, do func(providers.Effect)) error {
	mode := in.Access
	if own := d.cfg.Dialect.Mode; own != nil && mode != "" {
		var err *providers.Error
		if mode, err = own(in.Access); err != nil {
			return err
		}
	}
	changes, err := d.changes(in.Model, mode, in.Effort)
	if err != nil {
		return err
	}
	d.apply(changes, do, func(err *providers.Error, do func(providers.Effect)) {
		do(providers.Settle{Input: in, Err: err})
	})
	return providers.ErrLater
}

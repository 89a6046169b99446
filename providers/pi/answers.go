package pi

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// uiAnswer is extension_ui_response: one of the three answers.
type uiAnswer struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Confirmed *bool   `json:"confirmed,omitempty"`
	Value     *string `json:"value,omitempty"`
	Cancelled bool    `json:"cancelled,omitempty"`
}

func sendAnswer(a uiAnswer, do func(providers.Effect)) {
	a.Type = "extension_ui_response"
	providers.SendLine(a, do)
}

// Answer answers a dialog.
func (d *driver) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	i := slices.IndexFunc(d.asks, func(a ask) bool { return a.name == in.RequestID })
	if i < 0 {
		return providers.Errorf(providers.Usage, "no_request", "no request %q is open", in.RequestID)
	}
	a := d.asks[i]
	said, err := a.answer(in)
	if err != nil {
		return err
	}
	d.forget(a.id)
	if a.tool != "" && in.Action != stream.Accept {
		d.m.declined[a.tool] = true
	}
	sendAnswer(said, do)
	if in.Action == stream.Cancel && d.turn.runs && !a.background {
		return d.Abort(do)
	}
	return nil
}

func (a ask) answer(in stream.LiveInput) (uiAnswer, error) {
	said := uiAnswer{ID: a.id}
	accept := in.Action == stream.Accept
	switch {
	case a.tool != "":
		g := gateAnswer{Allow: accept, Reason: in.Message}
		if accept {
			g.Input, g.Reason = in.Data, ""
		} else if g.Reason == "" {
			g.Reason = "The user declined this."
		}
		text, err := ndjson.Marshal(g)
		if err != nil {
			return said, providers.Errorf(providers.Usage, "data", "the input is no JSON: %w", err)
		}
		said.Value = new(string(text))
	case a.method == "confirm" && in.Action != stream.Cancel:
		said.Confirmed = &accept
	case accept:
		var data struct {
			Value *string `json:"value"`
		}
		if len(in.Data) == 0 || ndjson.Unmarshal(in.Data, &data) != nil || data.Value == nil {
			return said, providers.Errorf(providers.Usage, "data", "the answer is missing: data is an object with the string value")
		}
		said.Value = data.Value
	default:
		said.Cancelled = true
	}
	return said, nil
}

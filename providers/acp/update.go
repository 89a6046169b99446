package acp

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// update takes a session/update. Kinds that we do not know are told, never a
// failure: the protocol grows by them.
func (d *driver) update(params ndjson.RawMessage, do func(providers.Effect)) error {
	var p struct {
		Session string            `json:"sessionId"`
		Update  ndjson.RawMessage `json:"update"`
	}
	if err := ndjson.Unmarshal(params, &p); err != nil {
		return err
	}
	var head struct {
		Kind string `json:"sessionUpdate"`
	}
	if err := ndjson.Unmarshal(p.Update, &head); err != nil {
		return err
	}
	if d.session != "" && p.Session != d.session {
		return nil // of a session that the agent made for itself
	}
	switch head.Kind {
	case "agent_message_chunk", "agent_thought_chunk", "user_message_chunk", "tool_call", "tool_call_update", "plan":
		if !d.ready {
			d.replay++ // the history of a session that is carried on
			return nil
		}
		return d.work(head.Kind, p.Update, do)
	}
	return d.news(head.Kind, p.Update, do)
}

// work takes what the agent says and does.
func (d *driver) work(kind string, raw ndjson.RawMessage, do func(providers.Effect)) error {
	switch kind {
	case "agent_message_chunk", "agent_thought_chunk":
		return d.says(kind == "agent_thought_chunk", raw, do)
	case "tool_call", "tool_call_update":
		var u callUpdate
		if err := ndjson.Unmarshal(raw, &u); err != nil {
			return err
		}
		if u.ID == "" {
			return providers.Unknown(kind+" without an id", raw, providers.Emitter(do))
		}
		d.calls.take(u, kind == "tool_call", d, do)
	case "plan":
		var plan struct {
			Entries ndjson.RawMessage `json:"entries"`
		}
		if err := ndjson.Unmarshal(raw, &plan); err != nil {
			return err
		}
		d.turn.did = true
		c := stream.Notice(stream.NoticeTodo, "")
		c.Metadata.Data = plan.Entries
		emit(c, do)
	}
	return nil
}

// says takes a piece of text or thinking.
func (d *driver) says(thought bool, raw ndjson.RawMessage, do func(providers.Effect)) error {
	var u struct {
		Content block  `json:"content"`
		Message string `json:"messageId"`
	}
	if err := ndjson.Unmarshal(raw, &u); err != nil {
		return err
	}
	c := stream.Chunk{Type: stream.Text, Content: u.Content.Text, IsDelta: true}
	if u.Message != "" {
		c.Metadata = &stream.Metadata{MessageID: u.Message}
	}
	switch {
	case u.Content.Type != "text":
		d.turn.did = true
		d.calls.settle(nil, d, do)
		emit(providers.UnknownNotice("content of type "+u.Content.Type, raw), do)
		return nil
	case c.Content == "":
		return nil
	case thought:
		c.Type, c.IsDelta = stream.Thinking, !d.cfg.Dialect.WholeThoughts
	case d.cfg.Dialect.Drop != nil && d.cfg.Dialect.Drop(c.Content):
		return nil
	default:
		d.turn.did = true
	}
	d.calls.settle(nil, d, do)
	emit(c, do)
	return nil
}

// news takes what is about the session.
func (d *driver) news(kind string, raw ndjson.RawMessage, do func(providers.Effect)) error {
	switch kind {
	case "available_commands_update", "session_info_update":
	case "current_mode_update":
		var u struct {
			Mode string `json:"currentModeId"`
		}
		if err := ndjson.Unmarshal(raw, &u); err != nil {
			return err
		}
		emit(stream.Notice(stream.NoticeInfo, "the session's mode is "+u.Mode), do)
	case "config_option_update":
		var u struct {
			Options []option `json:"configOptions"`
		}
		if err := ndjson.Unmarshal(raw, &u); err != nil {
			return err
		}
		before := d.set.model
		if d.set.replace(u.Options); d.ready && d.set.model != before {
			c := stream.Notice(stream.NoticeModel, "the model is "+d.set.model)
			c.Metadata.Model = d.set.model
			emit(c, do)
		}
	case "usage_update":
		var u struct {
			Cost *struct {
				Amount   float64 `json:"amount"`
				Currency string  `json:"currency"`
			} `json:"cost"`
		}
		if err := ndjson.Unmarshal(raw, &u); err != nil {
			return err
		}
		if u.Cost != nil && u.Cost.Currency == "USD" {
			d.cost = &u.Cost.Amount
		}
	default:
		d.turn.did = true // for all we know
		emit(providers.UnknownNotice(kind, raw), do)
	}
	return nil
}

package render

import (
	"cmp"

	"agentrun/ndjson"
	"agentrun/stream"
)

func (a *agentEvents) line(l stream.LiveLine) {
	meta := &agentMeta{Source: "host", Line: &l}
	switch l.Type {
	case stream.LiveTurnStart:
		a.stream = a.turn(l.Turn)
		a.put(agentEvent{Type: "custom", Kind: string(l.Type)}, meta)
	case stream.LiveTurnEnd:
		a.turnEnd(l, meta)
	case stream.LiveRequest:
		schema := l.Schema
		if len(schema) == 0 {
			schema = ndjson.RawMessage(`{"type":"object"}`)
		}
		meta.Source = "agent"
		a.asked[l.ID] = true
		a.put(agentEvent{Type: "elicitation_request", Display: "modal", Title: l.Kind, RequestID: l.ID, Message: l.Message, RequestedSchema: schema}, meta)
	case stream.LiveRequestEnd:
		a.response(l, meta)
	case stream.LiveAck, stream.LiveRefused, stream.LiveStateLine:
		a.put(agentEvent{Type: "custom", Kind: string(l.Type)}, meta)
	default:
		a.put(agentEvent{Type: "custom", Kind: cmp.Or(string(l.Type), "line")}, meta)
	}
}

// response tells how a request ended. One that was decided without asking
// anybody has no elicitation_request, and so no response.
func (a *agentEvents) response(l stream.LiveLine, meta *agentMeta) {
	switch l.By {
	case "answer", "abort":
		meta.Source = "user"
	case "policy", "agent":
		meta.Source = l.By
	}
	if !a.asked[l.ID] {
		a.put(agentEvent{Type: "custom", Kind: string(l.Type)}, meta)
		return
	}
	delete(a.asked, l.ID)
	// One that was taken back has no action; nobody will answer it.
	action := cmp.Or(string(l.Action), string(stream.Cancel))
	a.put(agentEvent{Type: "elicitation_response", RequestID: l.ID, Action: action, Content: struct{}{}}, meta)
}

func (a *agentEvents) turnEnd(l stream.LiveLine, meta *agentMeta) {
	if l.Content != "" {
		a.put(agentEvent{Type: "message", Role: "agent", Content: []agentPart{{Type: "text", Text: l.Content}}}, &agentMeta{Source: "agent"})
	}
	if l.Metadata != nil {
		a.usage(l.Metadata)
	}
	reason := "completed"
	switch l.Status {
	case stream.TurnFailed:
		fatal := false
		a.put(agentEvent{Type: "error", Status: errorStatus(l.Class), Message: l.Message, Fatal: &fatal}, &agentMeta{Source: "host"})
		reason = endReason(l.Class, l.Reason)
	case stream.TurnCancelled:
		reason = "aborted"
	case stream.TurnCompleted:
	}
	a.put(agentEvent{Type: "stream_end", Reason: reason}, meta)
	a.stream = ""
}

func (a *agentEvents) said(in stream.LiveInput) {
	meta := &agentMeta{Source: "user", Steer: in.Type == stream.LiveSteer}
	switch in.Type {
	case stream.LiveMessage, stream.LiveSteer:
		a.put(agentEvent{Type: "message", Role: "user", Content: agentParts(in)}, meta)
	case stream.LiveUpdate:
		e := agentEvent{Type: "session_update", Model: in.Model}
		config := map[string]string{}
		for name, value := range map[string]string{"access": in.Access, "effort": in.Effort} {
			if value != "" {
				config[name] = value
			}
		}
		if len(config) > 0 {
			e.Config = config
		}
		a.put(e, meta)
	case stream.LiveAnswer, stream.LiveAbort, stream.LiveClose: // their lines tell
	}
}

func agentParts(in stream.LiveInput) []agentPart {
	list := []agentPart{}
	if in.Text != "" {
		list = append(list, agentPart{Type: "text", Text: in.Text})
	}
	for _, p := range in.Parts {
		switch p.Type {
		case "text":
			list = append(list, agentPart{Type: "text", Text: p.Text})
		case "image":
			list = append(list, agentPart{Type: "media", URI: p.Path, Data: p.Data, MimeType: p.MediaType})
		default:
			list = append(list, agentPart{Type: "reference", Text: p.Path, URI: p.Path})
		}
	}
	return list
}

package providers

import (
	"agentrun/ndjson"
	"agentrun/stream"
)

// Unknown handles an event that the adapter does not know. One that carries
// nothing that can be text, tool activity, a result or an error becomes a
// notice; any other is an error of class protocol, reason unknown_event.
func Unknown(what string, raw []byte, emit func(stream.Chunk)) error {
	if carriesContent(raw) {
		return Errorf(Protocol, ReasonUnknownEvent, "unknown event %q from the vendor", what).
			WithHint("the vendor's CLI is newer than this adapter: update agentrun, or go on with --tolerate-drift")
	}
	emit(UnknownNotice(what, raw))
	return nil
}

// UnknownNotice is the notice of an unknown event.
func UnknownNotice(what string, raw []byte) stream.Chunk {
	const most = 4096
	meta := &stream.Metadata{Notice: stream.NoticeUnknown}
	if len(raw) <= most {
		meta.Data = append(meta.Data, raw...)
	}
	return stream.Chunk{Type: stream.System, Content: "unknown event " + what, Metadata: meta}
}

// carriesContent reports whether an object has a key that vendors use for
// words, tool activity, results or errors.
func carriesContent(raw []byte) bool {
	var keys map[string]ndjson.RawMessage
	if ndjson.Unmarshal(raw, &keys) != nil {
		return true
	}
	for k := range keys {
		switch k {
		case "text", "content", "message", "delta", "result", "error", "errors", "is_error", "output", "input",
			"tool", "tool_name", "tool_use_id", "tool_id", "tool_call", "toolName", "toolCallId", "item", "answer", "response":
			return true
		}
	}
	return false
}

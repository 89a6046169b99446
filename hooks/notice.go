package hooks

import (
	"fmt"

	"agentrun/ndjson"
	"agentrun/stream"
)

// notice is the data of a notice about a hook.
type notice struct {
	Event     stream.HookEvent  `json:"event"`
	Hook      string            `json:"hook"`
	Place     string            `json:"place"`
	Action    stream.HookAction `json:"action"`
	Failed    bool              `json:"failed,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	RequestID string            `json:"request_id,omitempty"`
}

// Notice tells of what a hook did, in the stream; request is the id of the one that
// it was about, or "". Of a hook that lets things be there is nothing to tell.
func (h Hook) Notice(in stream.HookInput, request string, r Result) (stream.Chunk, bool) {
	if r.Void || !r.Failed && r.Action == stream.HookProceed {
		return stream.Chunk{}, false
	}
	n := notice{Event: in.Event, Hook: h.Name(), Place: h.Place, Action: r.Action, Failed: r.Failed, Reason: r.Reason, RequestID: request}
	c := stream.Chunk{Type: stream.System, ToolName: in.ToolName, ToolID: in.ToolID, ToolInput: r.ToolInput}
	if in.Request != nil {
		c.ToolName, c.ToolID = in.Request.Context.ToolName, in.Request.Context.ToolID
	}
	c.Content = h.words(in.Event, c.ToolName, r)
	c.Metadata = &stream.Metadata{Notice: stream.NoticeHook, ParentToolID: in.ParentToolID, Data: ndjson.Encode(n)}
	return c, true
}

// words tell people what a hook did.
func (h Hook) words(event stream.HookEvent, tool string, r Result) string {
	what := string(event)
	if tool != "" {
		what += " " + tool
	}
	words := fmt.Sprintf("hook %s at %s: %s", h.Name(), what, r.Action)
	if r.Failed {
		words = fmt.Sprintf("hook %s at %s failed (%s)", h.Name(), what, r.Action)
	}
	if r.Reason != "" {
		words += ": " + r.Reason
	}
	return words
}

package conformance

import (
	"bytes"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// The rules of a driver. Each has a wrong driver in the tests.
const (
	ruleSend     = "send"
	ruleReady    = "ready"
	ruleTurns    = "turns"
	ruleRequests = "requests"
	ruleWithdraw = "withdraw"
	ruleSettle   = "settle"
	ruleChunks   = "chunks"
	ruleTools    = "tool calls"
	ruleStdin    = "stdin"
	ruleErrors   = "errors"
	ruleFacts    = "facts"
	ruleClaims   = "claims"
)

// watch holds each effect to the rules before it passes it on.
func (w *Watched) watch(do func(providers.Effect)) func(providers.Effect) {
	return func(e providers.Effect) {
		w.effect(e)
		do(e)
	}
}

func (w *Watched) effect(e providers.Effect) {
	switch e := e.(type) {
	case providers.Send:
		w.sent(e.Line)
	case providers.CloseStdin:
		if w.ended {
			w.fault(ruleStdin, "closed twice")
		}
		for _, r := range w.open {
			w.fault(ruleRequests, "%q is open behind the end of stdin, where no answer gets", r.ID)
		}
		w.ended = true
	case providers.Emit:
		w.chunk(e.Chunk)
	case providers.Ready:
		if w.ready {
			w.fault(ruleReady, "said twice")
		}
		w.ready = true
	case providers.AgentRequest:
		w.request(e)
	case providers.Withdraw:
		w.withdrawn(e.ID)
	case providers.TurnStart:
		w.began()
	case providers.TurnEnd:
		w.turnEnded(e)
	case providers.Settle:
		w.settled(e)
	}
}

// sent: an object on one line, and nothing behind the end of stdin.
func (w *Watched) sent(line []byte) {
	if !ndjson.Valid(line) || bytes.ContainsAny(line, "\r\n") || line[0] != '{' {
		w.fault(ruleSend, "%q is no line of one object", line)
	}
	if w.ended {
		w.fault(ruleStdin, "%.80q was sent after its end", line)
	}
}

func (w *Watched) began() {
	switch {
	case w.opened && !w.ready && !w.wild:
		w.fault(ruleReady, "a turn began before")
	case w.runs:
		w.fault(ruleTurns, "a turn began within a turn")
	}
	w.runs, w.aborted = true, false
}

func (w *Watched) turnEnded(e providers.TurnEnd) {
	switch {
	case w.ours:
		w.fault(ruleTurns, "a turn ended within Message, before the host knows of it")
	case !w.runs:
		w.fault(ruleTurns, "a turn ended that did not run")
	}
	switch e.Status {
	case stream.TurnCompleted, stream.TurnFailed, stream.TurnCancelled:
	default:
		w.fault(ruleTurns, "unknown status %q", e.Status)
	}
	if (e.Status == stream.TurnFailed) != (e.Verdict.Err != nil) {
		w.fault(ruleTurns, "%s with error %v", e.Status, e.Verdict.Err)
	}
	if w.aborted && e.Status == stream.TurnCancelled {
		w.shown["abort"] = true
	}
	w.runs = false
	w.finish()
}

// finish closes the requests that end with the turn.
func (w *Watched) finish() {
	w.open = slices.DeleteFunc(w.open, func(r providers.AgentRequest) bool {
		if !r.Background {
			w.over = append(w.over, r.ID)
		}
		return !r.Background
	})
}

func (w *Watched) find(id string) int {
	return slices.IndexFunc(w.open, func(r providers.AgentRequest) bool { return r.ID == id })
}

func (w *Watched) request(r providers.AgentRequest) {
	switch {
	case r.ID == "":
		w.fault(ruleRequests, "one without an id")
	case w.asked[r.ID]:
		w.fault(ruleRequests, "%q came before", r.ID)
	}
	if len(r.Schema) > 0 && !ndjson.Valid(r.Schema) {
		w.fault(ruleRequests, "%q has the schema %q", r.ID, r.Schema)
	}
	if !slices.Contains(w.caps.Asks, r.Kind) {
		w.fault(ruleClaims, "a request of kind %q is not claimed", r.Kind)
	}
	w.shown["asks "+r.Kind] = true
	w.asked[r.ID] = true
	w.open = append(w.open, r)
}

func (w *Watched) withdrawn(id string) {
	if i := w.find(id); i >= 0 {
		w.open = slices.Delete(w.open, i, i+1)
		return
	}
	i := slices.Index(w.over, id)
	if i < 0 {
		w.fault(ruleWithdraw, "%q is not open", id)
		return
	}
	w.over = slices.Delete(w.over, i, i+1)
}

func (w *Watched) settled(e providers.Settle) {
	i := slices.IndexFunc(w.later, func(in stream.LiveInput) bool { return in.Type == e.Input.Type && in.ID == e.Input.ID })
	if i < 0 {
		w.fault(ruleSettle, "%s %q waits for nothing", e.Input.Type, e.Input.ID)
		return
	}
	if e.Err == nil {
		w.accepted(w.later[i])
	}
	w.later = slices.Delete(w.later, i, i+1)
}

// chunk: legal types only, none of them empty, and a result behind its call.
func (w *Watched) chunk(c stream.Chunk) {
	meta := metadata(c)
	if c.IsDelta && c.Type != stream.Text && c.Type != stream.Thinking {
		w.fault(ruleChunks, "a delta of type %s", c.Type)
	}
	if c.IsDelta {
		w.shown["deltas"] = true
		if !w.caps.Deltas {
			w.fault(ruleClaims, "a piece of %s, and deltas are not claimed", c.Type)
		}
	}
	switch c.Type {
	case stream.System:
		if meta.Notice == "" {
			w.fault(ruleChunks, "a system chunk without a notice")
		}
	case stream.Text, stream.Thinking:
		if c.Content == "" {
			w.fault(ruleChunks, "an empty %s", c.Type)
		}
	case stream.ToolUse, stream.ToolResult:
		w.tool(c)
	case stream.Result, stream.Error:
		w.fault(ruleChunks, "a driver emitted %s", c.Type)
	default:
		w.fault(ruleChunks, "unknown type %q", c.Type)
	}
}

func (w *Watched) tool(c stream.Chunk) {
	use := c.Type == stream.ToolUse
	switch {
	case use && (c.ToolID == "" || c.ToolName == ""):
		w.fault(ruleTools, "call %q of %q", c.ToolID, c.ToolName)
	case use == w.tools[c.ToolID]:
		w.fault(ruleTools, "a %s of %q, open: %v", c.Type, c.ToolID, !use)
	}
	w.tools[c.ToolID] = use
}

package cmd

import (
	"context"
	"fmt"

	"agentrun/hooks"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

// watching is the output with the hooks that look back.
func (h *hooked) watching(o output) output {
	h.emit = o.emit
	o.emit = func(c stream.Chunk) error {
		defer h.chunk(c)
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.emit(c)
	}
	if !h.plan.flags.live {
		h.facts.Turn = 1
		return o
	}
	line := o.line
	o.line = func(l stream.LiveLine) error {
		defer h.line(l)
		h.mu.Lock()
		defer h.mu.Unlock()
		return line(l)
	}
	return o
}

// chunk takes note of a chunk that was passed on.
func (h *hooked) chunk(c stream.Chunk) {
	if m := c.Metadata; m != nil && m.SessionID != "" {
		h.facts.SessionID = m.SessionID
	}
	switch c.Type {
	case stream.ToolUse:
		h.calls[c.ToolID] = c
	case stream.ToolResult:
		call := h.calls[c.ToolID]
		delete(h.calls, c.ToolID)
		in := h.at(stream.HookAfterTool)
		in.ToolName, in.ToolID, in.ToolInput, in.ToolOutput, in.IsError = c.ToolName, c.ToolID, call.ToolInput, c.ToolOutput, c.IsError
		if in.ToolName == "" {
			in.ToolName = call.ToolName
		}
		if m := c.Metadata; m != nil {
			in.ParentToolID, in.Denied = m.ParentToolID, m.Denied
		}
		in.Command = commandOf(in.ToolInput)
		h.later(in)
	default:
	}
}

// commandOf is the shell command in a tool's input, where it is a text.
func commandOf(input ndjson.RawMessage) string {
	var in struct {
		Command string `json:"command"`
	}
	_ = ndjson.Unmarshal(input, &in) // other tools have other input
	return in.Command
}

// line takes note of a line of a live session that was passed on.
func (h *hooked) line(l stream.LiveLine) {
	switch l.Type {
	case stream.LiveTurnStart:
		h.facts.Turn = l.Turn
	case stream.LiveTurnEnd:
		in := h.at(stream.HookTurnEnd)
		in.Status = l.Status
		if l.Metadata != nil {
			in.Usage = l.Metadata.Usage
		}
		h.failed = stream.OneShotError{}
		if l.Status == stream.TurnFailed {
			h.failed = stream.OneShotError{Message: l.Message, Class: l.Class, Reason: l.Reason}
			failed := h.failed
			in.Error = &failed
		}
		h.later(in)
		if in.Error != nil && !h.over {
			on := h.at(stream.HookOnError)
			on.Error = in.Error
			h.later(on)
		}
	default:
	}
}

// later has the hooks of an event run beside the stream.
func (h *hooked) later(in stream.HookInput) {
	for _, k := range h.wants(in.Event, in.ToolName) {
		h.queue.Add(func() {
			ctx, stop := h.context()
			defer stop()
			h.lookedBack(k, in, h.host.Run(ctx, k, in, nil))
		})
	}
}

// context is that of a hook which looks back. It runs also after a run that a
// signal ended, until the next one.
func (h *hooked) context() (context.Context, context.CancelFunc) {
	if h.signals.ctx.Err() == nil {
		return context.WithCancel(h.signals.ctx)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.signals.ctx))
	go func() {
		select {
		case <-h.signals.hurry:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// lookedBack tells what a hook said that looked back. It changes nothing that
// happened; a block ends what goes on.
func (h *hooked) lookedBack(k hooks.Hook, in stream.HookInput, said hooks.Result) {
	c, telling := k.Notice(in, "", said)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case !telling:
		return
	case h.over:
		_, _ = fmt.Fprintf(h.plan.sys.Err, "agentrun: warning: %s\n", c.Content)
		return
	}
	_ = h.emit(c) // the next chunk finds out that nobody reads
	if said.Action == stream.HookBlock && h.blocked == nil && (in.Event == stream.HookAfterTool || in.Event == stream.HookTurnEnd) {
		h.blocked = blockedBy(k, in.Event, said)
		h.end(h.blocked)
	}
}

// review waits for the hooks that look back, and runs those of the end. A block
// fails the run.
func (h *hooked) review(out providers.Outcome) *providers.Error {
	if out.ReaderGone || out.Cancelled() {
		h.atEnd() // nothing more is told in the stream
	}
	h.queue.Wait()
	if !h.plan.flags.live && h.plan.job.Refused == nil {
		h.later(h.turnOf(out))
		h.queue.Wait()
	}
	h.mu.Lock()
	blocked := h.blocked
	h.mu.Unlock()
	if out.Err == nil {
		out.Err = blocked
	}
	if out.Err != nil && !out.ReaderGone && !out.Cancelled() {
		in := h.at(stream.HookOnError)
		in.Error = render.OneShot(out).Error
		if h.failed.Class != in.Error.Class || h.failed.Reason != in.Error.Reason { // the turn was told of
			h.later(in)
			h.queue.Wait()
		}
	}
	h.atEnd()
	return blocked
}

// atEnd has what hooks do told on stderr from now on.
func (h *hooked) atEnd() {
	h.mu.Lock()
	h.over = true
	h.mu.Unlock()
}

// turnOf is a run as its only turn.
func (h *hooked) turnOf(out providers.Outcome) stream.HookInput {
	in := h.at(stream.HookTurnEnd)
	in.Usage = out.Facts.Usage
	if m := out.Terminal.Metadata; m != nil && m.Usage != nil {
		in.Usage = m.Usage
	}
	switch {
	case out.ReaderGone || out.Cancelled():
		in.Status = stream.TurnCancelled
	case out.Err != nil:
		in.Status, in.Error = stream.TurnFailed, render.OneShot(out).Error
	default:
		in.Status = stream.TurnCompleted
	}
	return in
}

// afterRun runs the hooks of a run whose outcome is told.
func (h *hooked) afterRun(out providers.Outcome, status int) {
	if h == nil {
		return
	}
	in := h.at(stream.HookAfterRun)
	result := render.OneShot(out)
	in.Result, in.ExitStatus = &result, &status
	h.later(in)
	h.queue.Wait()
}

// Package hooks runs commands of the user's at named points of a run. A hook gets
// one JSON object on stdin and says proceed, block or modify; its time and output
// are bounded, and what follows when it fails is stated. It narrows what an agent
// may do: nothing that it says allows anything.
package hooks

import (
	"path/filepath"
	"slices"
	"time"

	"agentrun/policy"
	"agentrun/stream"
)

// DefaultTimeout is the time that a hook has where nothing else is said.
const DefaultTimeout = 30 * time.Second

// Hook is one command and when it runs.
type Hook struct {
	Path   string   // of the program, absolute
	Args   []string // behind the program's name
	Place  string   // where it is configured, FILE:LINE:COLUMN
	Events []stream.HookEvent
	// Tools are patterns of the tool's name, on before_tool and after_tool; empty is any.
	Tools   []policy.Glob
	Timeout time.Duration // more than 0
	// OnFailure is HookBlock or HookProceed; "" is what the event has by itself.
	OnFailure stream.HookAction
}

// Name is what people call the hook: its program without the directory.
func (h Hook) Name() string { return filepath.Base(h.Path) }

// Wants reports whether the hook runs at an event, which is about that tool or none.
func (h Hook) Wants(event stream.HookEvent, tool string) bool {
	if !slices.Contains(h.Events, event) {
		return false
	}
	if event != stream.HookBeforeTool && event != stream.HookAfterTool || len(h.Tools) == 0 {
		return true
	}
	return slices.ContainsFunc(h.Tools, func(g policy.Glob) bool { return g.Fits(tool) })
}

// onFailure is what follows when the hook fails: it blocks where it was to decide
// about something, and only there, unless the user says otherwise.
func (h Hook) onFailure(event stream.HookEvent) stream.HookAction {
	if h.OnFailure != "" {
		return h.OnFailure
	}
	switch event {
	case stream.HookBeforeRun, stream.HookBeforeTool, stream.HookOnRequest:
		return stream.HookBlock
	default:
		return stream.HookProceed
	}
}

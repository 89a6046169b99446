package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"agentrun/ndjson"
	"agentrun/stream"
)

// parse reads what a hook that ended with status 0 printed.
func parse(event stream.HookEvent, text []byte) (stream.HookAnswer, error) {
	var a stream.HookAnswer
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		a.Action = stream.HookProceed
		return a, nil
	}
	if text[0] != '{' || !ndjson.Valid(text) {
		return a, errors.New("its output is not one JSON object")
	}
	var members map[string]ndjson.RawMessage
	if err := ndjson.Unmarshal(text, &members); err != nil {
		return a, fmt.Errorf("its answer cannot be read: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains([]string{"action", "reason", "prompt", "tool_input", "data"}, name) {
			return a, fmt.Errorf("its answer has an unknown member %q", name)
		}
	}
	if err := ndjson.Unmarshal(text, &a); err != nil {
		return a, fmt.Errorf("its answer cannot be read: %w", err)
	}
	return a, checkChange(event, a)
}

// checkChange makes sure that modify comes with what the event can change, and
// with that alone, and nothing else with any of it.
func checkChange(event stream.HookEvent, a stream.HookAnswer) error {
	changes := map[stream.HookEvent]bool{
		stream.HookBeforeRun:  a.Prompt != "",
		stream.HookBeforeTool: len(a.ToolInput) > 0,
		stream.HookOnRequest:  len(a.Data) > 0,
	}
	n := 0
	for _, given := range changes {
		if given {
			n++
		}
	}
	_, can := changes[event]
	switch {
	case a.Action != stream.HookProceed && a.Action != stream.HookBlock && a.Action != stream.HookModify:
		return fmt.Errorf("its action is proceed, block or modify, not %q", a.Action)
	case a.Action == stream.HookModify && !can:
		return fmt.Errorf("nothing can be changed at %s", event)
	case a.Action == stream.HookModify && (n != 1 || !changes[event]):
		return fmt.Errorf("modify takes %s here", changed(event))
	case a.Action != stream.HookModify && n > 0:
		return fmt.Errorf("%s takes nothing to change", a.Action)
	case event == stream.HookBeforeTool && n > 0 && a.ToolInput[0] != '{':
		return errors.New("tool_input is an object")
	}
	return nil
}

// changed is the member that modify takes at an event.
func changed(event stream.HookEvent) string {
	switch event {
	case stream.HookBeforeRun:
		return "a prompt"
	case stream.HookBeforeTool:
		return "tool_input"
	default:
		return "data"
	}
}

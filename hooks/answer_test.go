package hooks

import (
	"encoding/json"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func TestAnswers(t *testing.T) {
	const before, request, tool = stream.HookBeforeRun, stream.HookOnRequest, stream.HookBeforeTool
	for _, c := range []struct {
		event stream.HookEvent
		text  string
		err   string // "" is none
	}{
		{before, "", ""},
		{before, " \n", ""},
		{before, `{"action":"proceed","reason":"fine"}`, ""},
		{before, `{"action":"modify","prompt":"other"}`, ""},
		{request, `{"action":"modify","data":{"a":1}}`, ""},
		{request, `{"action":"modify","data":null}`, ""}, // the question's schema decides
		{tool, `{"action":"modify","tool_input":{}}`, ""},
		{before, `[]`, "not one JSON object"},
		{before, `{"action":"proceed"} {"action":"block"}`, "not one JSON object"},
		{before, `{"action":"proceed"`, "not one JSON object"},
		{before, `{}`, `proceed, block or modify, not ""`},
		{before, `{"action":"allow"}`, `not "allow"`},
		{before, `{"Action":"block"}`, `unknown member "Action"`},
		{before, `{"decision":"block"}`, `unknown member "decision"`},
		{before, `{"action":1}`, "cannot be read"},
		{before, `{"action":"modify"}`, "modify takes a prompt here"},
		{before, `{"action":"modify","prompt":""}`, "modify takes a prompt here"},
		{before, `{"action":"modify","tool_input":{}}`, "modify takes a prompt here"},
		{tool, `{"action":"modify","tool_input":{},"data":{}}`, "modify takes tool_input here"},
		{request, `{"action":"modify","prompt":"x"}`, "modify takes data here"},
		{tool, `{"action":"modify","tool_input":"ls"}`, "tool_input is an object"},
		{tool, `{"action":"proceed","tool_input":{}}`, "proceed takes nothing to change"},
		{tool, `{"action":"block","data":1}`, "block takes nothing to change"},
		{stream.HookAfterTool, `{"action":"modify","tool_input":{}}`, "nothing can be changed at after_tool"},
	} {
		_, err := parse(c.event, []byte(c.text))
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %s: error %v, want %q", c.event, c.text, err, c.err)
		}
	}
}

// FuzzAnswer: whatever a hook prints, there is an action or an error, and what
// the answer says is what the published schema allows.
func FuzzAnswer(f *testing.F) {
	text, ok := stream.Schema("hook-answer")
	if !ok {
		f.Fatal("no schema hook-answer")
	}
	schema, err := providers.CompileSchema(text)
	if err != nil {
		f.Fatal(err)
	}
	for i, seed := range []string{
		"", "ok", `{"action":"block","reason":"no"}`, `{"action":"modify","prompt":"x"}`, `{"action":"modify","tool_input":{"a":[1]}}`,
		`{"action":"modify","data":null}`, `{"action":"proceed"}{}`, "{\"action\":\"proceed\",\"reason\":\"\xff\"}", `{"action":"block","action":"proceed"}`,
	} {
		f.Add(uint8(i), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, n uint8, text []byte) {
		events := stream.HookEvents()
		event := events[int(n)%len(events)]
		a, err := parse(event, text)
		if err != nil {
			return
		}
		switch a.Action {
		case stream.HookProceed, stream.HookBlock:
			if len(a.ToolInput)+len(a.Data)+len(a.Prompt) > 0 {
				t.Errorf("%s with a change: %+v", a.Action, a)
			}
		case stream.HookModify:
			if (event == stream.HookBeforeRun) != (a.Prompt != "") || (event == stream.HookBeforeTool) != (len(a.ToolInput) > 0) || (event == stream.HookOnRequest) != (len(a.Data) > 0) {
				t.Errorf("%s changes %+v", event, a)
			}
		default:
			t.Fatalf("action %q", a.Action)
		}
		again, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Check(again); err != nil {
			t.Errorf("%s does not fit the schema: %v", again, err)
		}
		if !ndjson.Valid(again) {
			t.Errorf("%s is no JSON", again)
		}
	})
}

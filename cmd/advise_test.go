package cmd

import (
	"testing"

	"agentrun/hooks"
	"agentrun/providers"
	"agentrun/stream"
)

// TestFitsQuestion: a hook answers a question with what it asks for, and gives no permission.
func TestFitsQuestion(t *testing.T) {
	const schema = `{"type":"object","properties":{"color":{"type":"string"}},"required":["color"]}`
	for _, c := range []struct {
		name, kind, schema, data string
		ok                       bool
	}{
		{"an answer", stream.AskQuestion, schema, `{"color":"red"}`, true},
		{"another answer", stream.AskQuestion, schema, `{"color":1}`, false},
		{"no answer", stream.AskQuestion, schema, `null`, false},
		{"a question to confirm", stream.AskQuestion, ``, `{}`, false},
		{"a permission", stream.AskToolPermission, `{"type":"object"}`, `{"command":"ls"}`, false},
		{"a plan", stream.AskPlan, ``, `{}`, false},
		{"a log-in", stream.AskAuth, `{"type":"object"}`, `{}`, false},
	} {
		r := providers.AgentRequest{Kind: c.kind, Schema: []byte(c.schema)}
		if err := fitsQuestion(r, stream.HookAnswer{Data: []byte(c.data)}); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestAdvice: what a hook says, and what becomes of the request.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		event stream.HookEvent
		said  hooks.Result
		want  stream.Action
		input string
		told  bool
	}{
		{stream.HookBeforeTool, hooks.Result{HookAnswer: stream.HookAnswer{Action: stream.HookProceed}}, "", "", false},
		{stream.HookBeforeTool, hooks.Result{HookAnswer: stream.HookAnswer{Action: stream.HookProceed}, Failed: true}, "", "", true},
		{stream.HookBeforeTool, hooks.Result{HookAnswer: stream.HookAnswer{Action: stream.HookBlock}}, stream.Decline, "", true},
		{stream.HookBeforeTool, hooks.Result{HookAnswer: stream.HookAnswer{Action: stream.HookModify, ToolInput: []byte(`{}`)}}, "", "{}", true},
		{stream.HookBeforeTool, hooks.Result{Void: true}, "", "", false},
		{stream.HookOnRequest, hooks.Result{HookAnswer: stream.HookAnswer{Action: stream.HookModify, Data: []byte(`{}`)}}, stream.Accept, "", true},
		{stream.HookOnRequest, hooks.Result{HookAnswer: stream.HookAnswer{Action: stream.HookBlock}}, stream.Decline, "", true},
	} {
		got := advice(hooks.Hook{Path: "/h"}, stream.HookInput{Event: c.event}, providers.AgentRequest{ID: "1"}, c.said)
		if got.Action != c.want || string(got.Input) != c.input || (got.Notice.Type != "") != c.told {
			t.Errorf("%s %+v: %+v", c.event, c.said, got)
		}
	}
}

// TestAdvisers: which hooks have a say in what.
func TestAdvisers(t *testing.T) {
	h := &hooked{plan: &runPlan{hooks: []hooks.Hook{
		{Path: "/both", Events: []stream.HookEvent{stream.HookOnRequest, stream.HookBeforeTool}},
		{Path: "/later", Events: []stream.HookEvent{stream.HookAfterTool}},
	}}}
	for kind, want := range map[string][]bool{ // IfOpen of each
		stream.AskToolPermission: {false, true}, stream.AskPlan: {false, true}, stream.AskQuestion: {true}, stream.AskAuth: {true},
	} {
		var got []bool
		for _, a := range h.advisers()(providers.AgentRequest{Kind: kind}) {
			got = append(got, a.IfOpen)
		}
		if len(got) != len(want) || got[0] != want[0] {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
	if (*hooked)(nil).advisers() != nil {
		t.Error("a run without hooks has advisers")
	}
}

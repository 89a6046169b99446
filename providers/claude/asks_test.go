package claude

import (
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func TestRequests(t *testing.T) {
	s := newScene(request{})
	s.say(t, "a")
	s.got(t,
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{}}]}}`,
		ask("r1", "Bash", `,"tool_use_id":"t1"`),
		ask("r1", "Bash", `,"tool_use_id":"t1"`), // again
		ask("r2", "Bash", `,"tool_use_id":"t2","agent_id":"a1"`),
		`{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{}}]}}`,
		`{"type":"control_cancel_request","request_id":"unknown"}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"unknown"}}`,
		`{"type":"control_request","request_id":"r3","request":{"subtype":"request_user_dialog"}}`,
		`{"type":"control_request","request_id":"r4","request":{"subtype":"elicitation","mcp_server_name":"db","message":"which?","requested_schema":{"type":"object"}}}`,
		`{"type":"control_request","request_id":"r5","request":{"subtype":"elicitation","mcp_server_name":"db","message":"sign in","mode":"url","url":"https://example.com"}}`,
		`{"type":"control_cancel_request","request_id":"r5"}`,
		result(""),
	)
	s.want(t, `say "a"`, "emit tool_use t1", `request r1 tool_permission "allow Bash?"`,
		"emit tool_use t2", `request r2 tool_permission "allow Bash?" background`,
		"notice warning", `answer {"subtype":"error","request_id":"r3","error":"agentrun does not do request_user_dialog"}`,
		`request r4 question "db asks: which?" background`, `request r5 auth "db asks: sign in (https://example.com)" background`,
		"withdraw r5", "withdraw r1", "turn end completed")
}

func TestAnswers(t *testing.T) {
	suggested := `,"tool_use_id":"t1","permission_suggestions":[` +
		`{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"}],"behavior":"allow","destination":"localSettings"},` +
		`{"type":"setMode","mode":"acceptEdits","destination":"session"}]`
	edits := `,"permission_suggestions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]`
	multi := `{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[{"question":"Which?","multiSelect":true}]}}}`
	elicit := `{"type":"control_request","request_id":"r","request":{"subtype":"elicitation","mcp_server_name":"db"}}`
	for _, c := range []struct {
		name, ask string
		in        stream.LiveInput
		want      string // the response, or the beginning of the error
	}{
		{"accept", ask("r", "Bash", ""), stream.LiveInput{Action: stream.Accept}, `{"behavior":"allow","updatedInput":{"command":"ls"}}`},
		{"changed", ask("r", "Bash", ""), stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"command":"pwd"}`)}, `{"behavior":"allow","updatedInput":{"command":"pwd"}}`},
		{
			"for the session, by rule", ask("r", "Bash", suggested),
			stream.LiveInput{Action: stream.Accept, For: "session"},
			`{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"ls"}],"behavior":"allow","destination":"session"}]}`,
		},
		{
			"for the session, by mode", ask("r", "Write", edits),
			stream.LiveInput{Action: stream.Accept, For: "session"},
			`{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]}`,
		},
		{
			"for the session, nothing proposed", ask("r", "Odd", ""),
			stream.LiveInput{Action: stream.Accept, For: "session"},
			`{"behavior":"allow","updatedInput":{"command":"ls"},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Odd"}],"behavior":"allow","destination":"session"}]}`,
		},
		{"decline", ask("r", "Bash", ""), stream.LiveInput{Action: stream.Decline, Message: "no"}, `{"behavior":"deny","message":"no"}`},
		{"cancel", ask("r", "Bash", ""), stream.LiveInput{Action: stream.Cancel}, `{"behavior":"deny","message":"The user declined this.","interrupt":true}`},
		{"decline for the session", ask("r", "Bash", ""), stream.LiveInput{Action: stream.Decline, For: "session"}, "error: only the permission"},
		{"question without answers", multi, stream.LiveInput{Action: stream.Accept}, "error: the answers are missing"},
		{"question, wrong answers", multi, stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"Which?":3}`)}, `error: the answer to "Which?"`},
		{
			"question, several", multi,
			stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"Which?":["a","b"]}`)},
			`{"behavior":"allow","updatedInput":{"answers":{"Which?":"a, b"},"questions":[{"question":"Which?","multiSelect":true}]}}`,
		},
		{"elicitation", elicit, stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"x":1}`)}, `{"action":"accept","content":{"x":1}}`},
		{"elicitation, no", elicit, stream.LiveInput{Action: stream.Cancel}, `{"action":"cancel"}`},
		{"nothing is open", elicit, stream.LiveInput{RequestID: "other"}, `error: no request "other"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(request{})
			s.say(t, "a")
			s.got(t, c.ask)
			s.notes = nil
			if c.in.RequestID == "" {
				c.in.RequestID = "r"
			}
			got := ""
			if err := s.w.Answer(c.in, s.do); err != nil {
				got = "error: " + err.Error()
			} else {
				got = strings.TrimPrefix(strings.Join(s.notes, " "), `answer {"subtype":"success","request_id":"r","response":`)
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestDeclined: whatever words the CLI makes of a no, the result is a denied one.
func TestDeclined(t *testing.T) {
	for _, action := range []stream.Action{stream.Decline, stream.Cancel, stream.Accept} {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, ask("r", "Bash", `,"tool_use_id":"t1"`))
		if err := s.w.Answer(stream.LiveInput{RequestID: "r", Action: action}, s.do); err != nil {
			t.Fatal(err)
		}
		var last stream.Chunk
		rec, err := ndjson.NewReader(strings.NewReader(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"rejected","is_error":true}]}}`+"\n"), 1<<20).Next()
		if err != nil {
			t.Fatal(err)
		}
		err = s.w.Receive(rec, func(e providers.Effect) {
			if e, ok := e.(providers.Emit); ok {
				last = e.Chunk
			}
		})
		denied := last.Metadata != nil && last.Metadata.Denied
		if err != nil || last.Type != stream.ToolResult || denied != (action != stream.Accept) || !last.IsError {
			t.Errorf("%s: %+v, %v", action, last, err)
		}
	}
}

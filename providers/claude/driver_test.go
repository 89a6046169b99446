package claude

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// scene is a driver whose effects are noted in short.
type scene struct {
	d     *driver
	notes []string
}

func newScene(fields request) *scene {
	return &scene{d: newDriver(providers.Request{Fields: &fields, Dir: "/run", Version: "2.1.332"})}
}

func (s *scene) do(e providers.Effect) {
	note := strings.TrimPrefix(fmt.Sprintf("%T", e), "providers.")
	switch e := e.(type) {
	case providers.Send:
		note = sentNote(e.Line)
	case providers.Emit:
		note = strings.TrimSpace(fmt.Sprintf("emit %s %s", e.Chunk.Type, e.Chunk.ToolID))
		if e.Chunk.Metadata != nil && e.Chunk.Metadata.Notice != "" {
			note = "notice " + e.Chunk.Metadata.Notice
		}
	case providers.AgentRequest:
		note = fmt.Sprintf("request %s %s %q", e.ID, e.Kind, e.Message)
		if e.Background {
			note += " background"
		}
	case providers.Withdraw:
		note = "withdraw " + e.ID
	case providers.TurnEnd:
		note = "turn end " + string(e.Status)
		if e.Verdict.Err != nil {
			note += " " + string(e.Verdict.Err.Class) + "/" + e.Verdict.Err.Reason
		}
	case providers.Settle:
		note = "settle " + e.Input.ID
		if e.Err != nil {
			note += ": " + e.Err.Reason
		}
	}
	s.notes = append(s.notes, note)
}

func sentNote(line []byte) string {
	var l struct {
		Type    string `json:"type"`
		Message struct {
			Content ndjson.RawMessage `json:"content"`
		} `json:"message"`
		Request struct {
			Subtype string `json:"subtype"`
		} `json:"request"`
		Response ndjson.RawMessage `json:"response"`
	}
	if err := ndjson.Unmarshal(line, &l); err != nil {
		return err.Error()
	}
	switch {
	case l.Type == "user":
		return "say " + string(l.Message.Content)
	case l.Request.Subtype != "":
		return "ask " + l.Request.Subtype
	}
	return "answer " + string(l.Response)
}

// got feeds lines of the CLI; $1, $2 … stand for the uuids of the words of the turn.
func (s *scene) got(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		for i, w := range append([]*words{s.d.turn.message}, s.d.turn.steers...) {
			if w != nil {
				line = strings.ReplaceAll(line, fmt.Sprintf("$%d", i+1), w.uuid)
			}
		}
		rec, err := ndjson.NewReader(strings.NewReader(line+"\n"), 1<<20).Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.d.Receive(rec, s.do); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func (s *scene) say(t *testing.T, text string) {
	t.Helper()
	in, put := stream.LiveInput{Text: text}, s.d.Message
	if s.d.turn.runs {
		put = s.d.Steer
	}
	if err := put(in, s.do); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) abort(t *testing.T) {
	t.Helper()
	if err := s.d.Abort(s.do); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) want(t *testing.T, notes ...string) {
	t.Helper()
	if diff := cmp.Diff(notes, s.notes); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	s.notes = nil
}

func state(uuid, state string) string {
	return `{"type":"command_lifecycle","command_uuid":"` + uuid + `","state":"` + state + `"}`
}

func result(more string) string {
	return `{"type":"result","subtype":"success","is_error":false,"result":"done","num_turns":1,"session_id":"s",` + more + `"terminal_reason":"completed"}`
}

const (
	initRecord = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`
	textRecord = `{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"x"}]}}`
	aborted    = `{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"s","terminal_reason":"aborted_streaming"}`
)

func ask(id, tool, more string) string {
	return `{"type":"control_request","request_id":"` + id + `","request":{"subtype":"can_use_tool","tool_name":"` + tool + `","input":{"command":"ls"}` + more + `}}`
}

// TestOurTurnBehindTheirs: a message sent when the CLI was about to begin a turn
// of its own; the end of that is not the end of ours.
func TestOurTurnBehindTheirs(t *testing.T) {
	s := newScene(request{})
	s.say(t, "hello")
	s.got(t, state("$1", "queued"), initRecord, textRecord, result(`"origin":{"kind":"task-notification"},`))
	s.want(t, `say "hello"`, "notice session", "emit text")
	s.got(t, state("$1", "started"), initRecord, textRecord, result(`"user_message_uuid":"$1",`))
	s.want(t, "emit text", "turn end completed")
}

func TestTheirOwnTurn(t *testing.T) {
	s := newScene(request{})
	s.got(t, `{"type":"assistant","parent_tool_use_id":"agent","message":{"id":"m0","content":[{"type":"text","text":"x"}]}}`)
	s.want(t, "emit text") // a subagent in the background
	s.got(t, initRecord, textRecord, result(""))
	s.want(t, "TurnStart", "notice session", "emit text", "turn end completed")
	s.got(t, `{"type":"user","message":{"content":"<local-command-stdout>Set model</local-command-stdout>"},"isReplay":true}`)
	s.want(t)
}

func TestSteers(t *testing.T) {
	t.Run("into the turn", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "queued"), state("$1", "started"))
		s.say(t, "b")
		s.got(t, state("$2", "queued"), state("$2", "started"), state("$2", "completed"), textRecord, result(""))
		s.want(t, `say "a"`, `say "b"`, "emit text", "turn end completed")
	})
	t.Run("too late: the turn goes on", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "queued"), state("$1", "started"))
		s.say(t, "b")
		s.got(t, textRecord, result(""), state("$1", "completed"))
		s.want(t, `say "a"`, `say "b"`, "emit text")
		s.got(t, state("$2", "queued"), state("$2", "started"), initRecord, textRecord, result(""))
		s.want(t, "notice session", "emit text", "turn end completed")
	})
	t.Run("too late and dropped", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "started"))
		s.say(t, "b")
		s.got(t, textRecord, result(""), state("$2", "discarded"))
		s.want(t, `say "a"`, `say "b"`, "emit text", "notice warning", "turn end completed")
	})
	t.Run("too late and aborted", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "started"))
		s.say(t, "b")
		s.got(t, textRecord, result(""))
		s.abort(t)
		s.got(t, state("$2", "cancelled"))
		s.want(t, `say "a"`, `say "b"`, "emit text", "ask interrupt", "turn end cancelled")
	})
	t.Run("a CLI that tells nothing of messages", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.say(t, "b")
		s.got(t, initRecord, textRecord, result(""), initRecord, textRecord, result(""))
		s.want(t, `say "a"`, `say "b"`, "notice session", "emit text", "turn end completed",
			"TurnStart", "emit text", "turn end completed")
	})
}

func TestAborts(t *testing.T) {
	t.Run("before the turn began", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.abort(t)
		s.got(t, state("$1", "queued"), state("$1", "cancelled"))
		s.want(t, `say "a"`, "ask interrupt", "turn end cancelled")
	})
	t.Run("in the turn", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "started"), initRecord)
		s.abort(t)
		s.got(t, aborted, state("$1", "cancelled"))
		s.want(t, `say "a"`, "notice session", "ask interrupt", "turn end cancelled")
		s.say(t, "b")
		s.got(t, initRecord, textRecord, result(""))
		s.want(t, `say "b"`, "emit text", "turn end completed")
	})
	t.Run("too late", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "started"), textRecord)
		s.abort(t)
		s.got(t, result(""))
		s.want(t, `say "a"`, "emit text", "ask interrupt", "turn end completed")
	})
	t.Run("of a CLI that gives no reason", func(t *testing.T) { // 2.1.0
		s := newScene(request{})
		s.say(t, "a")
		s.abort(t)
		s.got(t, initRecord, `{"type":"result","subtype":"error_during_execution","is_error":false,"session_id":"s","errors":[]}`)
		s.want(t, `say "a"`, "ask interrupt", "notice session", "turn end cancelled")
	})
	t.Run("by somebody else", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "started"), aborted)
		s.want(t, `say "a"`, "turn end failed process/signal")
	})
	t.Run("the message is dropped", func(t *testing.T) {
		s := newScene(request{})
		s.say(t, "a")
		s.got(t, state("$1", "refused"))
		s.want(t, `say "a"`, "turn end failed agent/dropped")
	})
}

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
			if err := s.d.Answer(c.in, s.do); err != nil {
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
		if err := s.d.Answer(stream.LiveInput{RequestID: "r", Action: action}, s.do); err != nil {
			t.Fatal(err)
		}
		var last stream.Chunk
		rec, err := ndjson.NewReader(strings.NewReader(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"rejected","is_error":true}]}}`+"\n"), 1<<20).Next()
		if err != nil {
			t.Fatal(err)
		}
		err = s.d.Receive(rec, func(e providers.Effect) {
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

func TestUpdates(t *testing.T) {
	answer := func(n int, more string) string {
		return fmt.Sprintf(`{"type":"control_response","response":{"request_id":"agentrun-%d",%s}}`, n, more)
	}
	s := newScene(request{})
	in := stream.LiveInput{ID: "u", Model: "m", Access: "edit", Effort: "low"}
	if err := s.d.Update(in, s.do); !errors.Is(err, providers.ErrLater) {
		t.Fatal(err)
	}
	s.got(t, answer(2, `"subtype":"success"`), answer(1, `"subtype":"error","error":"unknown model","error_code":"not_found"`))
	s.want(t, "ask set_model", "ask set_permission_mode", "ask apply_flag_settings")
	s.got(t, answer(3, `"subtype":"success"`))
	s.want(t, "settle u: not_found")

	for _, c := range []struct {
		version string
		began   request
		in      stream.LiveInput
		reason  string
	}{
		{"", request{}, stream.LiveInput{Access: "read-only"}, "access"},
		{"", request{Access: "read-only"}, stream.LiveInput{Access: "full"}, "access"},
		{"", request{}, stream.LiveInput{Access: "none"}, "access"},
		{"", request{}, stream.LiveInput{Effort: "none"}, "effort"},
		{"2.1.49", request{}, stream.LiveInput{Effort: "low"}, "vendor_too_old"},
	} {
		s := newScene(c.began)
		s.d.req.Version = c.version
		err := s.d.Update(c.in, s.do)
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Reason != c.reason || len(s.notes) != 0 {
			t.Errorf("%+v: %v, %v", c.in, err, s.notes)
		}
	}
}

func TestLeave(t *testing.T) {
	tasks := func(kinds ...string) string {
		var list []string
		for _, k := range kinds {
			list = append(list, `{"task_type":"`+k+`"}`)
		}
		return `{"type":"system","subtype":"background_tasks_changed","tasks":[` + strings.Join(list, ",") + `]}`
	}
	status := func(s string) string {
		return `{"type":"system","subtype":"session_state_changed","state":"` + s + `"}`
	}
	cost := func(n int) string {
		return fmt.Sprintf(`{"type":"control_response","response":{"subtype":"success","request_id":"agentrun-%d"}}`, n)
	}
	t.Run("nothing in the background", func(t *testing.T) {
		s := newScene(request{})
		s.d.Close(s.do)
		s.want(t, "CloseStdin")
		s.got(t, status("idle"))
		s.want(t)
	})
	t.Run("a subagent and the turn behind it", func(t *testing.T) {
		s := newScene(request{})
		s.got(t, status("running"), initRecord, tasks("local_agent"), result(""))
		s.notes = nil
		s.d.Close(s.do)
		s.got(t, ask("r", "Bash", `,"agent_id":"a"`))
		s.want(t, `request r tool_permission "allow Bash?" background`)
		s.got(t, tasks(), cost(1))
		s.want(t, "ask mcp_status")
		s.got(t, initRecord, textRecord, result(""))
		s.want(t, "TurnStart", "emit text", "turn end completed")
		s.got(t, status("idle"), cost(2))
		s.want(t, "ask mcp_status", "CloseStdin")
	})
	t.Run("a command may never end", func(t *testing.T) {
		s := newScene(request{})
		s.got(t, initRecord, tasks("local_bash"), result(""), status("idle"))
		s.notes = nil
		s.d.Close(s.do)
		s.got(t, cost(1))
		s.want(t, "ask mcp_status", "CloseStdin")
	})
}

func TestMessages(t *testing.T) {
	const png = "iVBORw0KGgo="
	for _, c := range []struct {
		name, version string
		in            stream.LiveInput
		want          string
	}{
		{"text", "", stream.LiveInput{Text: "/clear @a "}, `say "/clear @a "`},
		{
			"parts", "",
			stream.LiveInput{Text: "look", Parts: []stream.Part{{Type: "text", Text: "File: a.go"}, {Type: "image", Data: png}}},
			`say [{"type":"text","text":"look"},{"type":"text","text":"File: a.go"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]`,
		},
		{"no image", "", stream.LiveInput{Parts: []stream.Part{{Type: "image", Data: "AAAA"}}}, "error: image: part 1 is no PNG"},
		{"no base64", "", stream.LiveInput{Parts: []stream.Part{{Type: "image", Data: "%"}}}, "error: part 1: the image is not base64"},
		{"old and special", "2.1.100", stream.LiveInput{Text: "/clear"}, "error: claude 2.1.100 takes a leading /"},
		{"old and special part", "2.1.100", stream.LiveInput{Parts: []stream.Part{{Type: "text", Text: "@a"}}}, "error: claude 2.1.100 takes a leading /"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(request{})
			s.d.req.Version = c.version
			got := ""
			if err := s.d.Message(c.in, s.do); err != nil {
				got = "error: " + err.Error()
				if s.d.turn.runs {
					t.Error("a refused message began a turn")
				}
			}
			got += strings.Join(s.notes, " ")
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestMessageNames: the uuid of a message is one, and no other session's.
func TestMessageNames(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range []string{"/run/1", "/run/2"} {
		d := newDriver(providers.Request{Dir: dir})
		for range 100 {
			id := d.uuid()
			if seen[id] || !isUUID(id) || id[14] != '4' {
				t.Fatalf("%s", id)
			}
			seen[id] = true
		}
	}
}

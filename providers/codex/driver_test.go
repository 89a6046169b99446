package codex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

const (
	openedLines = `{"id":1,"result":{}}` + "\n" + `{"id":2,"result":{"thread":{"id":"T"},"model":"m1"}}` + "\n"
	begunLines  = `{"id":3,"result":{"turn":{"id":"U"}}}` + "\n" + `{"method":"turn/started","params":{"threadId":"T","turn":{"id":"U"}}}` + "\n"
)

func turnDone(id, status string) string {
	return `{"method":"turn/completed","params":{"threadId":"T","turn":{"id":"` + id + `","status":"` + status + `"}}}` + "\n"
}

func itemLine(method, thread, item string) string {
	return `{"method":"item/` + method + `","params":{"threadId":"` + thread + `","item":` + item + `}}` + "\n"
}

// heard writes a driver's effects so that a person can compare them.
type heard struct{ list []string }

func (h *heard) do(e providers.Effect) {
	switch e := e.(type) {
	case providers.Send:
		h.list = append(h.list, "> "+string(e.Line))
	case providers.Emit:
		h.list = append(h.list, brief([]stream.Chunk{e.Chunk})...)
		if m := e.Chunk.Metadata; m != nil && m.ParentToolID != "" {
			h.list[len(h.list)-1] += " in " + m.ParentToolID
		}
	case providers.AgentRequest:
		line := fmt.Sprintf("ask %s %s: %s", e.ID, e.Kind, e.Message)
		for _, part := range []string{e.Context.ToolName, e.Context.ToolID, e.Context.Command, strings.Join(e.Context.Paths, " "), e.Context.ParentToolID, string(e.Schema)} {
			if part != "" {
				line += " | " + part
			}
		}
		if e.Background {
			line += " | background"
		}
		h.list = append(h.list, line)
	case providers.Withdraw:
		h.list = append(h.list, "withdraw "+e.ID)
	case providers.Settle:
		h.list = append(h.list, "settle "+e.Input.ID+" "+conformance.Words(e.Err))
	case providers.TurnEnd:
		h.list = append(h.list, "end "+string(e.Status)+" "+conformance.Words(e.Verdict.Err))
	default:
		h.list = append(h.list, strings.TrimPrefix(fmt.Sprintf("%T", e), "providers."))
	}
}

// act plays a script: lines of the server, and inputs behind "> ".
func act(t *testing.T, r providers.Request, script string) (providers.Driver, []string) {
	t.Helper()
	d := conformance.Watch(codex.New().(providers.Converser), r)
	h := &heard{}
	d.Open(h.do)
	for line := range strings.Lines(script) {
		h.line(t, d, strings.TrimSpace(line))
	}
	if err := d.Err(); err != nil {
		t.Error(err)
	}
	return d, h.list
}

func (h *heard) line(t *testing.T, d providers.Driver, line string) {
	t.Helper()
	text, ok := strings.CutPrefix(line, "> ")
	if !ok {
		rec, err := ndjson.NewReader(strings.NewReader(line+"\n"), 1<<20).Next()
		if err != nil || rec.Kind != ndjson.Object {
			t.Fatalf("%s: %v", line, err)
		}
		if err := d.Receive(rec, h.do); err != nil {
			h.list = append(h.list, "error "+err.Error())
		}
		return
	}
	var in stream.LiveInput
	if err := ndjson.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	var err error
	switch in.Type {
	case stream.LiveMessage:
		err = d.Message(in, h.do)
	case stream.LiveSteer:
		err = d.Steer(in, h.do)
	case stream.LiveAnswer:
		err = d.Answer(in, h.do)
	case stream.LiveUpdate:
		err = d.Update(in, h.do)
	case stream.LiveAbort:
		err = d.Abort(h.do)
	case stream.LiveClose:
		d.Close(h.do)
	}
	if err != nil && !errors.Is(err, providers.ErrLater) {
		h.list = append(h.list, "refused "+err.Error())
	}
}

const sayHi = `> {"type":"message","id":"1","text":"hi"}` + "\n"

func TestDriver(t *testing.T) {
	const (
		interrupt = `> {"id":4,"method":"turn/interrupt","params":{"threadId":"T","turnId":"U"}}`
		steerU    = `> {"id":4,"method":"turn/steer","params":{"threadId":"T","expectedTurnId":"U","input":[{"type":"text","text":"x","text_elements":[]}]}}`
		began     = "turn_started"
		command   = `{"type":"commandExecution","id":"c","command":"/bin/bash -lc 'rm x'"}`
		asks      = `{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"T","itemId":"c","command":"/bin/bash -lc 'rm x'"}}` + "\n"
	)
	tests := []struct {
		name, script string
		want         []string // behind turn/start
	}{
		{
			"an abort waits for the turn to begin",
			`> {"type":"abort"}` + "\n" + begunLines + turnDone("U", "interrupted"),
			[]string{began, interrupt, "end cancelled "},
		},
		{
			"an abort that comes too late ends nothing",
			begunLines + itemLine("completed", "T", `{"type":"agentMessage","id":"m","text":"hello"}`) + `> {"type":"abort"}` + "\n" + turnDone("U", "completed"),
			[]string{began, "text hello", interrupt, "end completed "},
		},
		{
			"a steer waits, and is settled by the server",
			`> {"type":"steer","id":"s","text":"x"}` + "\n" + begunLines + `{"id":4,"result":{"turnId":"U"}}` + "\n",
			[]string{began, steerU, "settle s "},
		},
		{
			"a steer that never went is refused with the end",
			`> {"type":"steer","id":"s","text":"x"}` + "\n" + `{"id":3,"error":{"code":-32600,"message":"thread not found: T"}}` + "\n",
			[]string{"settle s usage/no_turn the turn has ended", "end failed agent/request thread not found: T"},
		},
		{
			"a turn of the server's own before ours",
			`{"method":"turn/started","params":{"threadId":"T","turn":{"id":"V"}}}` + "\n" + turnDone("V", "completed") + begunLines +
				itemLine("completed", "T", `{"type":"agentMessage","id":"m","text":"hello"}`) + turnDone("U", "completed"),
			[]string{began, began, "text hello", "end completed "},
		},
		{
			"the end of a turn before the answer to its beginning",
			`{"method":"turn/started","params":{"threadId":"T","turn":{"id":"U"}}}` + "\n" + turnDone("U", "interrupted") + `{"id":3,"result":{"turn":{"id":"U"}}}` + "\n",
			[]string{began, "end cancelled "},
		},
		{
			"an empty turn fails, as one way",
			begunLines + turnDone("U", "completed"),
			[]string{began, "end failed agent/empty_answer codex completed its turn without a message or a tool call"},
		},
		{
			"a command that is declined and never closed",
			begunLines + itemLine("started", "T", command) + asks + `> {"type":"answer","request_id":"0","action":"cancel"}` + "\n" + turnDone("U", "interrupted"),
			[]string{
				began, `tool_use command_execution c {"command":"/bin/bash -lc 'rm x'"}`, "ask 0 tool_permission: run this command? | command_execution | c | rm x",
				`> {"id":0,"result":{"decision":"cancel"}}`, `tool_result command_execution c "declined" !`, "end cancelled ",
			},
		},
		{
			"a call that no item told of is made from its question, and void at the end of the turn",
			begunLines + asks + turnDone("U", "interrupted"),
			[]string{
				began, `tool_use command_execution c {"command":"/bin/bash -lc 'rm x'"}`, "ask 0 tool_permission: run this command? | command_execution | c | rm x",
				`tool_result command_execution c "not answered before the turn ended" !`, "withdraw 0", "end cancelled ",
			},
		},
		{
			"a question taken back, and one asked twice",
			begunLines + asks + asks + `{"method":"serverRequest/resolved","params":{"threadId":"T","requestId":0}}` + "\n" + `> {"type":"answer","request_id":"0","action":"accept"}` + "\n",
			[]string{
				began, `tool_use command_execution c {"command":"/bin/bash -lc 'rm x'"}`, "ask 0 tool_permission: run this command? | command_execution | c | rm x",
				"withdraw 0", `refused no request "0" is open`,
			},
		},
		{
			"changes of files, for the session",
			begunLines + itemLine("started", "T", `{"type":"fileChange","id":"p","changes":[{"path":"/a","kind":{"type":"update","move_path":"/b"}}]}`) +
				`{"id":"x","method":"item/fileChange/requestApproval","params":{"threadId":"T","itemId":"p"}}` + "\n" + `> {"type":"answer","request_id":"x","action":"accept","for":"session"}` + "\n",
			[]string{
				began, `tool_use file_change p {"changes":[{"path":"/a","kind":{"type":"update","move_path":"/b"}}]}`,
				"ask x tool_permission: allow these changes of files? | file_change | p | /a /b", `> {"id":"x","result":{"decision":"acceptForSession"}}`,
			},
		},
		{
			"permissions, cut down",
			begunLines + `{"id":7,"method":"item/permissions/requestApproval","params":{"threadId":"T","itemId":"q","permissions":{"network":{"enabled":true}}}}` + "\n" +
				`> {"type":"answer","request_id":"7","action":"accept","data":{}}` + "\n",
			[]string{
				began, `tool_use request_permissions q {"network":{"enabled":true}}`,
				`ask 7 tool_permission: give these permissions? | request_permissions | q | {"type":"object","description":"permissions to give in place of those asked for"}`,
				`> {"id":7,"result":{"permissions":{},"scope":"turn"}}`, `tool_result request_permissions q {"permissions":{},"scope":"turn"}`,
			},
		},
		{
			"an MCP tool, the call by its arguments, cancelled",
			begunLines + itemLine("started", "T", `{"type":"mcpToolCall","id":"a","server":"s","tool":"t","arguments":{"n":1}}`) +
				itemLine("started", "T", `{"type":"mcpToolCall","id":"b","server":"s","tool":"t","arguments":{"n":2}}`) +
				`{"id":0,"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"form","message":"allow?","_meta":{"codex_approval_kind":"mcp_tool_call","tool_name":"t","tool_params":{"n":1}}}}` + "\n" +
				`> {"type":"answer","request_id":"0","action":"cancel"}` + "\n",
			[]string{
				began, `tool_use s/t a {"n":1}`, `tool_use s/t b {"n":2}`, "ask 0 tool_permission: allow? | s/t | a",
				`> {"id":0,"result":{"action":"cancel","content":null,"_meta":null}}`, interrupt,
			},
		},
		{
			"an MCP server's own question, and its address",
			begunLines + `{"id":0,"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"form","message":"name?","requestedSchema":{"type":"object"}}}` + "\n" +
				`> {"type":"answer","request_id":"0","action":"accept","data":{"name":"n"}}` + "\n" +
				`{"id":1,"method":"mcpServer/elicitation/request","params":{"threadId":"T","serverName":"s","mode":"url","message":"log in","url":"https://example.test"}}` + "\n",
			[]string{
				began, `ask 0 question: s asks: name? | {"type":"object"}`, `> {"id":0,"result":{"action":"accept","content":{"name":"n"},"_meta":null}}`,
				"ask 1 auth: s asks: log in (https://example.test)",
			},
		},
		{
			"a question wants all its answers",
			begunLines + `{"id":0,"method":"item/tool/requestUserInput","params":{"threadId":"T","itemId":"q","questions":[{"id":"a","header":"H","question":"Which?","options":[{"label":"x"}]}]}}` + "\n" +
				`> {"type":"answer","request_id":"0","action":"accept"}` + "\n" + `> {"type":"answer","request_id":"0","action":"accept","data":{"b":"x"}}` + "\n" +
				`> {"type":"answer","request_id":"0","action":"decline"}` + "\n",
			[]string{
				began, `tool_use request_user_input q {"questions":[{"id":"a","header":"H","question":"Which?","isOther":false,"isSecret":false,"options":[{"label":"x","description":""}]}]}`,
				`ask 0 question: Which? | request_user_input | q | {"type":"object","properties":{"a":{"type":"string","title":"H","description":"Which?","enum":["x"]}},"required":["a"]}`,
				"refused the questions want their answers as data: an object with a string for each", `refused question "a" has no answer in the data`,
				`> {"id":0,"result":{"answers":{}}}`, `tool_result request_user_input q {"answers":{}} !`,
			},
		},
		{
			"what nobody can answer is refused at once",
			`{"id":0,"method":"item/tool/call","params":{"threadId":"T"}}` + "\n" + `{"id":1,"method":"item/fileChange/requestApproval","params":7}` + "\n",
			[]string{
				"warning codex asked for item/tool/call, which agentrun does not do", `> {"id":0,"error":{"code":-32601,"message":"agentrun does not do item/tool/call"}}`,
				"warning codex asked for item/fileChange/requestApproval, which agentrun does not do", `> {"id":1,"error":{"code":-32601,"message":"agentrun does not understand the request"}}`,
			},
		},
		{
			"a subagent asks, and its turn is not ours; an abort is for it, too",
			begunLines + itemLine("completed", "T", `{"type":"collabAgentToolCall","id":"k","tool":"spawnAgent","receiverThreadIds":["S"]}`) +
				`{"method":"turn/started","params":{"threadId":"S","turn":{"id":"W"}}}` + "\n" + itemLine("completed", "S", `{"type":"agentMessage","id":"m","text":"sub"}`) +
				`{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"S","itemId":"c","command":"ls"}}` + "\n" +
				`> {"type":"abort"}` + "\n" + `{"method":"turn/completed","params":{"threadId":"S","turn":{"id":"W","status":"completed"}}}` + "\n" +
				turnDone("U", "interrupted") + `> {"type":"answer","request_id":"0","action":"cancel"}` + "\n",
			[]string{
				began, `tool_use spawn_agent k {"receiver_thread_ids":["S"]}`, `tool_result spawn_agent k {"receiver_thread_ids":["S"]}`, "text sub in k", `tool_use command_execution c {"command":"ls"} in k`,
				"ask 0 tool_permission: run this command? | command_execution | c | ls | k | background", interrupt,
				`> {"id":5,"method":"turn/interrupt","params":{"threadId":"S","turnId":"W"}}`, "end cancelled ", `> {"id":0,"result":{"decision":"cancel"}}`,
			},
		},
		{
			"commands that an interrupt leaves running are ended, with patience",
			begunLines + itemLine("started", "T", command) + `> {"type":"abort"}` + "\n" + turnDone("U", "interrupted") +
				`{"id":5,"result":{}}` + "\n" + `{"id":6,"result":{"data":[{}]}}` + "\n" + `{"id":7,"result":{}}` + "\n" + `{"id":8,"result":{"data":[]}}` + "\n",
			[]string{
				began, `tool_use command_execution c {"command":"/bin/bash -lc 'rm x'"}`, interrupt,
				`> {"id":5,"method":"thread/backgroundTerminals/clean","params":{"threadId":"T"}}`, `> {"id":6,"method":"thread/backgroundTerminals/list","params":{"threadId":"T"}}`,
				`> {"id":7,"method":"thread/backgroundTerminals/clean","params":{"threadId":"T"}}`, `> {"id":8,"method":"thread/backgroundTerminals/list","params":{"threadId":"T"}}`,
				"end cancelled ",
			},
		},
		{
			"an unknown event with words in it ends the run, one without is a notice",
			`{"method":"item/new","params":{"text":"x"}}` + "\n" + `{"method":"new/thing","params":{"a":1}}` + "\n" + `{"a":1}` + "\n" + `{"id":99,"result":{}}` + "\n",
			[]string{`error unknown event "item/new" from the vendor`, "unknown_event unknown event new/thing", "unknown_event unknown event a line without a method"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, got := act(t, request(t, ""), openedLines+sayHi+tt.script)
			const before = 6 // initialize, initialized, thread/start, session, Ready, turn/start
			if len(got) < before {
				t.Fatalf("only %q", got)
			}
			if diff := cmp.Diff(tt.want, got[before:]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestDriverDeltas(t *testing.T) {
	delta := func(id, text string) string {
		return `{"method":"item/agentMessage/delta","params":{"threadId":"T","itemId":"` + id + `","delta":"` + text + `"}}` + "\n"
	}
	whole := func(id, text string) string {
		return itemLine("completed", "T", `{"type":"agentMessage","id":"`+id+`","text":"`+text+`"}`)
	}
	const (
		retry = `{"method":"error","params":{"threadId":"T","willRetry":true,"error":{"message":"Reconnecting... 1/5","additionalDetails":"cut"}}}` + "\n"
		user  = `{"method":"item/completed","params":{"threadId":"T","item":{"type":"userMessage","id":"u"}}}` + "\n"
	)
	tests := []struct {
		name, script string
		want         []string
	}{
		{"pieces and the whole", delta("a", "one ") + delta("a", "two") + whole("a", "one two"), []string{"text one ", "text two"}},
		{"the whole has more", delta("a", "one ") + whole("a", "one two"), []string{"text one ", "text two"}},
		{"the whole is another", delta("a", "uno") + whole("a", "one"), []string{"text uno", "retracted the message came out otherwise than its pieces", "text one"}},
		{"no pieces", whole("a", "one"), []string{"text one"}},
		{"an empty piece", delta("a", "") + whole("a", "one"), []string{"text one"}},
		{"a steer drops what was being said", delta("a", "one") + user + whole("b", "two"), []string{"text one", "retracted codex dropped a message that it had not finished", "text two"}},
		{
			"a broken stream, and the same again", whole("a", "one") + delta("b", "tw") + retry + delta("c", "one") + whole("c", "one") + whole("d", "two"),
			[]string{
				"text one", "text tw", "retracted codex dropped a message that it had not finished", "retry Reconnecting... 1/5 (cut)",
				"fence codex said a message again after a broken stream: the repetition (c) is dropped", "text two",
			},
		},
		{
			"thoughts", `{"method":"item/reasoning/summaryPartAdded","params":{"threadId":"T","itemId":"r","summaryIndex":0}}` + "\n" +
				`{"method":"item/reasoning/summaryTextDelta","params":{"threadId":"T","itemId":"r","delta":"hm","summaryIndex":0}}` + "\n" +
				`{"method":"item/reasoning/summaryPartAdded","params":{"threadId":"T","itemId":"r","summaryIndex":1}}` + "\n" +
				`{"method":"item/reasoning/summaryTextDelta","params":{"threadId":"T","itemId":"r","delta":"ah","summaryIndex":1}}` + "\n" +
				itemLine("completed", "T", `{"type":"reasoning","id":"r","summary":["hm","ah"]}`) + itemLine("completed", "T", `{"type":"reasoning","id":"s","summary":["so","it is"]}`),
			[]string{"thinking hm", "thinking \n", "thinking ah", "thinking so\nit is"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, "")
			r.Deltas = true
			_, got := act(t, r, openedLines+sayHi+begunLines+tt.script)
			if diff := cmp.Diff(tt.want, got[7:]); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestDriverUnderPolicy: nothing is allowed beyond what is asked, or codex would ask no more.
func TestDriverUnderPolicy(t *testing.T) {
	const refused = "refused codex would ask no more, and the policy could not decide"
	r := request(t, "")
	r.Asks = true
	ask := func(id, more string) string {
		return `{"id":` + id + `,"method":"item/fileChange/requestApproval","params":{"threadId":"T","itemId":"p"` + more + `}}` + "\n"
	}
	_, got := act(t, r, openedLines+sayHi+begunLines+
		ask("1", "")+`> {"type":"answer","request_id":"1","action":"accept","for":"session"}`+"\n"+
		`> {"type":"answer","request_id":"1","action":"accept"}`+"\n"+
		ask("2", `,"grantRoot":"/repo"`)+`> {"type":"answer","request_id":"2","action":"accept"}`+"\n"+
		`> {"type":"answer","request_id":"2","action":"decline"}`+"\n")
	want := []string{
		"tool_use file_change p {}", "ask 1 tool_permission: allow these changes of files? | file_change | p", refused,
		`> {"id":1,"result":{"decision":"accept"}}`,
		"ask 2 tool_permission: allow changes of files below /repo? | file_change | p", refused,
		`> {"id":2,"result":{"decision":"decline"}}`,
	}
	if diff := cmp.Diff(want, got[7:]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestDriverBegins: what a session's thread and first turn are asked for.
func TestDriverBegins(t *testing.T) {
	tests := []struct {
		name   string
		set    []string
		change func(*providers.Request)
		thread string
		turn   string // behind the input
	}{
		{
			"as it is", nil, nil, `"method":"thread/start","params":{"cwd":"/repo","sandbox":"read-only","approvalPolicy":"on-request"}`,
			`,"sandboxPolicy":{"type":"readOnly"},"approvalPolicy":"on-request"`,
		},
		{
			"edit",
			[]string{"access=edit", "add_dir=/srv", "network=true", "model=m2", "effort=high", "ephemeral=true"},
			nil,
			`"method":"thread/start","params":{"cwd":"/repo","model":"m2","sandbox":"read-only","approvalPolicy":"on-request","ephemeral":true}`,
			`,"model":"m2","effort":"high","sandboxPolicy":{"type":"workspaceWrite","writableRoots":["/srv"],"networkAccess":true},"approvalPolicy":"on-request"`,
		},
		{
			"edit without the fence",
			[]string{"access=edit"},
			func(r *providers.Request) { r.NoFence = map[string]bool{"unwritten-trust": true} },
			`"method":"thread/start","params":{"cwd":"/repo","sandbox":"workspace-write","approvalPolicy":"on-request"}`,
			`,"sandboxPolicy":{"type":"workspaceWrite"},"approvalPolicy":"on-request"`,
		},
		{
			"full",
			[]string{"access=full"},
			nil, `"method":"thread/start","params":{"cwd":"/repo","sandbox":"read-only","approvalPolicy":"never"}`,
			`,"sandboxPolicy":{"type":"dangerFullAccess"},"approvalPolicy":"never"`,
		},
		{
			"full under a policy",
			[]string{"access=full"},
			func(r *providers.Request) { r.Asks = true },
			`"method":"thread/start","params":{"cwd":"/repo","sandbox":"read-only","approvalPolicy":"untrusted"}`,
			`,"sandboxPolicy":{"type":"dangerFullAccess"},"approvalPolicy":"untrusted"`,
		},
		{
			"reviewer",
			[]string{"approve_for_me=true"},
			nil,
			`"method":"thread/start","params":{"cwd":"/repo","sandbox":"read-only","approvalPolicy":"on-request","approvalsReviewer":"auto_review"}`,
			`,"sandboxPolicy":{"type":"workspaceWrite"},"approvalPolicy":"on-request","approvalsReviewer":"auto_review"`,
		},
		{
			"as the config says", nil, func(r *providers.Request) { r.NoFence = map[string]bool{"stated-sandbox": true} },
			`"method":"thread/start","params":{"cwd":"/repo"}`, "",
		},
		{
			"carried on, with a schema",
			[]string{"resume=" + thread, "ephemeral=true", `schema={"type":"object"}`},
			nil,
			`"method":"thread/resume","params":{"threadId":"` + thread + `","excludeTurns":true,"cwd":"/repo","sandbox":"read-only","approvalPolicy":"on-request"}`,
			`,"outputSchema":{"type":"object"},"sandboxPolicy":{"type":"readOnly"},"approvalPolicy":"on-request"`,
		},
		{
			"forked",
			[]string{"resume=" + thread, "fork=true"},
			nil,
			`"method":"thread/fork","params":{"threadId":"` + thread + `","excludeTurns":true,"cwd":"/repo","sandbox":"read-only","approvalPolicy":"on-request"}`,
			`,"sandboxPolicy":{"type":"readOnly"},"approvalPolicy":"on-request"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, "", tt.set...)
			r.Cwd = "/repo"
			if tt.change != nil {
				tt.change(&r)
			}
			_, got := act(t, r, openedLines+sayHi)
			if want := `> {"id":2,` + tt.thread + `}`; got[2] != want {
				t.Errorf("asked for the thread\n%s, want\n%s", got[2], want)
			}
			want := `> {"id":3,"method":"turn/start","params":{"threadId":"T","input":[{"type":"text","text":"hi","text_elements":[]}]` + tt.turn + `}}`
			if got[5] != want {
				t.Errorf("asked for the turn\n%s, want\n%s", got[5], want)
			}
		})
	}
}

// TestDriverUpdates: what changes holds from the next turn on, and is not lost
// with a turn that could not begin.
func TestDriverUpdates(t *testing.T) {
	_, got := act(t, request(t, ""), openedLines+sayHi+begunLines+turnDone("U", "interrupted")+
		`> {"type":"update","model":"m2","effort":"low"}`+"\n"+`> {"type":"update","access":"all"}`+"\n"+`> {"type":"update","model":" "}`+"\n"+
		sayHi+`{"id":4,"error":{"code":-32600,"message":"no"}}`+"\n"+`> {"type":"update","access":"full"}`+"\n"+sayHi)
	start := `"method":"turn/start","params":{"threadId":"T","input":[{"type":"text","text":"hi","text_elements":[]}]`
	want := []string{
		`refused access is read-only, edit or full, not "all"`, "refused model: the value is empty",
		`> {"id":4,` + start + `,"model":"m2","effort":"low"}}`, "end failed agent/request no",
		`> {"id":5,` + start + `,"model":"m2","effort":"low","sandboxPolicy":{"type":"dangerFullAccess"},"approvalPolicy":"never","approvalsReviewer":"user"}}`,
	}
	if diff := cmp.Diff(want, got[8:]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestDriverVerdict(t *testing.T) {
	const refused = `{"id":1,"result":{}}` + "\n" + `{"id":2,"error":{"code":-32600,"message":"%s"}}` + "\n"
	tests := []struct {
		name, script string
		exit         providers.Exit
		want         string
	}{
		{"unknown thread", fmt.Sprintf(refused, "no rollout found for thread id x"), providers.Exit{}, "session/not_found no rollout found for thread id x"},
		{"thread in use", fmt.Sprintf(refused, "thread x already has an active writer"), providers.Exit{}, "session/busy thread x already has an active writer"},
		{"bad settings", "", providers.Exit{Code: 1, Stderr: "Error: error loading config: no\n"}, "usage/config error loading config: no"},
		{"bad argument", "", providers.Exit{Code: 2, Stderr: "error: unexpected argument '--x' found\n"}, "unsupported/vendor_args unexpected argument '--x' found"},
		{"no word at all", "", providers.Exit{Code: 3}, "process/crash codex ended the session with status 3"},
		{"within a turn", openedLines + sayHi + begunLines, providers.Exit{}, "protocol/incomplete codex ended without turn.completed or turn.failed"},
		{"between turns", openedLines, providers.Exit{}, "process/crash codex ended the session with status 0"},
		{"a panic", openedLines, providers.Exit{Code: 101, Stderr: "thread 'main' panicked at a.rs:1:2:\nno way\n"}, "process/crash codex crashed: no way"},
		{"a signal", openedLines, providers.Exit{Code: -1, Signal: "SIGKILL"}, "process/signal the vendor was ended by SIGKILL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := act(t, request(t, ""), tt.script)
			if got := conformance.Words(d.Verdict(tt.exit).Err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

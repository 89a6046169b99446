package pi

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// scene is a driver whose effects are noted in short.
type scene struct {
	d     *driver
	w     *conformance.Watched // the driver, held to the rules
	notes []string
}

func newScene(version string) *scene {
	d := newDriver(providers.Request{
		Fields: New().NewFields(), Cwd: "/repo", Dir: "/run", Version: version, Asks: true,
	})
	return &scene{d: d, w: conformance.WatchDriver(d, New().(providers.Converser).Live())}
}

func (s *scene) do(e providers.Effect) {
	note := conformance.Brief(e, sentNote)
	if emit, ok := e.(providers.Emit); ok && emit.Chunk.Metadata != nil && emit.Chunk.Metadata.Denied && emit.Chunk.Metadata.Notice == "" {
		note += " denied"
	}
	s.notes = append(s.notes, note)
}

func sentNote(line []byte) string {
	var l struct {
		recorded

		Message string `json:"message"`
	}
	if err := ndjson.Unmarshal(line, &l); err != nil {
		return err.Error()
	}
	switch {
	case l.Value != nil:
		return "answer " + l.ID + " " + *l.Value
	case l.Confirmed != nil:
		return fmt.Sprintf("answer %s %v", l.ID, *l.Confirmed)
	case l.Cancelled:
		return "answer " + l.ID + " cancelled"
	case l.Type == "prompt":
		return l.Streaming + " " + l.Message
	}
	return l.Type
}

// got feeds lines of pi; $N is the id of our command N.
func (s *scene) got(t *testing.T, lines ...string) {
	t.Helper()
	for _, line := range lines {
		rec, err := ndjson.NewReader(strings.NewReader(strings.ReplaceAll(line, "$", "agentrun-")+"\n"), 1<<20).Next()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.w.Receive(rec, s.do); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func (s *scene) put(t *testing.T, kind, text string) {
	t.Helper()
	in := stream.LiveInput{ID: text, Text: text}
	var err error
	switch kind {
	case "message":
		err = s.w.Message(in, s.do)
	case "steer":
		err = s.w.Steer(in, s.do)
	case "abort":
		err = s.w.Abort(s.do)
	}
	if err != nil && !errors.Is(err, providers.ErrLater) {
		s.notes = append(s.notes, "refused "+err.Error())
	}
}

func (s *scene) want(t *testing.T, notes ...string) {
	t.Helper()
	if diff := cmp.Diff(notes, s.notes); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if err := s.w.Err(); err != nil {
		t.Error(err)
	}
	s.notes = nil
}

const (
	startedLine = `{"id":"$1","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`
	oldStarted  = `{"id":"$1","type":"response","command":"prompt","success":true}`
	agentStart  = `{"type":"agent_start"}`
	answerLine  = `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"stopReason":"stop"}}`
	abortedLine = `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"aborted"}}`
	failedLine  = `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529 {}"}}`
	agentEndNow = `{"type":"agent_end","messages":[],"willRetry":false}`
	oldEnd      = `{"type":"agent_end","messages":[]}`
	settledLine = `{"type":"agent_settled","aborted":false}`
	settledCut  = `{"type":"agent_settled","aborted":true}`
	toolLine    = `{"type":"tool_execution_start","toolCallId":"T","toolName":"bash","args":{"command":"ls"}}`
	gateLine    = `{"type":"extension_ui_request","id":"U","method":"input","title":"agentrun-tool","placeholder":"{\"id\":\"T\",\"name\":\"bash\",\"input\":{\"command\":\"ls\"}}"}`
)

func state1(id string, streaming bool) string {
	return fmt.Sprintf(`{"id":%q,"type":"response","command":"get_state","success":true,"data":{"isStreaming":%v}}`, id, streaming)
}

func TestOpen(t *testing.T) {
	s := newScene(newest)
	s.w.Open(s.do)
	s.got(t,
		`{"id":"$1","type":"response","command":"get_commands","success":true,"data":{"commands":[{"name":"skill:greet","source":"skill"},{"name":"x","source":"prompt"}]}}`,
		`{"id":"$2","type":"response","command":"get_state","success":true,"data":{"sessionId":"S","model":{"provider":"mock"}}}`)
	s.want(t, "get_commands", "get_state", "notice session", "Ready")
	s.put(t, "message", "/skill:greet me")
	s.put(t, "message", "/x y")
	s.want(t, "refused pi would put the skill in the place of words that begin with /skill:greet", "followUp agentrun-prompt/x y")
}

func TestMessages(t *testing.T) {
	s := newScene(newest)
	s.put(t, "message", "")
	s.put(t, "message", "\xff")
	s.put(t, "message", "a")
	s.got(t, startedLine, agentStart, answerLine, agentEndNow, settledLine, settledLine)
	s.want(t, "refused the message is empty", "refused the prompt is not valid UTF-8: pi would replace its bad bytes",
		"followUp a", "emit text", "turn end completed")
}

// TestOthersTurns: turns that an extension begins, alone and at the moment of a message.
func TestOthersTurns(t *testing.T) {
	s := newScene(newest)
	s.got(t, agentStart, answerLine, agentEndNow, settledLine)
	s.want(t, "TurnStart", "emit text", "turn end completed")
	s.put(t, "message", "a")
	s.got(t, agentStart, answerLine, agentEndNow, settledLine) // before pi has ours
	s.want(t, "followUp a", "emit text")
	s.got(t, startedLine, agentStart, answerLine, agentEndNow, settledLine)
	s.want(t, "emit text", "turn end completed")
}

func TestNoTurn(t *testing.T) {
	for _, c := range []struct {
		name, line, end string
	}{
		{"no key", `{"id":"$1","type":"response","command":"prompt","success":false,"error":"No API key found for x."}`, "turn end failed auth/not_logged_in"},
		{"busy", `{"id":"$1","type":"response","command":"prompt","success":false,"error":"Cannot submit a prompt while compaction is in progress."}`, "turn end failed agent/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(newest)
			s.put(t, "message", "a")
			s.put(t, "steer", "b")
			s.got(t, c.line)
			s.want(t, "followUp a", "settle b: no_turn", c.end)
		})
	}
	t.Run("a command", func(t *testing.T) {
		s := newScene(newest)
		s.put(t, "message", "a")
		s.got(t, `{"id":"$1","type":"response","command":"prompt","success":true,"data":{"disposition":"handled"}}`)
		s.want(t, "followUp a", "notice info", "turn end completed")
	})
	t.Run("a command of an old pi", func(t *testing.T) {
		s := newScene(oldest)
		s.put(t, "message", "a")
		s.got(t, oldStarted, state1("$2", false))
		s.want(t, "followUp a", "get_state", "turn end completed")
	})
}

func TestSteers(t *testing.T) {
	s := newScene(newest)
	s.put(t, "message", "a")
	s.put(t, "steer", "b") // waits: of two prompts that begin, pi loses one
	s.want(t, "followUp a")
	s.got(t, startedLine)
	s.want(t, "steer b")
	s.got(t, `{"id":"$2","type":"response","command":"prompt","success":true,"data":{"disposition":"queued"}}`, agentStart, answerLine)
	s.want(t, "settle b", "emit text")
	s.put(t, "steer", "c")
	s.got(t, agentEndNow, settledLine)
	s.want(t, "steer c", "turn end completed")
	// Too late: it begins a turn of its own.
	s.got(t, `{"id":"$3","type":"response","command":"prompt","success":true,"data":{"disposition":"started"}}`, agentStart, answerLine, agentEndNow, settledLine)
	s.want(t, "settle c", "TurnStart", "emit text", "turn end completed")
}

func TestAborts(t *testing.T) {
	t.Run("before the turn began", func(t *testing.T) {
		s := newScene(newest)
		s.put(t, "message", "a")
		s.put(t, "abort", "")
		s.put(t, "steer", "b")
		s.want(t, "followUp a", "refused the turn is about to end")
		s.got(t, startedLine, agentStart, abortedLine, agentEndNow, settledCut)
		s.want(t, "clear_queue", "abort", "turn end cancelled")
	})
	t.Run("too late", func(t *testing.T) {
		s := newScene(newest)
		s.put(t, "message", "a")
		s.got(t, startedLine, agentStart, answerLine)
		s.put(t, "abort", "")
		s.put(t, "abort", "")
		s.got(t, agentEndNow, settledLine)
		s.want(t, "followUp a", "emit text", "clear_queue", "abort", "turn end completed")
	})
	t.Run("by an extension", func(t *testing.T) {
		s := newScene(newest)
		s.put(t, "message", "a")
		s.got(t, startedLine, agentStart, abortedLine, agentEndNow, settledCut)
		s.want(t, "followUp a", "turn end failed agent/aborted")
	})
	t.Run("while asked", func(t *testing.T) {
		s := newScene(newest)
		s.put(t, "message", "a")
		s.got(t, startedLine, agentStart, toolLine, gateLine)
		s.put(t, "abort", "")
		s.got(t, strings.ReplaceAll(gateLine, `"U"`, `"V"`))
		s.want(t, "followUp a", "emit tool_use T", `request U tool_permission "allow bash?"`,
			"clear_queue", "abort", "answer U cancelled", "withdraw U", "answer V cancelled")
	})
	t.Run("an old pi, while it waits to try again", func(t *testing.T) {
		s := newScene(oldest)
		s.put(t, "message", "a")
		s.got(t, oldStarted, agentStart, failedLine, oldEnd,
			`{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"529 {}"}`, state1("$3", false))
		s.want(t, "followUp a", "get_state", "get_state", "notice retry")
		s.got(t, `{"type":"queue_update","steering":["b"],"followUp":[]}`)
		s.put(t, "abort", "")
		s.got(t, `{"type":"auto_retry_end","success":false,"attempt":1,"finalError":"Retry cancelled"}`, state1("$5", false))
		s.want(t, "notice warning", "abort", "get_state", "turn end cancelled")
	})
}

// TestOldEnds: before 0.80.4 agent_end is not the end.
func TestOldEnds(t *testing.T) {
	s := newScene(oldest)
	s.put(t, "message", "a")
	s.got(t, oldStarted, agentStart, failedLine, oldEnd, agentStart, answerLine, state1("$2", false), state1("$3", false))
	s.want(t, "followUp a", "get_state", "get_state", "emit text")
	s.got(t, oldEnd, state1("$4", true), state1("$5", false))
	s.want(t, "get_state", "get_state", "turn end completed")
}

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		name, ask string
		in        stream.LiveInput
		want      []string
	}{
		{"allow", gateLine, stream.LiveInput{Action: stream.Accept}, []string{`answer U {"allow":true}`}},
		{"change", gateLine, stream.LiveInput{Action: stream.Accept, Data: []byte(`{"a":1}`)}, []string{`answer U {"allow":true,"input":{"a":1}}`}},
		{"decline", gateLine, stream.LiveInput{Action: stream.Decline}, []string{`answer U {"allow":false,"reason":"The user declined this."}`}},
		{"cancel", gateLine, stream.LiveInput{Action: stream.Cancel, Message: "no"}, []string{`answer U {"allow":false,"reason":"no"}`, "clear_queue", "abort"}},
		{"confirm", `{"type":"extension_ui_request","id":"U","method":"confirm"}`, stream.LiveInput{Action: stream.Accept}, []string{"answer U true"}},
		{"do not confirm", `{"type":"extension_ui_request","id":"U","method":"confirm"}`, stream.LiveInput{Action: stream.Decline}, []string{"answer U false"}},
		{"cancel a confirm", `{"type":"extension_ui_request","id":"U","method":"confirm"}`, stream.LiveInput{Action: stream.Cancel}, []string{"answer U cancelled", "clear_queue", "abort"}},
		{"select", `{"type":"extension_ui_request","id":"U","method":"select","options":["a"]}`, stream.LiveInput{Action: stream.Accept, Data: []byte(`{"value":"a"}`)}, []string{"answer U a"}},
		{"select nothing", `{"type":"extension_ui_request","id":"U","method":"select"}`, stream.LiveInput{Action: stream.Decline}, []string{"answer U cancelled"}},
		{"no value", `{"type":"extension_ui_request","id":"U","method":"editor"}`, stream.LiveInput{Action: stream.Accept}, []string{"refused data"}},
		{"no request", gateLine, stream.LiveInput{RequestID: "other"}, []string{"refused no_request"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(newest)
			s.put(t, "message", "a")
			s.got(t, startedLine, agentStart, toolLine, c.ask, c.ask)
			s.notes = nil
			if c.in.RequestID == "" {
				c.in.RequestID = "U"
			}
			if err := s.w.Answer(c.in, s.do); err != nil {
				var e *providers.Error
				errors.As(err, &e)
				s.notes = append(s.notes, "refused "+e.Reason)
			}
			s.want(t, c.want...)
		})
	}
}

// TestDeclined: what somebody declined is told as denied, by whatever words pi ends the call.
func TestDeclined(t *testing.T) {
	s := newScene(oldest)
	s.put(t, "message", "a")
	s.got(t, oldStarted, agentStart, toolLine, gateLine)
	s.notes = nil
	if err := s.w.Answer(stream.LiveInput{RequestID: "U", Action: stream.Decline}, s.do); err != nil {
		t.Fatal(err)
	}
	s.got(t, `{"type":"tool_execution_end","toolCallId":"T","toolName":"bash","result":{"content":[{"type":"text","text":"Operation aborted"}]},"isError":true}`)
	s.want(t, `answer U {"allow":false,"reason":"The user declined this."}`, "emit tool_result T denied")
	want := []stream.Denial{{ToolName: "bash", ToolID: "T", Message: "Operation aborted"}}
	if diff := cmp.Diff(want, s.d.turn.denials); diff != "" {
		t.Errorf("denials (-want +got):\n%s", diff)
	}
}

func TestBackgroundQuestion(t *testing.T) {
	s := newScene(newest)
	s.got(t, `{"type":"extension_ui_request","id":"U","method":"confirm","title":"Sure?"}`)
	s.put(t, "message", "a")
	s.got(t, startedLine, agentStart, answerLine, agentEndNow, settledLine)
	s.want(t, `request U question "Sure?" background`, "followUp a", "emit text", "turn end completed")
}

// TestForgedGate: without a policy nothing is asked about tools, so that another
// extension's question is none about a tool either.
func TestForgedGate(t *testing.T) {
	s := newScene(newest)
	s.d.req.Asks = false
	s.got(t, gateLine)
	if len(s.notes) != 1 || !strings.HasPrefix(s.notes[0], "request U question") {
		t.Errorf("effects: %q", s.notes)
	}
}

func TestUpdates(t *testing.T) {
	for _, c := range []struct {
		in    stream.LiveInput
		lines string
	}{
		{stream.LiveInput{Model: "a/b/c:free"}, `{"type":"set_model","provider":"a","modelId":"b/c:free"}`},
		{stream.LiveInput{Model: "b:high"}, `{"type":"set_model","provider":"mock","modelId":"b"} {"type":"set_thinking_level","level":"high"}`},
		{stream.LiveInput{Model: "b:high", Effort: "low"}, `{"type":"set_model","provider":"mock","modelId":"b"} {"type":"set_thinking_level","level":"low"}`},
		{stream.LiveInput{Effort: "off"}, `{"type":"set_thinking_level","level":"off"}`},
		{stream.LiveInput{Model: " "}, "model"},
		{stream.LiveInput{Effort: "bogus"}, "effort"},
		{stream.LiveInput{Access: "full"}, "access"},
	} {
		s := newScene(newest)
		s.d.vendor = "mock"
		var sent []string
		err := s.w.Update(c.in, func(e providers.Effect) {
			line := string(e.(providers.Send).Line)
			_, rest, _ := strings.Cut(line, `,`)
			sent = append(sent, "{"+rest)
		})
		if e, ok := errors.AsType[*providers.Error](err); ok {
			sent = append(sent, e.Reason)
		}
		if got := strings.Join(sent, " "); got != c.lines {
			t.Errorf("%+v:\n%s, want\n%s", c.in, got, c.lines)
		}
	}
}

func TestTurnsCount(t *testing.T) {
	s := newScene(newest)
	const used = `{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"stopReason":"stop","usage":{"input":10,"output":1,"totalTokens":11,"cost":{"total":0.5}}}}`
	var ends []providers.TurnEnd
	for i := range 2 {
		s.put(t, "message", "a")
		for _, line := range []string{strings.ReplaceAll(startedLine, "$1", fmt.Sprintf("$%d", i+1)), agentStart, used, `{"type":"turn_end"}`, agentEndNow, settledLine} {
			rec, err := ndjson.NewReader(strings.NewReader(strings.ReplaceAll(line, "$", "agentrun-")+"\n"), 1<<20).Next()
			if err != nil {
				t.Fatal(err)
			}
			if err := s.w.Receive(rec, func(e providers.Effect) {
				if end, ok := e.(providers.TurnEnd); ok {
					ends = append(ends, end)
				}
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, e := range ends {
		m := e.Verdict.Metadata
		if *m.Usage.InputTokens != 10 || *m.TotalCostUSD != 0.5 || *m.NumTurns != 1 {
			t.Errorf("a turn used %d tokens, cost %v, %d turns", *m.Usage.InputTokens, *m.TotalCostUSD, *m.NumTurns)
		}
	}
	f := s.w.Facts()
	if len(ends) != 2 || *f.Usage.InputTokens != 20 || *f.CostUSD != 1 || *f.NumTurns != 2 {
		t.Errorf("%d turns, the session %+v", len(ends), f)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		exit  providers.Exit
		want  string
	}{
		{"never up", nil, providers.Exit{Code: 1, Stderr: "No session found matching 'x'"}, "session/not_found"},
		{"idle", []string{state1("$2", false)}, providers.Exit{}, "process/crash"},
		{"idle, after a turn", []string{state1("$2", false), agentStart, answerLine, agentEndNow, settledLine}, providers.Exit{}, "process/crash"},
		{"in a turn", []string{state1("$2", false), agentStart, answerLine}, providers.Exit{}, "protocol/incomplete"},
		{"by a signal", []string{state1("$2", false)}, providers.Exit{Code: 143}, "process/signal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(newest)
			s.w.Open(s.do)
			s.got(t, c.lines...)
			err := s.w.Verdict(c.exit).Err
			if err == nil || string(err.Class)+"/"+err.Reason != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

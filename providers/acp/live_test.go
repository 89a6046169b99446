package acp

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func job(t *testing.T, mode string, fields ...string) providers.Job {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := New()
	r := providers.Request{Fields: p.NewFields(), Set: map[string]bool{}, Cwd: t.TempDir(), Dir: t.TempDir(), Env: func(string) string { return "" }}
	for _, kv := range append(fields, "command="+self) {
		name, value, _ := strings.Cut(kv, "=")
		if err := providers.SetField(r.Fields, name, value); err != nil {
			t.Fatal(err)
		}
		r.Set[name] = true
	}
	c, err := p.(providers.Converser).LiveCommand(r)
	if err != nil {
		t.Fatal(err)
	}
	return providers.Job{ID: strings.ReplaceAll(t.Name(), "/", "-"), Provider: p, Request: r, Command: c, Binary: self, Env: []string{standinVar + "=" + mode}}
}

func hold(t *testing.T, cfg live.Config) *conformance.Noted {
	t.Helper()
	return conformance.HoldNoted(t, cfg, time.Minute, chunkNote, lineNote) // for a session that hangs
}

// chunkNote is a chunk in short.
func chunkNote(c stream.Chunk) string {
	parts := []string{string(c.Type), c.Content, c.ToolName, c.ToolID, string(c.ToolInput), string(c.ToolOutput)}
	if m := c.Metadata; m != nil {
		parts = append(parts, m.Notice, m.Class, m.Reason)
		if m.Denied {
			parts = append(parts, "denied")
		}
	}
	if c.IsError && c.Type == stream.ToolResult {
		parts = append(parts, "error")
	}
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

// lineNote is a line in short; states and acknowledgements are the host's business.
func lineNote(l stream.LiveLine) string {
	switch l.Type {
	case stream.LiveRequest:
		return strings.TrimSpace(fmt.Sprintf("request %s %s %s %s", l.Kind, l.Message, l.Context.ToolName, l.Context.Content))
	case stream.LiveTurnEnd:
		return strings.Join(strings.Fields(fmt.Sprintf("turn_end %s %s %s", l.Status, l.Class, l.Reason)), " ")
	case stream.LiveRefused:
		return "refused " + l.Reason
	case stream.LiveRequestEnd:
		return strings.TrimSpace(fmt.Sprintf("request_end %s by %s", l.Action, l.By))
	case stream.LiveAck:
		if l.Input == stream.LiveUpdate {
			return "ack update"
		}
	case stream.LiveTurnStart, stream.LiveStateLine:
	}
	return ""
}

// TestTurns: what the words of a prompt make of a turn.
func TestTurns(t *testing.T) {
	for prompt, want := range map[string][]string{
		"say":     {"text Hello", "thinking hm", "text there.", "turn_end completed"},
		"say say": {"text Hello", "thinking hm", "text there.Hello", "thinking hm", "text there.", "turn_end completed"},
		"tool":    {`tool_use execute t1 {"command":"ls"}`, `tool_result execute t1 "a.txt"`, "turn_end completed"},
		"broken":  {"tool_use execute t1", `tool_result execute t1 {"code":1} error`, "turn_end completed"},
		"tool late": {
			`tool_use execute t1 {"command":"ls"}`, `tool_result execute t1 "a.txt"`, "turn_end completed", "text late.",
		},
		"plan":              {"system todo", "turn_end completed"},
		"idle":              {"turn_end failed agent empty_answer"},
		"/idle":             {"turn_end completed"},
		"say twice":         {"text Hello", "thinking hm", "text there.", "turn_end completed"},
		"stop max_tokens":   {"turn_end failed limit output_truncated"},
		"stop refusal":      {"turn_end failed refusal"},
		"stop tomorrow":     {"turn_end failed agent"},
		"stop cancelled":    {"turn_end cancelled"},
		"fail":              {"turn_end failed quota rate_limit"},
		"image":             {"system unknown event content of type image unknown_event", "turn_end completed"},
		"open stop refusal": {"tool_use execute t1", "turn_end failed refusal"},
		"unknown": {
			"system chatter noise", "system the agent could not read a line of ours: Parse error warning",
			"system unknown event session/news unknown_event", "system unknown event mood_update unknown_event",
			"system the agent asked for fs/read_text_file, which agentrun does not do warning", "turn_end completed",
		},
	} {
		t.Run(prompt, func(t *testing.T) {
			t.Parallel()
			h := hold(t, live.Config{Job: job(t, "new")})
			h.Until("system standin 0.1 session")
			h.Notes = nil
			h.Message("", prompt)
			h.Leave()
			got := h.Notes
			if last := got[len(got)-1]; !strings.HasPrefix(last, "result") && !strings.HasPrefix(last, "error") {
				t.Errorf("the last is %q", last)
			}
			if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPermission: every answer, of an agent that tells of the call and one that does not.
func TestPermission(t *testing.T) {
	accept := stream.LiveInput{Action: stream.Accept}
	use := `tool_use edit t1 {"path":"a.txt"}`
	for _, c := range []struct {
		name, prompt string
		answer       stream.LiveInput
		want         []string
	}{
		{"accept", "write", accept, []string{
			`tool_result edit t1 [{"newText":"yes","path":"/repo/a.txt","type":"diff"}]`, "text Answered yes.", "turn_end completed",
		}},
		{"session", "write", stream.LiveInput{Action: stream.Accept, For: "session"}, []string{
			`tool_result edit t1 [{"newText":"always","path":"/repo/a.txt","type":"diff"}]`, "text Answered always.", "turn_end completed",
		}},
		{"option", "write", stream.LiveInput{Action: stream.Accept, Data: ndjson.RawMessage(`{"option":"always"}`)}, []string{
			`tool_result edit t1 [{"newText":"always","path":"/repo/a.txt","type":"diff"}]`, "text Answered always.", "turn_end completed",
		}},
		{"decline", "write", stream.LiveInput{Action: stream.Decline}, []string{
			`tool_result edit t1 "refused" denied error`, "text Answered no.", "turn_end completed",
		}},
		{"cancel", "write", stream.LiveInput{Action: stream.Cancel}, []string{"tool_result edit t1 denied error", "turn_end cancelled"}},
		{"silent accept", "silent", accept, []string{
			`tool_result edit t1 [{"newText":"yes","path":"/repo/a.txt","type":"diff"}]`, "text Answered yes.", "turn_end completed",
		}},
		{"silent decline", "silent", stream.LiveInput{Action: stream.Decline}, []string{
			"tool_result edit t1 denied error", "text Answered no.", "turn_end completed",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := hold(t, live.Config{Job: job(t, "new")})
			h.Message("", c.prompt)
			h.Until("request tool_permission Writing a.txt edit")
			told, asked := h.Notes[len(h.Notes)-2], h.Notes[len(h.Notes)-1]
			if shown := `[{"newText":"a","oldText":"","path":"/repo/a.txt","type":"diff"}]`; strings.HasSuffix(asked, shown) != (c.prompt == "silent") {
				t.Errorf("asked %q", asked)
			}
			if want := map[string]string{"write": use, "silent": "tool_use edit t1"}[c.prompt]; told != want {
				t.Errorf("before the request came %q, want %q", told, want)
			}
			c.answer.Type, c.answer.RequestID = stream.LiveAnswer, "1"
			h.Say(c.answer)
			h.Until("request_end " + string(c.answer.Action) + " by answer")
			h.Notes = nil
			h.Until("turn_end")
			if diff := cmp.Diff(c.want, h.Notes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			h.Message("", "say")
			h.Until("turn_end completed")
			h.Leave()
		})
	}
}

// TestPermissionUnderPolicy: nothing is allowed for good, or the agent would ask no more.
func TestPermissionUnderPolicy(t *testing.T) {
	j := job(t, "new")
	j.Request.Asks = true
	h := hold(t, live.Config{Job: j})
	h.Message("", "write")
	h.Until("request tool_permission")
	for _, c := range []struct {
		answer stream.LiveInput
		note   string
	}{
		{stream.LiveInput{For: "session"}, "refused session"},
		{stream.LiveInput{Data: ndjson.RawMessage(`{"option":"always"}`)}, "refused data"},
		{stream.LiveInput{}, "request_end accept by answer"},
	} {
		c.answer.Type, c.answer.RequestID, c.answer.Action = stream.LiveAnswer, "1", stream.Accept
		h.Say(c.answer)
		h.Until(c.note)
	}
	h.Until("text Answered yes.")
	h.Leave()
}

// TestSession: two turns, a question, updates, an abort that the next turn survives.
func TestSession(t *testing.T) {
	h := hold(t, live.Config{Job: job(t, "new", "model=large")})
	h.Message("", "model cost")
	h.Until("text I am large.")
	h.Until("turn_end completed")
	h.Say(stream.LiveInput{Type: stream.LiveUpdate, Model: "small"})
	h.Until("ack update")
	h.Message("", "model question")
	h.Until("request question Which colour?")
	h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: "1", Action: stream.Accept, Data: ndjson.RawMessage(`{"colour":"red"}`)})
	h.Until(`text accept{"colour":"red"}`)
	h.Until("turn_end completed")
	for _, in := range []stream.LiveInput{
		{Type: stream.LiveUpdate, Model: "huge"}, {Type: stream.LiveUpdate, Effort: "high"}, {Type: stream.LiveUpdate, Access: "full"},
	} {
		h.Say(in)
		h.Until("refused")
	}
	h.Say(stream.LiveInput{Type: stream.LiveUpdate, Access: "code"})
	h.Until("ack update")
	h.Message("", "open stall")
	h.Until("tool_use")
	h.Say(stream.LiveInput{Type: stream.LiveAbort})
	h.Until("tool_result execute t1 error")
	h.Until("turn_end cancelled")
	h.Message("", "write")
	h.Until("request tool_permission")
	h.Say(stream.LiveInput{Type: stream.LiveAbort}) // the stand-in waits for the answer first
	h.Until("turn_end cancelled")
	h.Message("", "say")
	h.Until("turn_end completed")
	h.Leave()
	f := h.Out.Facts
	if h.Out.Err != nil || f.SessionID != "s1" || f.Model != "small" || *f.NumTurns != 5 || *f.CostUSD != 0.5 || *f.Usage.TotalTokens != 45 {
		t.Errorf("ended with %v, %+v", h.Out.Err, f)
	}
}

// TestEnds: sessions that never begin, or end by themselves.
func TestEnds(t *testing.T) {
	for _, c := range []struct{ name, mode, fields, prompt, want string }{
		{"version", "version", "", "say", "unsupported protocol_version"},
		{"login", "login", "", "say", "auth not_logged_in"},
		{"crash", "crash", "", "say", "protocol incomplete"},
		{"quit", "new", "", "say quit", "process crash"},
		{"no model", "new", "model=huge", "say", "usage model"},
		{"no effort", "new", "effort=high", "say", "unsupported effort"},
		{"no session", "new", "load=s2", "say", "session not_found"},
		{"loaded", "new", "load=s1", "say", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var fields []string
			if c.fields != "" {
				fields = []string{c.fields}
			}
			h := hold(t, live.Config{Job: job(t, c.mode, fields...), Alone: true})
			h.Message("", c.prompt)
			h.Leave()
			got := ""
			if err := h.Out.Err; err != nil {
				got = string(err.Class) + " " + err.Reason
			}
			if got != c.want {
				t.Errorf("ended with %q (%v), want %q:\n%s", got, h.Out.Err, c.want, strings.Join(h.Notes, "\n"))
			}
			if strings.Contains(strings.Join(h.Notes, "\n"), "said before") {
				t.Error("the history was told again")
			}
		})
	}
}

// TestAlone: nobody is there, or a policy is.
func TestAlone(t *testing.T) {
	allow := func(providers.AgentRequest) live.Decision { return live.Decision{Action: stream.Accept} }
	for name, c := range map[string]struct {
		decide live.Decide
		want   string
	}{
		"nobody": {nil, "text Answered no."}, "policy": {allow, "text Answered yes."},
	} {
		t.Run(name, func(t *testing.T) {
			h := hold(t, live.Config{Job: job(t, "new"), Alone: true, Decide: c.decide})
			h.Message("", "write")
			h.Until(c.want)
			h.Leave()
			if h.Out.Err != nil {
				t.Error(h.Out.Err)
			}
		})
	}
}

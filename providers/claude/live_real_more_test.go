//go:build real

package claude

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func TestRealLiveUpdate(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	h.Message("1", "one")
	h.TurnEnd(stream.TurnCompleted)
	h.Say(stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Model: "claude-opus-5-1", Effort: "low", Access: "edit"})
	if ack := h.Line(stream.LiveAck); ack.ID != "u" {
		t.Errorf("acknowledged: %+v", ack)
	}
	h.Message("2", "write a file")
	end := h.TurnEnd(stream.TurnCompleted)
	if end.Metadata.Model != "claude-opus-5-1" || len(end.Metadata.Denials) != 0 {
		t.Errorf("turn 2: %+v", end.Metadata)
	}
	for _, refused := range []struct {
		in     stream.LiveInput
		reason string
	}{
		{stream.LiveInput{Access: "full"}, "bypass_not_launched"},
		{stream.LiveInput{Access: "read-only"}, "access"},
		{stream.LiveInput{Effort: "enormous"}, "effort"},
	} {
		refused.in.Type = stream.LiveUpdate
		h.Say(refused.in)
		if line := h.Line(stream.LiveRefused); line.Reason != refused.reason {
			t.Errorf("%+v: refused for %q (%s)", refused.in, line.Reason, line.Message)
		}
	}
	h.EndWell()
	requests := r.server.Requests()
	var last struct {
		Model  string `json:"model"`
		Output struct {
			Effort string `json:"effort"`
		} `json:"output_config"`
	}
	if err := ndjson.Unmarshal(requests[len(requests)-1].Body, &last); err != nil || last.Model != "claude-opus-5-1" || last.Output.Effort != "low" {
		t.Errorf("the last request: %+v, %v", last, err)
	}
}

func scenes() conformance.Scenes {
	return conformance.Scenes{
		Tool: "run a command", Sleep: "sleep", Asked: "write a file", Stall: "stall",
		Hold: func(t *testing.T, _ bool) *conformance.Held {
			t.Helper()
			return holdRequest(t, realLive(t), live.Config{}, providers.Request{Deltas: true})
		},
	}
}

func TestRealLiveAbort(t *testing.T) { scenes().Aborts(t) }

// TestRealLiveEnds: however a session ends in the middle of a turn, nothing is left.
func TestRealLiveEnds(t *testing.T) {
	scenes().Ends(t)
	t.Run("unknown session", func(t *testing.T) {
		r := realLive(t)
		h := hold(t, r, live.Config{}, "resume=22222222-2222-4222-8222-222222222222")
		h.Message("1", "hello")
		if line := h.Line(stream.LiveRefused); line.ID != "1" || line.Reason != "ended" {
			t.Errorf("refused: %+v", line)
		}
		conformance.WantOutcome(t, h.Wait(), providers.Session, "not_found")
	})
}

func TestRealLiveQuestions(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{}, "permission_mode=plan")
	h.Message("1", "which colour?")
	ask := h.Line(stream.LiveRequest)
	if ask.Kind != stream.AskQuestion || ask.Message != "Which colour?" {
		t.Errorf("asked: %+v", ask)
	}
	answer := stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept}
	h.Say(answer) // without the answers
	h.Line(stream.LiveRefused)
	answer.Data = ndjson.RawMessage(`{"Which colour?":["blue"]}`) // not as the schema says
	h.Say(answer)
	h.Line(stream.LiveRefused)
	answer.Data = ndjson.RawMessage(`{"Which colour?":"blue"}`)
	h.Say(answer)
	if text := h.Chunk(stream.Text).Content; !strings.Contains(text, `"Which colour?"="blue"`) {
		t.Errorf("the model got %q", text)
	}
	h.TurnEnd(stream.TurnCompleted)
	h.Message("2", "plan it")
	ask = h.Line(stream.LiveRequest)
	if ask.Kind != stream.AskPlan || !bytes.Contains(ask.Context.ToolInput, []byte("1. do it")) {
		t.Errorf("asked: %+v %+v", ask, ask.Context)
	}
	h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept})
	h.TurnEnd(stream.TurnCompleted)
	h.EndWell()
}

func TestRealLiveImage(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	h.Say(stream.LiveInput{Type: stream.LiveMessage, Text: "look", Parts: []stream.Part{{Type: "image", Data: png}, {Type: "file", Path: "a.go"}}})
	h.TurnEnd(stream.TurnCompleted)
	h.EndWell()
	if _, images := lastUserText(t, r.server); images != 1 {
		t.Errorf("the model got %d images", images)
	}
}

// TestRealLiveBackground: a session that is to end waits for background work and
// answers what that asks, and what the turn behind it asks.
func TestRealLiveBackground(t *testing.T) {
	for _, c := range []struct {
		prompt, files string
	}{
		{"leave it in the background", "[]"}, // stdin is closed before the command ends, so nobody answers the turn behind it
		{"delegate it", "[after.txt sub.txt]"},
	} {
		t.Run(c.prompt, func(t *testing.T) {
			r := realLive(t)
			allowAll := func(providers.AgentRequest) live.Decision {
				return live.Decision{Action: stream.Accept, Rule: "all"}
			}
			h := hold(t, r, live.Config{Decide: allowAll})
			h.Message("1", c.prompt)
			h.Line(stream.LiveTurnStart)
			h.Say(stream.LiveInput{Type: stream.LiveClose})
			out := h.Wait()
			conformance.WantOutcome(t, out, "", "")
			if out.Final != "Reported." {
				t.Errorf("final text %q", out.Final)
			}
			entries, _ := os.ReadDir(r.cwd)
			var names []string
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if got := fmt.Sprint(names); got != c.files {
				t.Errorf("files %s, want %s", got, c.files)
			}
		})
	}
}

// TestRealLiveAlone: a run through the driver is the one-way run.
func TestRealLiveAlone(t *testing.T) {
	for _, c := range []struct {
		scenario string
		class    providers.Class
		reason   string
	}{
		{"say", "", ""},
		{"tool", "", ""},
		{"failing-tool", "", ""},
		{"401", providers.Auth, "bad_key"},
		{"denied-tool", "", ""},
		{"subagent", "", ""},
		{"think", "", ""},
		{"loop", providers.Limit, "max_turns"},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			r := realCLI(t, c.scenario)
			fields := []string{"max_turns=3"}
			oneWay, want := r.run(t, providers.Request{Prompt: "say it"}, fields...)
			h := hold(t, r, live.Config{Alone: true}, fields...)
			h.Message("", "say it")
			close(h.Inputs)
			out := h.Wait()
			conformance.WantOutcome(t, oneWay, c.class, c.reason)
			conformance.WantOutcome(t, out, c.class, c.reason)
			lines, wantLines := shape(h.Chunks()), shape(want)
			if c.scenario == "subagent" { // it works beside the main agent
				slices.Sort(lines)
				slices.Sort(wantLines)
			}
			if diff := cmp.Diff(wantLines, lines); diff != "" {
				t.Errorf("chunks (-one-way +driver):\n%s", diff)
			}
			if diff := cmp.Diff(oneWay.Facts.Usage, out.Facts.Usage); diff != "" {
				t.Errorf("usage (-one-way +driver):\n%s", diff)
			}
		})
	}
}

// shape is what two runs of one scenario have in common.
func shape(chunks []stream.Chunk) []string {
	var lines []string
	for _, c := range chunks {
		meta := c.Metadata
		if meta == nil {
			meta = &stream.Metadata{}
		}
		if meta.Notice == stream.NoticePolicy || strings.HasPrefix(c.Content, "the turn ended;") {
			continue // where stdin is closed, the CLI holds a result back until its subagents are done
		}
		words := c.Content
		if meta.Notice == stream.NoticeDenied || meta.Notice == stream.NoticeTask || strings.HasPrefix(words, "I tried to write") {
			words = "" // the words are whose the denial is; a task's have ids
		}
		line := fmt.Sprintf("%s %s %q error=%v denied=%v denials=%d turns=%v", c.Type, meta.Notice, words, c.IsError, meta.Denied, len(meta.Denials), meta.NumTurns != nil)
		if u := meta.Usage; u != nil {
			line += fmt.Sprint(" usage ", *u.InputTokens, *u.OutputTokens, u.Scope)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestRealLiveDecide: a policy's word is told, and a request it leaves open is asked.
func TestRealLiveDecide(t *testing.T) {
	r := realLive(t)
	decide := func(q providers.AgentRequest) live.Decision {
		if q.Context.ToolName == "Write" {
			return live.Decision{Action: stream.Decline, Rule: "no-writes", Message: "files stay as they are"}
		}
		return live.Decision{}
	}
	h := hold(t, r, live.Config{Decide: decide})
	h.Message("1", "write a file")
	if end := h.Line(stream.LiveRequestEnd); end.By != "policy" || end.Action != stream.Decline {
		t.Errorf("the request ended: %+v", end)
	}
	if text := h.Chunk(stream.Text).Content; text != "Result: files stay as they are" {
		t.Errorf("the model got %q", text)
	}
	h.TurnEnd(stream.TurnCompleted)
	h.Message("2", "which colour?")
	ask := h.Line(stream.LiveRequest)
	h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Decline})
	h.TurnEnd(stream.TurnCompleted)
	h.EndWell()
}

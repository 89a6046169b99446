//go:build real

package claude

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func TestRealLiveUpdate(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	h.say(say("1", "one"))
	h.turnEnd(stream.TurnCompleted)
	h.say(stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Model: "claude-opus-5-1", Effort: "low", Access: "edit"})
	if ack := h.line(stream.LiveAck); ack.ID != "u" {
		t.Errorf("acknowledged: %+v", ack)
	}
	h.say(say("2", "write a file"))
	end := h.turnEnd(stream.TurnCompleted)
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
		h.say(refused.in)
		if line := h.line(stream.LiveRefused); line.Reason != refused.reason {
			t.Errorf("%+v: refused for %q (%s)", refused.in, line.Reason, line.Message)
		}
	}
	wantClass(t, h.end(), "", "")
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

func TestRealLiveAbort(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		wait         func(h *held)
	}{
		{"in a tool", "sleep", func(h *held) { h.chunk(stream.ToolUse) }},
		{"in an answer", "stall", func(h *held) { h.chunk(stream.Text) }},
		{"before the turn began", "hello", func(h *held) { h.line(stream.LiveTurnStart) }},
		{"while asked", "write", func(h *held) { h.line(stream.LiveRequest) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := realLive(t)
			job := r.id + " " + c.name
			r.id = job
			h := holdDeltas(t, r)
			h.say(say("1", c.prompt))
			c.wait(h)
			h.say(stream.LiveInput{Type: stream.LiveAbort, ID: "x"})
			h.turnEnd(stream.TurnCancelled)
			h.say(say("2", "after"))
			h.turnEnd(stream.TurnCompleted)
			wantClass(t, h.end(), "", "")
			checkUses(t, h.seen)
			nothingLeft(t, job)
		})
	}
}

func holdDeltas(t *testing.T, r *realRun) *held {
	t.Helper()
	return holdRequest(t, r, live.Config{}, providers.Request{Deltas: true})
}

// nothingLeft looks for processes of the run, by their mark.
func nothingLeft(t *testing.T, id string) {
	t.Helper()
	environs, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range environs {
		env, err := os.ReadFile(path)
		if err == nil && bytes.Contains(append([]byte{0}, env...), []byte("\x00AGENTRUN_RUN="+id+"\x00")) {
			t.Errorf("%s is left", filepath.Dir(path))
		}
	}
}

// TestRealLiveEnds: however a session ends in the middle of a turn, nothing is left.
func TestRealLiveEnds(t *testing.T) {
	t.Run("inputs end", func(t *testing.T) {
		r := realLive(t)
		r.id = "inputs end"
		h := hold(t, r, live.Config{})
		h.say(say("1", "run a command"))
		h.chunk(stream.ToolUse)
		h.say(say("2", "second"))
		close(h.inputs)
		h.turnEnd(stream.TurnCompleted)
		h.turnEnd(stream.TurnCompleted)
		wantClass(t, h.wait(), "", "")
		nothingLeft(t, r.id)
	})
	t.Run("inputs end while asked", func(t *testing.T) {
		r := realLive(t)
		h := hold(t, r, live.Config{})
		h.say(say("1", "write a file"))
		h.line(stream.LiveRequest)
		close(h.inputs)
		if end := h.line(stream.LiveRequestEnd); end.By != "nobody" || end.Action != stream.Decline {
			t.Errorf("the request ended: %+v", end)
		}
		h.turnEnd(stream.TurnCompleted)
		wantClass(t, h.wait(), "", "")
	})
	t.Run("cancelled", func(t *testing.T) {
		r := realLive(t)
		r.id = "cancelled"
		h := hold(t, r, live.Config{})
		h.say(say("1", "sleep"))
		h.chunk(stream.ToolUse)
		h.cancel()
		h.turnEnd(stream.TurnCancelled)
		if out := h.wait(); !out.Cancelled() {
			t.Errorf("ended with %v", out.Err)
		}
		nothingLeft(t, r.id)
	})
	t.Run("unknown session", func(t *testing.T) {
		r := realLive(t)
		h := hold(t, r, live.Config{}, "resume=22222222-2222-4222-8222-222222222222")
		h.say(say("1", "hello"))
		if line := h.line(stream.LiveRefused); line.ID != "1" || line.Reason != "ended" {
			t.Errorf("refused: %+v", line)
		}
		wantClass(t, h.wait(), providers.Session, "not_found")
	})
}

func TestRealLiveQuestions(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{}, "permission_mode=plan")
	h.say(say("1", "which colour?"))
	ask := h.line(stream.LiveRequest)
	if ask.Kind != stream.AskQuestion || ask.Message != "Which colour?" {
		t.Errorf("asked: %+v", ask)
	}
	answer := stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept}
	h.say(answer) // without the answers
	h.line(stream.LiveRefused)
	answer.Data = ndjson.RawMessage(`{"Which colour?":["blue"]}`) // not as the schema says
	h.say(answer)
	h.line(stream.LiveRefused)
	answer.Data = ndjson.RawMessage(`{"Which colour?":"blue"}`)
	h.say(answer)
	if text := h.chunk(stream.Text).Content; !strings.Contains(text, `"Which colour?"="blue"`) {
		t.Errorf("the model got %q", text)
	}
	h.turnEnd(stream.TurnCompleted)
	h.say(say("2", "plan it"))
	ask = h.line(stream.LiveRequest)
	if ask.Kind != stream.AskPlan || !bytes.Contains(ask.Context.ToolInput, []byte("1. do it")) {
		t.Errorf("asked: %+v %+v", ask, ask.Context)
	}
	h.say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept})
	h.turnEnd(stream.TurnCompleted)
	wantClass(t, h.end(), "", "")
}

func TestRealLiveImage(t *testing.T) {
	r := realLive(t)
	h := hold(t, r, live.Config{})
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	h.say(stream.LiveInput{Type: stream.LiveMessage, Text: "look", Parts: []stream.Part{{Type: "image", Data: png}, {Type: "file", Path: "a.go"}}})
	h.turnEnd(stream.TurnCompleted)
	wantClass(t, h.end(), "", "")
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
			r.id = c.prompt
			allowAll := func(providers.AgentRequest) live.Decision {
				return live.Decision{Action: stream.Accept, Rule: "all"}
			}
			h := hold(t, r, live.Config{Decide: allowAll})
			h.say(say("1", c.prompt))
			h.line(stream.LiveTurnStart)
			h.say(stream.LiveInput{Type: stream.LiveClose})
			out := h.wait()
			wantClass(t, out, "", "")
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
			nothingLeft(t, r.id)
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
			h.say(say("", "say it"))
			close(h.inputs)
			out := h.wait()
			wantClass(t, oneWay, c.class, c.reason)
			wantClass(t, out, c.class, c.reason)
			lines, wantLines := shape(chunksOf(h.seen)), shape(want)
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

func chunksOf(lines []any) []stream.Chunk {
	var chunks []stream.Chunk
	for _, l := range lines {
		if c, ok := l.(stream.Chunk); ok {
			chunks = append(chunks, c)
		}
	}
	return chunks
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
	h.say(say("1", "write a file"))
	if end := h.line(stream.LiveRequestEnd); end.By != "policy" || end.Action != stream.Decline {
		t.Errorf("the request ended: %+v", end)
	}
	if text := h.chunk(stream.Text).Content; text != "Result: files stay as they are" {
		t.Errorf("the model got %q", text)
	}
	h.turnEnd(stream.TurnCompleted)
	h.say(say("2", "which colour?"))
	ask := h.line(stream.LiveRequest)
	h.say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Decline})
	h.turnEnd(stream.TurnCompleted)
	wantClass(t, h.end(), "", "")
}

//go:build real

package codex_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

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

// checkUses: each tool call has one result.
func checkUses(t *testing.T, lines []any) {
	t.Helper()
	open := map[string]int{}
	for _, l := range lines {
		if c, ok := l.(stream.Chunk); ok && c.Type == stream.ToolUse {
			open[c.ToolID]++
		} else if ok && c.Type == stream.ToolResult {
			open[c.ToolID]--
		}
	}
	for id, n := range open {
		if n != 0 {
			t.Errorf("tool call %s: %d results are missing", id, n)
		}
	}
}

func TestRealLiveSteer(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		wait         func(h *held)
		retracted    bool
	}{
		{"in a tool", "run a command", func(h *held) { h.chunk(stream.ToolUse) }, false},
		{"in an answer", "pieces", func(h *held) { h.chunk(stream.Text) }, true},
		{"before the turn began", "run a command", func(h *held) { h.line(stream.LiveTurnStart) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := realLive(t)
			job := r.job(t, "access=full")
			job.Request.Deltas = true
			h := r.hold(t, live.Config{Job: job})
			h.say(words("1", c.prompt))
			c.wait(h)
			h.say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "steered in"})
			if ack := h.line(stream.LiveAck); ack.ID != "s" {
				t.Errorf("acknowledged %+v", ack)
			}
			h.turnEnd(stream.TurnCompleted)
			if out := h.end(); out.Err != nil {
				t.Error(out.Err)
			}
			if text := strings.Join(h.texts(), ""); !strings.HasSuffix(text, "You said: steered in") {
				t.Errorf("texts: %q", text)
			}
			retracted := false
			for _, l := range h.seen {
				chunk, ok := l.(stream.Chunk)
				retracted = retracted || ok && chunk.Type == stream.System && chunk.Metadata.Notice == stream.NoticeRetracted
			}
			if retracted != c.retracted {
				t.Errorf("retracted: %v", retracted)
			}
		})
	}
}

func TestRealLivePermission(t *testing.T) {
	for _, c := range []struct {
		name    string
		answer  stream.LiveInput
		status  stream.TurnStatus
		denials int
	}{
		{"accept", stream.LiveInput{Action: stream.Accept}, stream.TurnCompleted, 0},
		{"session", stream.LiveInput{Action: stream.Accept, For: "session"}, stream.TurnCompleted, 0},
		{"decline", stream.LiveInput{Action: stream.Decline}, stream.TurnCompleted, 1},
		{"cancel", stream.LiveInput{Action: stream.Cancel}, stream.TurnCancelled, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := realLive(t)
			h := r.hold(t, live.Config{Job: r.job(t)})
			h.say(words("1", "outside"))
			ask := h.line(stream.LiveRequest)
			if ask.Kind != stream.AskToolPermission || ask.Context.Command != "echo outside" || ask.Context.Reason != "Need it" {
				t.Errorf("asked: %+v %+v", ask, ask.Context)
			}
			c.answer.Type, c.answer.ID, c.answer.RequestID = stream.LiveAnswer, "a", ask.ID
			h.say(c.answer)
			end := h.turnEnd(c.status)
			if len(end.Metadata.Denials) != c.denials {
				t.Errorf("denials: %v", end.Metadata.Denials)
			}
			next := "hello"
			if c.answer.For != "" {
				next = "outside again" // and is not asked
			}
			h.say(words("2", next))
			h.turnEnd(stream.TurnCompleted)
			if out := h.end(); out.Err != nil {
				t.Error(out.Err)
			}
			checkUses(t, h.seen)
		})
	}
}

func TestRealLivePolicy(t *testing.T) {
	for _, access := range []string{"read-only", "full"} {
		t.Run(access, func(t *testing.T) {
			r := realLive(t)
			var asked []string
			decide := func(q providers.AgentRequest) live.Decision {
				asked = append(asked, q.Context.Command)
				if strings.Contains(q.Context.Command, "exit") {
					return live.Decision{Action: stream.Decline, Rule: "no"}
				}
				return live.Decision{Action: stream.Accept, Rule: "yes"}
			}
			job := r.job(t, "access="+access)
			job.Request.Asks = true
			h := r.hold(t, live.Config{Job: job, Decide: decide})
			h.say(words("1", "fail"))
			first := h.turnEnd(stream.TurnCompleted)
			h.say(words("2", "run a command"))
			second := h.turnEnd(stream.TurnCompleted)
			if out := h.end(); out.Err != nil {
				t.Error(out.Err)
			}
			if got := strings.Join(asked, "|"); got != "echo no; exit 3|sleep 1; echo done" {
				t.Errorf("asked about %q", got)
			}
			if len(first.Metadata.Denials) != 1 || len(second.Metadata.Denials) != 0 {
				t.Errorf("denials: %v, then %v", first.Metadata.Denials, second.Metadata.Denials)
			}
			checkUses(t, h.seen)
		})
	}
}

func TestRealLiveAbort(t *testing.T) {
	for _, c := range []struct {
		name, prompt, access string
		wait                 func(h *held)
	}{
		{"in a tool", "sleep", "full", func(h *held) { h.chunk(stream.ToolUse) }},
		{"in an answer", "stall", "read-only", func(h *held) { h.chunk(stream.Text) }},
		{"before the turn began", "hello", "read-only", func(h *held) { h.line(stream.LiveTurnStart) }},
		{"while asked", "outside", "read-only", func(h *held) { h.line(stream.LiveRequest) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := realLive(t)
			job := r.job(t, "access="+c.access)
			job.Request.Deltas = true
			h := r.hold(t, live.Config{Job: job})
			h.say(words("1", c.prompt))
			c.wait(h)
			h.say(stream.LiveInput{Type: stream.LiveAbort, ID: "x"})
			h.turnEnd(stream.TurnCancelled)
			checkUses(t, h.seen)
			h.say(words("2", "after"))
			h.turnEnd(stream.TurnCompleted)
			if out := h.end(); out.Err != nil {
				t.Error(out.Err)
			}
			nothingLeft(t, job.ID)
		})
	}
}

// TestRealLiveEnds: however a session ends in the middle of a turn, nothing is left.
func TestRealLiveEnds(t *testing.T) {
	t.Run("inputs end", func(t *testing.T) {
		r := realLive(t)
		job := r.job(t, "access=full")
		h := r.hold(t, live.Config{Job: job})
		h.say(words("1", "run a command"))
		h.chunk(stream.ToolUse)
		h.say(words("2", "second"))
		close(h.inputs)
		h.turnEnd(stream.TurnCompleted)
		h.turnEnd(stream.TurnCompleted)
		if out := h.wait(); out.Err != nil {
			t.Error(out.Err)
		}
		nothingLeft(t, job.ID)
	})
	t.Run("cancelled", func(t *testing.T) {
		r := realLive(t)
		job := r.job(t, "access=full")
		h := r.hold(t, live.Config{Job: job})
		h.say(words("1", "sleep"))
		h.chunk(stream.ToolUse)
		h.cancel()
		h.turnEnd(stream.TurnCancelled)
		if out := h.wait(); !out.Cancelled() {
			t.Errorf("ended with %v", out.Err)
		}
		nothingLeft(t, job.ID)
	})
	t.Run("unknown thread", func(t *testing.T) {
		r := realLive(t)
		h := r.hold(t, live.Config{Job: r.job(t, "resume="+thread)})
		out := h.wait()
		if out.Err == nil || out.Err.Class != providers.Session || out.Err.Reason != providers.ReasonNotFound {
			t.Errorf("ended with %v", out.Err)
		}
	})
}

// TestRealLiveCarriesOn: a thread of codex exec is carried on, and images arrive.
func TestRealLiveCarriesOn(t *testing.T) {
	r := realLive(t)
	_, before := r.run(t, request(t, "first", "skip_git_repo_check=true"))
	h := r.hold(t, live.Config{Job: r.job(t, "resume="+before.Facts.SessionID, "access=edit", "effort=high")})
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	h.say(stream.LiveInput{Type: stream.LiveMessage, Text: "look", Parts: []stream.Part{{Type: "image", Data: png}, {Type: "file", Path: "a.go"}}})
	end := h.turnEnd(stream.TurnCompleted)
	out := h.end()
	if out.Err != nil || out.Facts.SessionID != before.Facts.SessionID {
		t.Errorf("session %s, %v", out.Facts.SessionID, out.Err)
	}
	if u, s := end.Metadata.Usage, end.Metadata.SessionUsage; u == nil || s == nil || *s.InputTokens != *u.InputTokens+*before.Facts.Usage.InputTokens {
		t.Errorf("usage %+v of %+v", u, s)
	}
	requests := r.server.Requests()
	body := string(requests[len(requests)-1].Body)
	for _, part := range []string{"data:image/png;base64," + png, "File: a.go", `"effort":"high"`, `"first"`} {
		if !strings.Contains(body, part) {
			t.Errorf("the model was not given %s", part)
		}
	}
}

// TestRealLiveAlone: one message through the app server ends as the one-way run of it.
func TestRealLiveAlone(t *testing.T) {
	for _, prompt := range []string{"hello", "run a command", "fail", "denied"} {
		t.Run(prompt, func(t *testing.T) {
			r := realLive(t)
			want, wantOut := r.run(t, request(t, prompt, "access=full", "skip_git_repo_check=true"))
			h := r.hold(t, live.Config{Job: r.job(t, "access=full"), Alone: true})
			h.say(words("1", prompt))
			close(h.inputs)
			out := h.wait()
			var got []stream.Chunk
			for _, l := range h.seen {
				if c, ok := l.(stream.Chunk); ok {
					got = append(got, c)
				}
			}
			if a, b := essence(want), essence(got); a != b {
				t.Errorf("one way:\n%s\ntwo ways:\n%s", a, b)
			}
			if a, b := verdictWords(wantOut), verdictWords(out); a != b {
				t.Errorf("one way: %s\ntwo ways: %s", a, b)
			}
		})
	}
}

// essence is what chunks say, without what differs between two runs.
func essence(chunks []stream.Chunk) string {
	var b strings.Builder
	for _, c := range chunks {
		if c.Type == stream.System && (c.Metadata.Notice == stream.NoticeWarning || c.Metadata.Notice == stream.NoticeRunStart) {
			continue // of the way, not of the work
		}
		c.ToolID = ""
		if c.Metadata != nil {
			m := stream.Metadata{
				Notice: c.Metadata.Notice, Data: c.Metadata.Data, Denied: c.Metadata.Denied, ExitCode: c.Metadata.ExitCode,
				Usage: c.Metadata.Usage, Denials: c.Metadata.Denials, Class: c.Metadata.Class, Reason: c.Metadata.Reason,
			}
			c.Metadata = &m
		}
		line, _ := ndjson.Marshal(c)
		b.Write(append(line, '\n'))
	}
	return b.String()
}

func verdictWords(out providers.Outcome) string {
	words := "success: " + out.Final
	if out.Err != nil {
		words = string(out.Err.Class) + "/" + out.Err.Reason + " " + out.Err.Message + " (" + out.Err.Hint + ")"
	}
	return words
}

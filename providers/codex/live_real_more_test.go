//go:build real

package codex_test

import (
	"strings"
	"testing"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

func TestRealLiveSteer(t *testing.T) {
	for _, c := range []struct {
		name, prompt string
		wait         func(h *conformance.Held)
		retracted    bool
	}{
		{"in a tool", "run a command", func(h *conformance.Held) { h.Chunk(stream.ToolUse) }, false},
		{"in an answer", "pieces", func(h *conformance.Held) { h.Chunk(stream.Text) }, true},
		{"before the turn began", "run a command", func(h *conformance.Held) { h.Line(stream.LiveTurnStart) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := realLive(t)
			job := r.job(t, "access=full")
			job.Request.Deltas = true
			h := conformance.Hold(t, live.Config{Job: job}, patience)
			h.Message("1", c.prompt)
			c.wait(h)
			h.Say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "steered in"})
			if ack := h.Line(stream.LiveAck); ack.ID != "s" {
				t.Errorf("acknowledged %+v", ack)
			}
			h.TurnEnd(stream.TurnCompleted)
			h.EndWell()
			if text := strings.Join(h.Texts(), ""); !strings.HasSuffix(text, "You said: steered in") {
				t.Errorf("texts: %q", text)
			}
			retracted := false
			for _, l := range h.Seen {
				chunk, ok := l.(stream.Chunk)
				retracted = retracted || ok && chunk.Type == stream.System && chunk.Metadata.Notice == stream.NoticeRetracted
			}
			if retracted != c.retracted {
				t.Errorf("retracted: %v", retracted)
			}
		})
	}
}

// scenes are played with access read-only where the session asks, so that nothing else is allowed.
func scenes() conformance.Scenes {
	return conformance.Scenes{
		Tool: "run a command", Sleep: "sleep", Asked: "outside", Stall: "stall",
		Hold: func(t *testing.T, asked bool) *conformance.Held {
			t.Helper()
			access := "access=full"
			if asked {
				access = "access=read-only"
			}
			job := realLive(t).job(t, access)
			job.Request.Deltas = true
			return conformance.Hold(t, live.Config{Job: job}, patience)
		},
	}
}

func TestRealLivePermission(t *testing.T) {
	for _, c := range conformance.Permissions(codex.New().(providers.Converser)) {
		t.Run(c.Name, func(t *testing.T) {
			h := conformance.Hold(t, live.Config{Job: realLive(t).job(t)}, patience)
			ask := scenes().Permit(t, h, c)
			if ask.Context.Command != "echo outside" || ask.Context.Reason != "Need it" {
				t.Errorf("asked: %+v", ask.Context)
			}
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
			h := conformance.Hold(t, live.Config{Job: job, Decide: decide}, patience)
			h.Message("1", "fail")
			first := h.TurnEnd(stream.TurnCompleted)
			h.Message("2", "run a command")
			second := h.TurnEnd(stream.TurnCompleted)
			h.EndWell()
			if got := strings.Join(asked, "|"); got != "echo no; exit 3|sleep 1; echo done" {
				t.Errorf("asked about %q", got)
			}
			if len(first.Metadata.Denials) != 1 || len(second.Metadata.Denials) != 0 {
				t.Errorf("denials: %v, then %v", first.Metadata.Denials, second.Metadata.Denials)
			}
			h.CheckUses()
		})
	}
}

func TestRealLiveAbort(t *testing.T) { scenes().Aborts(t) }

// TestRealLiveEnds: however a session ends in the middle of a turn, nothing is left.
func TestRealLiveEnds(t *testing.T) {
	scenes().Ends(t)
	t.Run("unknown thread", func(t *testing.T) {
		h := conformance.Hold(t, live.Config{Job: realLive(t).job(t, "resume="+thread)}, patience)
		conformance.WantOutcome(t, h.Wait(), providers.Session, providers.ReasonNotFound)
	})
}

// TestRealLiveCarriesOn: a thread of codex exec is carried on, and images arrive.
func TestRealLiveCarriesOn(t *testing.T) {
	r := realLive(t)
	_, before := r.run(t, request(t, "first", "skip_git_repo_check=true"))
	h := conformance.Hold(t, live.Config{Job: r.job(t, "resume="+before.Facts.SessionID, "access=edit", "effort=high")}, patience)
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	h.Say(stream.LiveInput{Type: stream.LiveMessage, Text: "look", Parts: []stream.Part{{Type: "image", Data: png}, {Type: "file", Path: "a.go"}}})
	end := h.TurnEnd(stream.TurnCompleted)
	out := h.End()
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
			h := conformance.Hold(t, live.Config{Job: r.job(t, "access=full"), Alone: true}, patience)
			h.Message("1", prompt)
			close(h.Inputs)
			out := h.Wait()
			var got []stream.Chunk
			for _, l := range h.Seen {
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

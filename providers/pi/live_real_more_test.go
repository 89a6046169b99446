//go:build real

package pi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/live"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

func TestRealLiveUpdate(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		h := hold(t, p, s, live.Config{}, request(t, ""))
		h.Message("1", "one")
		h.TurnEnd(stream.TurnCompleted)
		settings := filepath.Join(p.home, ".pi/agent/settings.json")
		before, _ := os.ReadFile(settings)
		h.Say(stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Model: "anthropic/claude-sonnet-4-5", Effort: "low"})
		if p.version == oldest {
			if line := h.Line(stream.LiveRefused); line.Reason != providers.ReasonTooOld {
				t.Errorf("refused: %+v", line)
			}
			h.EndWell()
			return
		}
		h.Next("the ack of the update", func(l any) bool {
			line, ok := l.(stream.LiveLine)
			return ok && line.Type == stream.LiveAck && line.ID == "u"
		})
		h.Message("2", "two")
		if end := h.TurnEnd(stream.TurnCompleted); end.Metadata.Model != "anthropic/claude-sonnet-4-5" {
			t.Errorf("turn 2: %+v", end.Metadata)
		}
		for _, refused := range []struct {
			in     stream.LiveInput
			reason string
		}{
			{stream.LiveInput{Model: "anthropic/nonsense"}, providers.ReasonModel},
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
		requests := s.Requests()
		var last struct {
			Model string `json:"model"`
		}
		if err := ndjson.Unmarshal(requests[len(requests)-1].Body, &last); err != nil || last.Model != "claude-sonnet-4-5" {
			t.Errorf("the last request: %+v, %v", last, err)
		}
		if after, _ := os.ReadFile(settings); string(after) != string(before) {
			t.Errorf("the user's settings were %s and are %s", before, after)
		}
	})
}

func TestRealLiveAbort(t *testing.T) {
	eachLive(t, func(v vendorTest) { v.scenes().Aborts(v.t) })
}

// TestRealLiveAbortSteered: words that were to steer the aborted turn are dropped.
func TestRealLiveAbortSteered(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		h := hold(t, p, s, live.Config{}, request(t, ""))
		h.Message("1", "sleep")
		h.Chunk(stream.ToolUse)
		h.Say(stream.LiveInput{Type: stream.LiveSteer, ID: "s", Text: "never heard"})
		h.Next("the ack of the steer", func(l any) bool { line, ok := l.(stream.LiveLine); return ok && line.ID == "s" })
		h.Abort("after")
		h.EndWell()
		for _, q := range s.Requests() {
			if p.version == newest && strings.Contains(string(q.Body), "never heard") {
				t.Error("they went to the model")
			}
		}
	})
}

// TestRealLiveEnds: however a session ends in the middle of a turn, nothing is left.
func TestRealLiveEnds(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		v.scenes().Ends(v.t)
		v.t.Run("unknown session", func(t *testing.T) {
			h := hold(t, v.p, v.s, live.Config{}, request(t, "", "resume=00000000-dead-beef"))
			h.Message("1", "hello")
			if line := h.Line(stream.LiveRefused); line.ID != "1" || line.Reason != "ended" {
				t.Errorf("refused: %+v", line)
			}
			conformance.WantOutcome(t, h.Wait(), providers.Session, providers.ReasonNotFound)
		})
	})
}

// TestRealLiveResume: a live session carries a one-way run on, and the other way round.
func TestRealLiveResume(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		_, first := p.run(t, s, request(t, "my first words"))
		h := hold(t, p, s, live.Config{}, request(t, "", "resume="+first.Facts.SessionID))
		h.Message("1", "second")
		if end := h.TurnEnd(stream.TurnCompleted); end.Metadata.SessionID != first.Facts.SessionID {
			t.Errorf("session %q, want %q", end.Metadata.SessionID, first.Facts.SessionID)
		}
		remembers(t, lastBody(t, s))
		h.EndWell()
	})
}

func TestRealLiveImage(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		h := hold(t, p, s, live.Config{}, request(t, ""))
		const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
		h.Say(stream.LiveInput{Type: stream.LiveMessage, Text: "look", Parts: []stream.Part{{Type: "image", Data: png}, {Type: "file", Path: "a.go"}}})
		h.TurnEnd(stream.TurnCompleted)
		h.EndWell()
		b := lastBody(t, s)
		content := string(b.Messages[len(b.Messages)-1].Content)
		if !strings.Contains(content, `"text":"look\nFile: a.go`) || strings.Count(content, `"type":"image"`) != 1 {
			t.Errorf("the model was asked %.300s", content)
		}
	})
}

// TestRealLiveDialogs: the questions of the user's own extensions.
func TestRealLiveDialogs(t *testing.T) {
	const source = `export default function (pi) {
  pi.on("tool_call", async (event, ctx) => {
    const colour = await ctx.ui.select("Which colour?", ["red", "blue"]);
    const sure = await ctx.ui.confirm("Sure?", "It stays so.");
    ctx.ui.notify("chose " + colour, "info");
    ctx.ui.setStatus("k", "v");
    return sure ? undefined : { block: true, reason: colour + " refused" };
  });
}
`
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		path := filepath.Join(p.cwd, "ask.mjs")
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		h := hold(t, p, s, live.Config{}, request(t, "", "extension="+path))
		h.Message("1", "write a file")
		ask := h.Line(stream.LiveRequest)
		if ask.Kind != stream.AskQuestion || ask.Message != "Which colour?" {
			t.Errorf("asked: %+v", ask)
		}
		answer := stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept}
		h.Say(answer) // without the answer
		h.Line(stream.LiveRefused)
		answer.Data = ndjson.RawMessage(`{"value":"green"}`) // not as the schema says
		h.Say(answer)
		h.Line(stream.LiveRefused)
		answer.Data = ndjson.RawMessage(`{"value":"blue"}`)
		h.Say(answer)
		ask = h.Line(stream.LiveRequest)
		h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Decline})
		h.TurnEnd(stream.TurnCompleted)
		// An abort is not held up by a question that knows nothing of it.
		h.Message("2", "write a file")
		h.Line(stream.LiveRequest)
		h.Say(stream.LiveInput{Type: stream.LiveAbort})
		h.TurnEnd(stream.TurnCancelled)
		h.EndWell()
		if !strings.Contains(texts(h), "Result: blue refused") {
			t.Errorf("texts: %q", texts(h))
		}
	})
}

// TestRealLiveAlone: a run through the driver is the one-way run.
func TestRealLiveAlone(t *testing.T) {
	for _, c := range []struct {
		scenario string
		set      []string
		class    providers.Class
		reason   string
	}{
		{"say", nil, "", ""},
		{"tool", nil, "", ""},
		{"parallel-tools", nil, "", ""},
		{"failing-tool", nil, "", ""},
		{"401", nil, providers.Auth, providers.ReasonBadKey},
		{"500-once", nil, "", ""},
		{"max-tokens", nil, providers.Limit, providers.ReasonTruncated},
		{"tool", []string{"access=read-only"}, "", ""},
		{"think", nil, "", ""},
		{"denied-tool", []string{"access=edit"}, "", ""},
	} {
		t.Run(c.scenario+strings.Join(c.set, ""), func(t *testing.T) {
			eachLive(t, func(v vendorTest) {
				t, p := v.t, v.p
				s := serve(t, c.scenario)
				want, oneWay := p.run(t, s, request(t, "say it", c.set...))
				allow := func(providers.AgentRequest) live.Decision { return live.Decision{Action: stream.Accept, Rule: "all"} }
				h := hold(t, p, serve(t, c.scenario), live.Config{Alone: true, Decide: allow}, asking(t, c.set...))
				h.Message("", "say it")
				close(h.Inputs)
				out := h.Wait()
				conformance.WantOutcome(t, oneWay, c.class, c.reason)
				conformance.WantOutcome(t, out, c.class, c.reason)
				if diff := cmp.Diff(shape(want), shape(h.Chunks())); diff != "" {
					t.Errorf("chunks (-one-way +driver):\n%s", diff)
				}
			})
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
		if meta.Notice == stream.NoticePolicy {
			continue
		}
		line := fmt.Sprintf("%s %s %q %s error=%v denied=%v denials=%d", c.Type, meta.Notice, c.Content, c.ToolInput, c.IsError, meta.Denied, len(meta.Denials))
		if meta.NumTurns != nil {
			line += fmt.Sprint(" turns ", *meta.NumTurns)
		}
		if u := meta.Usage; u != nil {
			line += fmt.Sprint(" usage ", *u.InputTokens, *u.OutputTokens, u.Scope, u.Partial)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestRealLiveFrozen: an extension of the user's cannot change a call that was allowed.
func TestRealLiveFrozen(t *testing.T) {
	const source = `export default function (pi) {
  pi.on("tool_call", (event) => { if (event.input.path) event.input.path = "b.txt"; });
}
`
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		dir := filepath.Join(p.home, ".pi/agent/extensions")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "change.ts"), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		h := hold(t, p, s, live.Config{}, asking(t))
		h.Message("1", "write a file")
		ask := h.Line(stream.LiveRequest)
		h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: stream.Accept})
		if res := h.Chunk(stream.ToolResult); !res.IsError {
			t.Errorf("the call ran: %+v", res)
		}
		h.TurnEnd(stream.TurnCompleted)
		h.EndWell()
		if entries, _ := os.ReadDir(p.cwd); len(entries) != 0 {
			t.Errorf("files: %v", entries)
		}
	})
}

// TestRealLiveSlash: what pi does with words that begin with a slash, and what it is kept from.
func TestRealLiveSlash(t *testing.T) {
	eachLive(t, func(v vendorTest) {
		t, p, s := v.t, v.p, v.s
		dir := filepath.Join(p.home, ".pi/agent/skills/greet")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "SKILL.md"), []byte("---\nname: greet\ndescription: greets\n---\nGreet them.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(p.cwd, "command.mjs")
		source := `export default function (pi) { pi.registerCommand("stamp", { description: "stamps", handler: async (args, ctx) => ctx.ui.notify("stamped " + args, "info") }); }`
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		h := hold(t, p, s, live.Config{}, request(t, "", "extension="+path))
		h.Message("1", "/skill:greet you")
		if line := h.Line(stream.LiveRefused); line.Reason != fenceSlash {
			t.Errorf("refused: %+v", line)
		}
		h.Message("2", "/stamp this")
		h.TurnEnd(stream.TurnCompleted)
		h.EndWell()
		if texts(h) != "You said: /stamp this" {
			t.Errorf("texts: %q", texts(h))
		}
		r := request(t, "", "extension="+path)
		r.NoFence[fenceSlash] = true
		h = hold(t, p, s, live.Config{}, r)
		h.Message("1", "/stamp this")
		if c := h.Next("the notice", func(l any) bool { c, ok := l.(stream.Chunk); return ok && c.Content == "stamped this" }); c == nil {
			t.Error("no notice")
		}
		h.TurnEnd(stream.TurnCompleted)
		h.Message("2", "/skill:greet you")
		h.TurnEnd(stream.TurnCompleted)
		h.EndWell()
		if !strings.Contains(texts(h), "Greet them.") {
			t.Errorf("texts: %q", texts(h))
		}
	})
}

// TestRealLiveNested: the calls that codemode makes are asked about one by one.
func TestRealLiveNested(t *testing.T) {
	p := pis(t)[newest]
	s := start(t, mockmodel.Script{Turns: []mockmodel.Turn{
		{Parts: []mockmodel.Part{{Name: "codemode", Input: ndjson.RawMessage(
			`{"code":"const a = await tools.bash({command:'echo one'}); const b = await tools.bash({command:'echo two'}).catch(e => 'ERR ' + e.message); text(a.output + b)"}`)}}},
		{Parts: []mockmodel.Part{{Text: "It was {{tool_output}}."}}},
	}})
	h := hold(t, p, s, live.Config{}, asking(t, "allow_tool=+codemode"))
	h.Message("1", "go")
	for _, want := range []struct {
		tool, command string
		action        stream.Action
	}{
		{"codemode", "", stream.Accept}, {"bash", "echo one", stream.Accept}, {"bash", "echo two", stream.Decline},
	} {
		ask := h.Line(stream.LiveRequest)
		if ask.Context.ToolName != want.tool || ask.Context.Command != want.command || (want.tool == "bash") != (ask.Context.ParentToolID != "") {
			t.Errorf("asked: %+v, want %+v", ask.Context, want)
		}
		h.Say(stream.LiveInput{Type: stream.LiveAnswer, RequestID: ask.ID, Action: want.action, Message: "not two"})
	}
	if end := h.TurnEnd(stream.TurnCompleted); len(end.Metadata.Denials) != 1 {
		t.Errorf("denials: %+v", end.Metadata.Denials)
	}
	h.EndWell()
	if !strings.Contains(texts(h), "one\nERR not two") {
		t.Errorf("texts: %q", texts(h))
	}
}

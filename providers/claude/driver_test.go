package claude

import (
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

func newScene(fields request) *scene {
	d := newDriver(providers.Request{Fields: &fields, Dir: "/run", Version: "2.1.332"})
	return &scene{d: d, w: conformance.WatchDriver(d, New().(providers.Converser).Live())}
}

func (s *scene) do(e providers.Effect) {
	s.notes = append(s.notes, conformance.Brief(e, sentNote))
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
		if err := s.w.Receive(rec, s.do); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
}

func (s *scene) say(t *testing.T, text string) {
	t.Helper()
	in, put := stream.LiveInput{Text: text}, s.w.Message
	if s.d.turn.runs {
		put = s.w.Steer
	}
	if err := put(in, s.do); err != nil {
		t.Fatal(err)
	}
}

func (s *scene) abort(t *testing.T) {
	t.Helper()
	if err := s.w.Abort(s.do); err != nil {
		t.Fatal(err)
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

package live

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

// note is a chunk or line in short.
func noteOf(v any) string {
	switch v := v.(type) {
	case stream.Chunk:
		return strings.TrimSpace(fmt.Sprintf("%s %s", v.Type, v.Content))
	case stream.LiveLine:
		parts := []string{string(v.Type), v.ID, string(v.Input), v.Kind, string(v.Status), string(v.State), string(v.Action), v.By, v.Class, v.Reason}
		if v.Turn != 0 {
			parts = append(parts, fmt.Sprint(v.Turn))
		}
		if v.Queued {
			parts = append(parts, "queued")
		}
		parts = append(parts, v.Messages...)
		return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
	}
	return fmt.Sprint(v)
}

// step is what is put in; before it the session came to the note.
type step struct {
	after string
	in    stream.LiveInput
	err   error // of a malformed line
	end   bool  // of the inputs
	kill  bool  // the context ends
	do    func()
}

func in(kind stream.LiveInputType, id, text string) stream.LiveInput {
	return stream.LiveInput{Type: kind, ID: id, Text: text}
}

func answer(request string, action stream.Action) stream.LiveInput {
	return stream.LiveInput{Type: stream.LiveAnswer, ID: "a", RequestID: request, Action: action}
}

// play holds a session and returns what went out, the first chunk left out.
func play(t *testing.T, cfg Config, steps []step) ([]string, providers.Outcome) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // for a session that hangs
	defer cancel()
	inputs, notes := make(chan Input), make(chan string, 1000)
	cfg.Inputs = inputs
	cfg.Chunk = func(c stream.Chunk) error { notes <- noteOf(c); return nil }
	cfg.Line = func(l stream.LiveLine) error { notes <- noteOf(l); return nil }
	done := make(chan providers.Outcome, 1)
	go func() {
		defer close(notes)
		done <- Run(ctx, cfg)
	}()
	var seen []string
	for _, s := range steps {
		for s.after != "" {
			n, ok := <-notes
			if !ok {
				t.Fatalf("%q never came: %q", s.after, seen)
			}
			if seen = append(seen, n); n == s.after {
				break
			}
		}
		switch {
		case s.end:
			close(inputs)
		case s.kill:
			cancel()
		case s.do != nil:
			s.do()
		default:
			inputs <- Input{LiveInput: s.in, Err: s.err}
		}
	}
	for n := range notes {
		seen = append(seen, n)
	}
	return seen[1:], <-done
}

func TestSession(t *testing.T) {
	first := func(s ...string) []string { return append([]string{"state starting", "state idle"}, s...) }
	idle := "state idle"
	for _, c := range []struct {
		name  string
		steps []step
		want  []string
		err   string // class/reason
	}{
		{
			"a turn",
			[]step{{after: idle, in: in(stream.LiveMessage, "1", "say hi;end completed")}, {after: "turn_end completed 1", end: true}},
			first("ack 1 message", "turn_start 1 1", "state running", "text hi", "turn_end completed 1", "state idle", "state closing", "result", "state closed"), "",
		},
		{
			"messages wait for the turn",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "hold;end completed")},
				{after: "state running", in: in(stream.LiveMessage, "2", "say two;end completed")},
				{in: in(stream.LiveClose, "c", "")},
				{in: in(stream.LiveMessage, "3", "say three")},
				{in: in(stream.LiveSteer, "s", "x")},
				{after: "refused s steer closing", in: in(stream.LiveAbort, "x", "")},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "ack 2 message queued", "ack c close", "refused 3 message closing", "refused s steer closing",
				"ack x abort", "turn_end cancelled 1", "state idle", "ack 2 message", "turn_start 2 2", "state running", "text two", "turn_end completed 2", "state idle",
				"state closing", "result", "state closed"), "",
		},
		{
			"steer and abort",
			[]step{
				{after: idle, in: in(stream.LiveSteer, "0", "x")},
				{in: in(stream.LiveAbort, "0", "")},
				{in: in(stream.LiveMessage, "1", "hold;say end;hold")},
				{after: "state running", in: in(stream.LiveSteer, "s", "left")},
				{after: "text end", in: in(stream.LiveSteer, "e", " ")},
				{in: in(stream.LiveAbort, "x", "")},
				{after: "turn_end cancelled 1", in: in(stream.LiveMessage, "2", "end completed")},
				{after: "turn_end completed 2", end: true},
			},
			first("refused 0 steer no_turn", "refused 0 abort no_turn", "ack 1 message", "turn_start 1 1", "state running", "ack s steer", "text steered left", "text end",
				"refused e steer empty_prompt", "ack x abort", "turn_end cancelled 1", "state idle", "ack 2 message", "turn_start 2 2", "state running",
				"turn_end completed 2", "state idle", "state closing", "result", "state closed"), "",
		},
		{
			"lines that cannot be taken",
			[]step{
				{after: idle, err: errors.New("odd"), in: stream.LiveInput{ID: "m"}},
				{in: in("dance", "d", "")},
				{in: in(stream.LiveMessage, "e", " ")},
				{in: in(stream.LiveMessage, "r", "refuse")},
				{in: stream.LiveInput{Type: stream.LiveMessage, ID: "p", Parts: []stream.Part{{Type: "smell"}}}},
				{in: stream.LiveInput{Type: stream.LiveMessage, ID: "i", Parts: []stream.Part{{Type: "image", Path: "a.png"}}}},
				{in: answer("r", stream.Accept)},
				{in: stream.LiveInput{Type: stream.LiveUpdate, ID: "u"}},
				{in: stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Access: "full"}},
				{in: in(stream.LiveMessage, "1", "end completed")},
				{after: "turn_end completed 1", end: true},
			},
			first("refused m usage", "refused d dance unknown_input", "refused e message empty_prompt", "refused r message words", "refused p message usage",
				"refused i message usage", "refused a answer no_request", "refused u update usage", "refused u update access",
				"ack 1 message", "turn_start 1 1", "state running", "turn_end completed 1", "state idle", "state closing", "result", "state closed"), "",
		},
		{
			"updates",
			[]step{
				{after: idle, in: stream.LiveInput{Type: stream.LiveUpdate, ID: "1", Model: "now"}},
				{in: stream.LiveInput{Type: stream.LiveUpdate, ID: "2", Model: "never"}},
				{in: stream.LiveInput{Type: stream.LiveUpdate, ID: "3", Model: "later"}},
				{after: "ack 3 update", in: stream.LiveInput{Type: stream.LiveUpdate, ID: "4", Model: "later bad"}},
				{after: "refused 4 update bad", in: stream.LiveInput{Type: stream.LiveUpdate, ID: "5", Model: "silence"}},
				{end: true},
			},
			first("ack 1 update", "refused 2 update model", "ack 3 update", "refused 4 update bad", "state closing", "result", "refused 5 update ended", "state closed"), "",
		},
		{
			"requests",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "ask q;hold;ask r;hold;end completed")},
				{after: "state waiting", in: answer("q", "perhaps")},
				{in: stream.LiveInput{Type: stream.LiveAnswer, ID: "a", RequestID: "q", Action: stream.Accept, For: "ever"}},
				{in: stream.LiveInput{Type: stream.LiveAnswer, ID: "a", RequestID: "q", Action: stream.Accept, Data: []byte(`{}`)}},
				{in: stream.LiveInput{Type: stream.LiveAnswer, ID: "a", RequestID: "q", Action: stream.Accept, Data: []byte(`{"x":1}`), For: "session"}},
				{after: "request r tool_permission", in: in(stream.LiveAbort, "x", "")},
				{after: "turn_end cancelled 1", in: answer("r", stream.Accept)},
				{end: true},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "request q tool_permission", "state waiting", "refused a answer usage", "refused a answer usage",
				"refused a answer data", "request_end q accept answer", "state running", "ack a answer", `text q accept {"x":1}`, "request r tool_permission", "state waiting",
				"request_end r cancel abort", "state running", "ack x abort", "turn_end cancelled 1", "state idle", "refused a answer no_request",
				"state closing", "result", "state closed"), "",
		},
		{
			"requests that end with the turn, or are taken back, or outlive it",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "ask q;ask r;ask b background;withdraw r;end completed;hold;own;say mine;end completed")},
				{after: "turn_end completed 1", in: answer("b", stream.Decline)},
				{after: "turn_end completed 2", end: true},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "request q tool_permission", "state waiting", "request r tool_permission", "request b tool_permission",
				"request_end r agent", "request_end q agent", "turn_end completed 1", "request_end b decline answer", "state idle", "ack a answer", "text b decline",
				"turn_start 2", "state running", "text mine", "turn_end completed 2", "state idle", "state closing", "result", "state closed"), "",
		},
		{
			"nobody is left to answer",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "ask q;hold;ask r;hold;end completed")},
				{after: "state waiting", end: true},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "request q tool_permission", "state waiting",
				"system decline T: nobody is there to allow it", "request_end q decline nobody", "state running", "text q decline nobody is there to allow it",
				"system decline T: nobody is there to allow it", "request_end r decline nobody", "text r decline nobody is there to allow it",
				"turn_end completed 1", "state idle", "state closing", "result", "state closed"), "",
		},
		{
			"a message and what comes at once behind it",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "hold;end completed")},
				{in: in(stream.LiveSteer, "s", "in time")},
				{end: true},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "ack s steer", "text steered in time", "turn_end completed 1", "state idle",
				"state closing", "result", "state closed"), "",
		},
		{
			"a turn that failed",
			[]step{{after: idle, in: in(stream.LiveMessage, "1", "end failed")}, {after: "turn_end failed auth bad_key 1", end: true}},
			first("ack 1 message", "turn_start 1 1", "state running", "turn_end failed auth bad_key 1", "state idle", "state closing", "error bad key", "state closed"), "auth/bad_key",
		},
		{
			"turns that failed",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "end failed")},
				{after: "turn_end failed auth bad_key 1", in: in(stream.LiveMessage, "2", "end failed")},
				{after: "turn_end failed auth bad_key 2", end: true},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "turn_end failed auth bad_key 1", "state idle", "ack 2 message", "turn_start 2 2", "state running",
				"turn_end failed auth bad_key 2", "state idle", "state closing", "result", "state closed"), "",
		},
		{
			"the vendor leaves",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "ask q;hold;quit")},
				{after: "state waiting", in: in(stream.LiveMessage, "2", "say two")},
				{after: "ack 2 message queued", in: answer("q", stream.Accept)},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "request q tool_permission", "state waiting", "ack 2 message queued", "request_end q accept answer",
				"state running", "ack a answer", "text q accept", "error it ended with status 0", "turn_end failed process crash 1", "refused 2 message ended", "state closed"), "process/crash",
		},
		{
			"it is ended",
			[]step{
				{after: idle, in: in(stream.LiveMessage, "1", "ask q;hold")},
				{after: "state waiting", kill: true},
			},
			first("ack 1 message", "turn_start 1 1", "state running", "request q tool_permission", "state waiting", "request_end q agent", "turn_end cancelled 1", "state closed"), "process/cancelled",
		},
		{"nothing is said", []step{{after: idle, end: true}}, first("state closing", "result", "state closed"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, out := play(t, Config{Job: job(t, allCapabilities())}, c.steps)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantError(t, out, c.err)
		})
	}
}

func wantError(t *testing.T, out providers.Outcome, want string) {
	t.Helper()
	got := ""
	if out.Err != nil {
		got = string(out.Err.Class) + "/" + out.Err.Reason
	}
	if got != want {
		t.Errorf("ended with %q (%v), want %q", got, out.Err, want)
	}
}

// TestReaderGone: nobody reads the lines, so the session ends.
func TestReaderGone(t *testing.T) {
	gone := errors.New("gone")
	inputs := make(chan Input, 1)
	inputs <- Input{LiveInput: in(stream.LiveMessage, "1", "say hi;hold")}
	out := Run(t.Context(), Config{
		Job: job(t, allCapabilities()), Inputs: inputs,
		Chunk: func(stream.Chunk) error { return nil },
		Line: func(l stream.LiveLine) error {
			if l.Type == stream.LiveTurnStart {
				return gone
			}
			return nil
		},
	})
	if !out.ReaderGone || !errors.Is(out.Err, gone) {
		t.Errorf("ended with %v", out.Err)
	}
}

package live

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/stream"
)

func TestDecide(t *testing.T) {
	decide := func(r providers.AgentRequest) Decision {
		switch r.ID {
		case "yes", "picky":
			return Decision{Action: stream.Accept, Rule: "1"}
		case "no":
			return Decision{Action: stream.Decline, Rule: "2", Message: "not here"}
		case "stop":
			return Decision{Action: stream.Cancel, Rule: "3"}
		case "unsure":
			return Decision{Rule: "4", Message: "who knows"}
		}
		return Decision{}
	}
	one := func(text string) []step {
		return []step{{after: "state idle", in: in(stream.LiveMessage, "1", text)}, {end: true}}
	}
	begin := []string{"state starting", "state idle", "ack 1 message", "turn_start 1 1", "state running"}
	for _, c := range []struct {
		name  string
		alone bool
		steps []step
		want  []string
		err   string
	}{
		{
			"policy", false, one("ask yes;hold;ask no;hold;ask picky;hold;end completed"),
			append(begin, "system accept T (rule 1)", "request_end yes accept policy", "text yes accept",
				"system decline T (rule 2): not here", "request_end no decline policy", "text no decline not here",
				"system decline T (rule 1): data is missing", "request_end picky decline policy", "text picky decline data is missing",
				"turn_end completed 1", "state closing", "result", "state closed"), "",
		},
		{
			"alone, nothing decided", true, one("ask other;hold;end completed"),
			append(begin, "system decline T: nobody is there to allow it", "request_end other decline nobody", "text other decline nobody is there to allow it",
				"turn_end completed 1", "state closing", "result", "state closed"), "",
		},
		{
			"alone, the policy would ask", true, one("ask unsure;hold;end completed"),
			append(begin, "system decline T (rule 4): nobody is there to allow it", "request_end unsure decline nobody",
				"text unsure decline nobody is there to allow it", "turn_end completed 1", "state closing", "result", "state closed"), "",
		},
		{
			"the policy asks", false,
			[]step{
				{after: "state idle", in: in(stream.LiveMessage, "1", "ask unsure;hold;end completed")},
				{after: "request unsure tool_permission", in: answer("unsure", stream.Accept)},
				{after: "turn_end completed 1", end: true},
			},
			append(begin, "system ask T (rule 4): who knows", "request unsure tool_permission", "state waiting", "request_end unsure accept answer",
				"ack a answer", "text unsure accept", "turn_end completed 1", "state closing", "result", "state closed"), "",
		},
		{
			"alone, the policy ends the turn", true, one("ask stop;hold;end cancelled"),
			append(begin, "system cancel T (rule 3)", "request_end stop cancel policy", "text stop cancel",
				"turn_end cancelled 1", "state closing", "error the policy ended the turn", "state closed"), "permission/denied",
		},
		{
			"alone, the message is refused", true, one("refuse"),
			[]string{"state starting", "state idle", "refused 1 message words", "state closing", "error no such words", "state closed"},
			"unsupported/words",
		},
		{
			"alone, the last turn counts", true, one("end failed;own;say after;end completed"),
			append(begin, "turn_end failed auth bad_key 1", "turn_start 2", "text after", "turn_end completed 2", "state closing", "result", "state closed"), "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, out := play(t, Config{Job: job(t, allCapabilities()), Decide: decide, Alone: c.alone}, c.steps)
			drop := func(notes []string) (kept []string) { // where the inputs end is not certain
				for _, n := range notes {
					if n != "state idle" && n != "state running" {
						kept = append(kept, n)
					}
				}
				return kept
			}
			if diff := cmp.Diff(drop(c.want), drop(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantError(t, out, c.err)
		})
	}
}

// TestCannot: what the vendor cannot do is refused by name, and it is not asked.
func TestCannot(t *testing.T) {
	got, _ := play(t, Config{Job: job(t, providers.LiveCapabilities{})}, []step{
		{after: "state idle", in: stream.LiveInput{Type: stream.LiveMessage, ID: "i", Parts: []stream.Part{{Type: "image", Data: "AAAA"}}}},
		{in: in(stream.LiveMessage, "1", "ask q;hold;end completed")},
		{after: "state waiting", in: in(stream.LiveSteer, "s", "x")},
		{in: in(stream.LiveAbort, "x", "")},
		{in: stream.LiveInput{Type: stream.LiveUpdate, ID: "u", Model: "m"}},
		{in: stream.LiveInput{Type: stream.LiveAnswer, ID: "a", RequestID: "q", Action: stream.Accept, For: "session"}},
		{in: answer("q", stream.Accept)},
		{end: true},
	})
	want := []string{"refused i message images", "refused s steer steer", "refused x abort abort", "refused u update model", "refused a answer session"}
	var refused []string
	for _, n := range got {
		if strings.HasPrefix(n, "refused") {
			refused = append(refused, n)
		}
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

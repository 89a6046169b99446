package live

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// says is an adviser that knows at once.
func says(a Advice) Adviser {
	return Adviser{Ask: func(context.Context, providers.AgentRequest) Advice { return a }}
}

// noted is an advice with a notice.
func noted(a Advice, words string) Advice {
	a.Notice = stream.Chunk{Type: stream.System, Content: words, Metadata: &stream.Metadata{Notice: stream.NoticeHook}}
	return a
}

// slow is an adviser that knows when it is told so, or is given up.
type slow struct {
	now    chan struct{}
	ended  chan struct{} // its context was, and it has returned
	advice Advice
}

func newSlow(a Advice) *slow {
	return &slow{now: make(chan struct{}), ended: make(chan struct{}), advice: a}
}

func (s *slow) adviser() Adviser {
	return Adviser{Ask: func(ctx context.Context, _ providers.AgentRequest) Advice {
		select {
		case <-s.now:
		case <-ctx.Done():
			close(s.ended)
		}
		return s.advice
	}}
}

func (s *slow) know() { close(s.now) }

func (s *slow) gone() { <-s.ended }

func block(reason string) Advice { return Advice{Action: stream.Decline, Reason: reason} }

func input(text string) Advice { return Advice{Input: ndjson.RawMessage(text)} }

// rules decides by the tool's input.
func rules(r providers.AgentRequest) Decision {
	switch in := string(r.Context.ToolInput); {
	case strings.Contains(in, "bad"):
		return Decision{Action: stream.Decline, Rule: "1", Message: "bad"}
	case strings.Contains(in, "good"):
		return Decision{Action: stream.Accept, Rule: "2"}
	}
	return Decision{}
}

// TestAdvisers: who decides, in which order, and what the tool is called with in the end.
func TestAdvisers(t *testing.T) {
	ask := []step{{after: "state idle", in: in(stream.LiveMessage, "1", "ask q;hold;end completed")}, {after: "turn_end completed 1", end: true}}
	allow := slices.Insert(slices.Clone(ask), 1, step{after: "request q tool_permission", in: answer("q", stream.Accept)})
	never := Adviser{Ask: func(context.Context, providers.AgentRequest) Advice {
		t.Error("an adviser was asked after the decision")
		return Advice{}
	}}
	open := says(block("late"))
	open.IfOpen = true
	data := says(noted(Advice{Action: stream.Accept, Data: ndjson.RawMessage(`{"x":1}`)}, "answers"))
	data.IfOpen = true
	for _, c := range []struct {
		name     string
		advisers []Adviser
		first    string // the tool's input
		alone    bool
		steps    []step
		want     []string
	}{
		{
			"a block",
			[]Adviser{says(noted(block("mine"), "blocks")), never},
			`{}`, false, ask,
			[]string{"system blocks", "request_end q decline hook", "text q decline mine"},
		},
		{
			"a block of what the policy allows",
			[]Adviser{says(block("mine"))},
			`{"good":1}`, false, ask,
			[]string{"request_end q decline hook", "text q decline mine"},
		},
		{
			"the policy's no is final",
			[]Adviser{never},
			`{"bad":1}`, false, ask,
			[]string{"system decline T (rule 1): bad", "request_end q decline policy", "text q decline bad"},
		},
		{
			"what nobody minds is as before",
			[]Adviser{says(Advice{}), says(noted(Advice{}, "failed"))},
			`{"good":1}`, false, ask,
			[]string{"system failed", "system accept T (rule 2)", "request_end q accept policy", "text q accept"},
		},
		{
			"with nobody there",
			[]Adviser{says(Advice{})},
			`{}`, true, ask,
			[]string{"system decline T: nobody is there to allow it", "request_end q decline nobody", "text q decline nobody is there to allow it"},
		},
		{
			"changed into what is forbidden",
			[]Adviser{says(noted(input(`{"bad":1}`), "changes")), never},
			`{"good":1}`, false, ask,
			[]string{"system changes", "system decline T (rule 1): bad", "request_end q decline policy", "text q decline bad"},
		},
		{
			"changed into what is allowed",
			[]Adviser{says(input(`{"x":1}`)), says(input(`{"x":2,"good":1}`))},
			`{}`, false, ask,
			[]string{"system accept T (rule 2)", "request_end q accept policy", `text q accept {"x":2,"good":1}`},
		},
		{
			"changed, and somebody allows it",
			[]Adviser{says(input(`{"x":1}`))},
			`{"good":1}`, false, allow,
			[]string{"request q tool_permission", "state waiting", "request_end q accept answer", "ack a answer", `text q accept {"x":1}`},
		},
		{
			"of what is allowed, those for open requests are not asked",
			[]Adviser{open},
			`{"good":1}`, false, ask,
			[]string{"system accept T (rule 2)", "request_end q accept policy", "text q accept"},
		},
		{
			"of what is open, they are",
			[]Adviser{says(Advice{}), open},
			`{}`, false, ask,
			[]string{"request_end q decline hook", "text q decline late"},
		},
		{
			"an answer",
			[]Adviser{data},
			`{}`, true, ask,
			[]string{"system answers", "request_end q accept hook", `text q accept {"x":1}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := job(t, allCapabilities())
			j.Provider = askingWith{standin{allCapabilities()}, c.first}
			cfg := Config{Job: j, Decide: rules, Alone: c.alone, Advise: func(providers.AgentRequest) []Adviser { return c.advisers }}
			got, _ := play(t, cfg, c.steps)
			got = got[slices.Index(got, "turn_start 1 1")+1 : slices.Index(got, "turn_end completed 1")]
			got = slices.DeleteFunc(got, func(n string) bool { return n == "state running" })
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// askingWith is the stand-in whose requests have that input.
type askingWith struct {
	standin
	input string
}

func (a askingWith) NewDriver(providers.Request) providers.Driver { return &asksWith{&echo{}, a.input} }

type asksWith struct {
	*echo
	input string
}

func (a *asksWith) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	return a.echo.Receive(rec, func(e providers.Effect) {
		if r, ok := e.(providers.AgentRequest); ok {
			r.Context.ToolInput, r.Context.Command, r.Context.Paths = ndjson.RawMessage(a.input), "old", []string{"old"}
			e = r
		}
		do(e)
	})
}

// TestChange: nothing of the old input is left to decide by.
func TestChange(t *testing.T) {
	r := &request{}
	r.Context = stream.AskContext{ToolName: "Bash", ToolInput: []byte(`{"command":"a"}`), Command: "a", Paths: []string{"/a"}}
	r.change([]byte(`{"command":"b"}`))
	want := stream.AskContext{ToolName: "Bash", ToolInput: []byte(`{"command":"b"}`), Command: "b"}
	if diff := cmp.Diff(want, r.Context); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWaiting: while a request is open, whoever decides, no clock of the vendor runs.
func TestWaiting(t *testing.T) {
	s := &session{driver: &echo{}, running: true, open: []*request{{}}}
	if !s.Facts().Waiting {
		t.Error("the vendor's clocks run while we decide")
	}
	if s.open = nil; s.Facts().Waiting {
		t.Error("the vendor's clocks stand still while it works")
	}
}

// TestMeanwhile: the session goes on while somebody thinks, and what comes too late
// is given up and not listened to.
func TestMeanwhile(t *testing.T) {
	begin := func(text string) step { return step{after: "state idle", in: in(stream.LiveMessage, "1", text)} }
	bye := step{after: "turn_end completed 1", end: true}
	for _, c := range []struct {
		name   string
		advice Advice
		steps  func(*slow) []step
		want   []string
	}{
		{
			"the stream",
			Advice{},
			func(s *slow) []step {
				return []step{
					begin("ask q;say on;hold;end completed"),
					{after: "text on", in: answer("q", stream.Accept)}, // nobody was asked yet
					{after: "refused a answer no_request", do: s.know},
					{after: "state waiting", in: answer("q", stream.Accept)},
					bye,
				}
			},
			[]string{
				"text on", "refused a answer no_request", "request q tool_permission", "state waiting", "request_end q accept answer", "state running",
				"ack a answer", "text q accept", "turn_end completed 1",
			},
		},
		{
			"an abort",
			Advice{},
			func(s *slow) []step {
				return []step{begin("ask q;say on;hold"), {after: "text on", in: in(stream.LiveAbort, "x", "")}, {do: s.gone}, {after: "turn_end cancelled 1", end: true}}
			},
			[]string{"text on", "request_end q cancel abort", "ack x abort", "turn_end cancelled 1"},
		},
		{
			"it is taken back",
			Advice{},
			func(s *slow) []step {
				return []step{begin("ask q;say on;withdraw q;hold;end completed"), {do: s.gone}, {after: "request_end q agent", in: in(stream.LiveSteer, "s", "go")}, bye}
			},
			[]string{"text on", "request_end q agent", "ack s steer", "text steered go", "turn_end completed 1"},
		},
		{
			"the turn ends",
			Advice{},
			func(s *slow) []step { return []step{begin("ask q;end completed"), {do: s.gone}, bye} },
			[]string{"request_end q agent", "turn_end completed 1"},
		},
		{
			"a close, after which somebody may still answer",
			Advice{},
			func(s *slow) []step {
				return []step{
					begin("ask q;say on;hold;end completed"),
					{after: "text on", in: in(stream.LiveClose, "c", "")},
					{after: "ack c close", do: s.know},
					{after: "state waiting", in: answer("q", stream.Accept)},
					bye,
				}
			},
			[]string{
				"text on", "ack c close", "request q tool_permission", "state waiting", "request_end q accept answer", "state running", "ack a answer",
				"text q accept", "turn_end completed 1",
			},
		},
		{
			"the inputs end",
			Advice{},
			func(s *slow) []step {
				return []step{begin("ask q;say on;hold;end completed"), {after: "text on", end: true}, {do: s.know}}
			},
			[]string{
				"text on", "system decline T: nobody is there to allow it", "request_end q decline nobody", "text q decline nobody is there to allow it", "turn_end completed 1",
			},
		},
		{
			"the inputs end, and it is blocked", block("no"),
			func(s *slow) []step {
				return []step{begin("ask q;say on;hold;end completed"), {after: "text on", end: true}, {do: s.know}}
			},
			[]string{"text on", "request_end q decline hook", "text q decline no", "turn_end completed 1"},
		},
		{
			"it is ended",
			Advice{},
			func(s *slow) []step {
				return []step{begin("ask q;say on;hold"), {after: "text on", kill: true}, {do: s.gone}}
			},
			[]string{"text on", "request_end q agent", "turn_end cancelled 1"},
		},
		{
			"the vendor leaves",
			Advice{},
			func(s *slow) []step { return []step{begin("ask q;quit"), {do: s.gone}} },
			[]string{"error it ended with status 0", "request_end q agent", "turn_end failed process crash 1"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSlow(c.advice)
			cfg := Config{Job: job(t, allCapabilities()), Advise: func(providers.AgentRequest) []Adviser { return []Adviser{s.adviser()} }}
			got, _ := play(t, cfg, c.steps(s))
			got = got[slices.Index(got, "turn_start 1 1")+2:]
			end := slices.IndexFunc(got, func(n string) bool { return strings.HasPrefix(n, "turn_end") })
			if c.name == "the inputs end" { // it may be known before that is seen
				got = slices.DeleteFunc(got[:end+1], func(n string) bool { return strings.HasPrefix(n, "state") || strings.HasPrefix(n, "request q") })
				end = len(got) - 1
			}
			if diff := cmp.Diff(c.want, got[:end+1]); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

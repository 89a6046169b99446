package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/acp"
	"agentrun/stream"
)

// interpreter plays a dialog that our driver held with an agent: claude-* are
// with @zed-industries/claude-agent-acp 0.23.1. Its ids are the driver's own.
type interpreter struct {
	asked          int
	ending         bool     // the turn that runs is to end
	recorded, sent []string // lines of ours
}

func dialogs(played *[]*interpreter) conformance.Dialogs {
	p := acp.New().(providers.Converser)
	return conformance.Dialogs{
		Provider: p, Dir: "testdata/live",
		Interpret: func(_, text string) (conformance.Interpreter, providers.Request) {
			r := providers.Request{Fields: p.NewFields(), Cwd: "/repo", Deltas: true}
			if strings.Contains(text, `"id":2,"method":"session/set_config_option"`) {
				_ = providers.SetField(r.Fields, "mode", "plan") // it has that field
			}
			*played = append(*played, &interpreter{})
			return (*played)[len(*played)-1], r
		},
		Unrecorded: []string{"update effort", "asks question", "asks auth"},
	}
}

// TestDialogs: the driver's effects are those of want.txt, and its lines those of the dialog.
func TestDialogs(t *testing.T) {
	var played []*interpreter
	dialogs(&played).Test(t)
	for _, p := range played {
		if diff := cmp.Diff(p.recorded, p.sent); diff != "" {
			t.Errorf("sent (-recorded +now):\n%s", diff)
		}
	}
}

// TestFaults: a session outlives a vendor that answers late, twice, not at all, or
// says what nobody knows.
func TestFaults(t *testing.T) {
	p := acp.New().(providers.Converser)
	conformance.Faults{Provider: p, Request: providers.Request{Fields: p.NewFields(), Cwd: "/repo"}, Dir: "testdata/faults"}.Test(t)
}

// Sends takes a line of the driver's.
func (p *interpreter) Sends(line []byte) { p.sent = append(p.sent, string(line)) }

// Printed gives the driver a line of the agent's.
func (p *interpreter) Printed(d *conformance.Dialog, line string) {
	p.ending = p.ending && d.Runs()
	d.Receive(line)
}

// End closes stdin; the agent stayed, and was ended.
func (p *interpreter) End(d *conformance.Dialog, exit providers.Exit) { d.Finish(exit) }

// Settled is the word for a settled input.
func (p *interpreter) Settled(err *providers.Error) string { return fmt.Sprint(err) }

// sentLine is as much of a line of ours as tells the input that it was made of.
type sentLine struct {
	Method string `json:"method"`
	Params struct {
		Prompt []struct {
			Type, Text, Data, MimeType string
		} `json:"prompt"`
		Config string `json:"configId"`
		Value  string `json:"value"`
	} `json:"params"`
	Result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	} `json:"result"`
}

// Sent makes the input again of which a line of ours was made.
func (p *interpreter) Sent(d *conformance.Dialog, text string) error {
	p.recorded = append(p.recorded, text)
	var line sentLine
	if err := ndjson.Unmarshal([]byte(text), &line); err != nil {
		return err
	}
	switch {
	case line.Method == "initialize":
		d.Open(d.Do)
	case line.Method == "session/prompt":
		in := stream.LiveInput{Type: stream.LiveMessage}
		for _, b := range line.Params.Prompt {
			in.Parts = append(in.Parts, stream.Part{Type: b.Type, Text: b.Text, Data: b.Data, MediaType: b.MimeType})
		}
		return d.Message(in, d.Do)
	case line.Method == "session/cancel" && !p.ending:
		p.ending = true
		return d.Abort(d.Do)
	case line.Method == "session/set_config_option" && d.Ready():
		in := stream.LiveInput{ID: line.Params.Config}
		if in.Model = line.Params.Value; line.Params.Config == "mode" {
			in.Model, in.Access = "", in.Model
		}
		return d.Update(in, d.Do)
	case line.Method == "" && !p.ending:
		return p.answer(d, line)
	}
	return nil // what follows by itself
}

func (p *interpreter) answer(d *conformance.Dialog, line sentLine) error {
	p.asked++
	in := stream.LiveInput{RequestID: fmt.Sprint(p.asked), Action: stream.Accept}
	switch o := line.Result.Outcome; {
	case o.Outcome == "cancelled":
		in.Action, p.ending = stream.Cancel, true
	case o.Option == "reject":
		in.Action = stream.Decline
	case o.Option == "allow_always":
		in.For = "session"
	}
	return d.Answer(in, d.Do)
}

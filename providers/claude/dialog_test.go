package claude

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// interpreter plays a recorded dialog to a driver. Ids that the driver chose take
// the place of the recorder's.
type interpreter struct {
	pairs  []string
	lastID string // of the driver's last own line
}

func dialogs() conformance.Dialogs {
	return conformance.Dialogs{
		Provider: New().(providers.Converser), Dir: "testdata/live",
		Interpret: func(dir, _ string) (conformance.Interpreter, providers.Request) {
			_, err := os.Stat(filepath.Join(dir, "args.json")) // there is no other argument that matters
			return &interpreter{}, providers.Request{Fields: &request{}, Cwd: "/repo", Dir: "/run", Deltas: err == nil}
		},
		Unrecorded: []string{"update effort", "asks auth"},
	}
}

func TestDialogs(t *testing.T) { dialogs().Test(t) }

// TestFaults: a session outlives a vendor that answers late, twice, not at all, or
// says what nobody knows.
func TestFaults(t *testing.T) {
	r := providers.Request{Fields: &request{}, Dir: "/run", Version: "2.1.332"}
	conformance.Faults{Provider: New().(providers.Converser), Request: r, Dir: "testdata/faults"}.Test(t)
}

// FuzzDriver: no dialog makes the driver break the rules of its interface.
func FuzzDriver(f *testing.F) {
	ds := dialogs()
	conformance.Fuzz{
		Provider: ds.Provider, Seeds: ds.Seeds(f),
		Requests: []providers.Request{{Fields: &request{}, Dir: "/run", Deltas: true}},
	}.Driver(f)
}

func (p *interpreter) Sends(line []byte) {
	var ids struct {
		UUID      string `json:"uuid"`
		RequestID string `json:"request_id"`
	}
	_ = ndjson.Unmarshal(line, &ids)
	p.lastID = ids.UUID + ids.RequestID
}

func (p *interpreter) Printed(d *conformance.Dialog, line string) {
	d.Receive(strings.NewReplacer(p.pairs...).Replace(line))
}

func (p *interpreter) End(d *conformance.Dialog, exit providers.Exit) {
	if exit.Signal == "" { // or the recorder killed it
		d.Finish(exit)
	}
}

func (p *interpreter) Settled(err *providers.Error) string { return fmt.Sprint(err) }

// Sent takes a line of the recorder's.
func (p *interpreter) Sent(d *conformance.Dialog, line string) error {
	var l struct {
		Type      string `json:"type"`
		UUID      string `json:"uuid"`
		RequestID string `json:"request_id"`
		Message   struct {
			Content ndjson.RawMessage `json:"content"`
		} `json:"message"`
		Request struct {
			Subtype string `json:"subtype"`
			Model   string `json:"model"`
			Mode    string `json:"mode"`
		} `json:"request"`
		Response struct {
			RequestID string `json:"request_id"`
			Response  struct {
				Behavior  string            `json:"behavior"`
				Input     ndjson.RawMessage `json:"updatedInput"`
				Rules     []suggestion      `json:"updatedPermissions"`
				Message   string            `json:"message"`
				Interrupt bool              `json:"interrupt"`
			} `json:"response"`
		} `json:"response"`
	}
	if ndjson.Unmarshal([]byte(line), &l) != nil {
		return nil //nolint:nilerr // what no driver sends
	}
	p.lastID = ""
	var err error
	switch {
	case l.Type == "user" && d.Runs():
		err = d.Steer(recordedInput(l.Message.Content), d.Do)
	case l.Type == "user":
		err = d.Message(recordedInput(l.Message.Content), d.Do)
	case l.Request.Subtype == "initialize":
		d.Open(d.Do)
	case l.Request.Subtype == "interrupt" && d.Runs():
		err = d.Abort(d.Do)
	case l.Request.Subtype == "set_model" && l.Request.Model != "":
		err = d.Update(stream.LiveInput{Model: l.Request.Model}, d.Do)
	case l.Request.Subtype == "set_permission_mode" && l.Request.Mode == "acceptEdits":
		err = d.Update(stream.LiveInput{Access: "edit"}, d.Do)
	case l.Request.Subtype == "set_permission_mode" && l.Request.Mode == "bypassPermissions":
		err = d.Update(stream.LiveInput{Access: "full"}, d.Do)
	case l.Type == "control_response":
		r := l.Response.Response
		in := stream.LiveInput{RequestID: l.Response.RequestID, Action: stream.Accept, Data: r.Input, Message: r.Message}
		switch {
		case r.Interrupt:
			in.Action = stream.Cancel
		case r.Behavior == "deny":
			in.Action = stream.Decline
		case len(r.Rules) > 0:
			in.For = "session"
		}
		var asked struct {
			Answers ndjson.RawMessage `json:"answers"`
		}
		if _ = ndjson.Unmarshal(r.Input, &asked); len(asked.Answers) > 0 {
			in.Data = asked.Answers
		}
		err = d.Answer(in, d.Do)
	default:
		return nil
	}
	if recorded := l.UUID + l.RequestID; recorded != "" && p.lastID != "" {
		p.pairs = append(p.pairs, strconv.Quote(recorded), strconv.Quote(p.lastID))
	}
	return err
}

// recordedInput is a recorded message as an input.
func recordedInput(content ndjson.RawMessage) stream.LiveInput {
	in := stream.LiveInput{Type: stream.LiveMessage}
	var blocks []inputBlock
	if ndjson.Unmarshal(content, &in.Text) == nil || ndjson.Unmarshal(content, &blocks) != nil {
		return in
	}
	for _, b := range blocks {
		part := stream.Part{Type: b.Type, Text: b.Text}
		if b.Source != nil {
			part.Data, part.MediaType = b.Source.Data, b.Source.MediaType
		}
		in.Parts = append(in.Parts, part)
	}
	return in
}

package pi

import (
	"fmt"
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
	old    bool
	ids    map[string]string // the driver's, by the recorder's
	began  bool              // the driver sent a command
	last   rpcCommand        // the driver's last
	probes []string          // of an old pi's state, which the recorder did not ask for
}

func dialogs() conformance.Dialogs {
	return conformance.Dialogs{
		Provider: New().(providers.Converser), Dir: "testdata/live",
		Interpret: func(dir, _ string) (conformance.Interpreter, providers.Request) {
			p := &interpreter{ids: map[string]string{}, old: strings.HasPrefix(filepath.Base(dir), "old-")}
			r := providers.Request{Fields: New().NewFields(), Cwd: "/repo", Dir: "/run", Version: newest}
			if p.old {
				r.Version = oldest
			}
			return p, r
		},
		Unrecorded: []string{"asks tool_permission"},
	}
}

func TestDialogs(t *testing.T) { dialogs().Test(t) }

// TestFaults: a session outlives a vendor that answers late, twice, not at all, or
// says what nobody knows.
func TestFaults(t *testing.T) {
	r := providers.Request{Fields: New().NewFields(), Cwd: "/repo", Dir: "/run", Version: newest}
	conformance.Faults{Provider: New().(providers.Converser), Request: r, Dir: "testdata/faults"}.Test(t)
}

// FuzzDriver: no dialog makes the driver break the rules of its interface.
func FuzzDriver(f *testing.F) {
	ds := dialogs()
	seeds := append(ds.Seeds(f), strings.ReplaceAll(strings.Join([]string{
		"> message a", "> steer b", startedLine, agentStart, toolLine, gateLine, "> accept", answerLine, oldEnd, settledLine, "> close",
	}, "\n"), `"$`, `"agentrun-`))
	now := providers.Request{Fields: New().NewFields(), Dir: "/run", Deltas: true, Asks: true, Version: newest}
	old := now
	old.Version = oldest
	conformance.Fuzz{Provider: ds.Provider, Seeds: seeds, Requests: []providers.Request{now, old}}.Driver(f)
}

func (p *interpreter) Sends(line []byte) {
	_ = ndjson.Unmarshal(line, &p.last)
	p.began = p.began || p.last.Type != "extension_ui_response"
	if p.last.Type == "get_state" {
		p.probes = append(p.probes, p.last.ID)
	}
}

func (p *interpreter) Settled(err *providers.Error) string { return fmt.Sprint(err) }

func (p *interpreter) End(d *conformance.Dialog, exit providers.Exit) {
	p.settle(d)
	d.Finish(exit)
}

// recorded is a line of the recorder's.
type recorded struct {
	promptCommand
	modelCommand
	levelCommand
	uiAnswer

	ID   string `json:"id"`
	Type string `json:"type"`
}

func (p *interpreter) Sent(d *conformance.Dialog, line string) error {
	p.settle(d)
	var l recorded
	if ndjson.Unmarshal([]byte(line), &l) != nil {
		return nil //nolint:nilerr // what no driver sends
	}
	in := stream.LiveInput{Text: l.Message}
	for _, i := range l.Images {
		in.Parts = append(in.Parts, stream.Part{Type: "image", Data: i.Data, MediaType: i.MimeType})
	}
	p.last = rpcCommand{}
	var err error
	switch runs := d.Runs(); {
	case l.Type == "get_state" && !p.began:
		d.Open(d.Do)
		p.probes = nil
	case l.Type == "prompt" && !runs:
		err = d.Message(in, d.Do)
	case l.Type == "steer" && runs, l.Type == "prompt" && l.Streaming != "":
		err = d.Steer(in, d.Do)
	case l.Type == "abort" && runs:
		err = d.Abort(d.Do)
	case l.Type == "set_model":
		err = d.Update(stream.LiveInput{Model: l.Provider + "/" + l.Model}, d.Do)
	case l.Type == "set_thinking_level":
		err = d.Update(stream.LiveInput{Effort: l.Level}, d.Do)
	case l.Type == "extension_ui_response":
		err = d.Answer(answerOf(l), d.Do)
	default:
		return nil
	}
	p.ids[l.ID] = p.last.ID
	return err
}

func answerOf(l recorded) stream.LiveInput {
	in := stream.LiveInput{RequestID: l.ID, Action: stream.Accept}
	switch {
	case l.Value != nil:
		value, _ := ndjson.Marshal(*l.Value)
		in.Data = fmt.Appendf(nil, `{"value":%s}`, value)
	case l.Cancelled:
		in.Action = stream.Cancel
	case l.Confirmed != nil && !*l.Confirmed:
		in.Action = stream.Decline
	}
	return in
}

// settle answers what the driver asked of the state of an old pi, at rest.
func (p *interpreter) settle(d *conformance.Dialog) {
	if !p.old {
		return
	}
	for _, id := range p.probes {
		p.Printed(d, fmt.Sprintf(`{"id":%q,"type":"response","command":"get_state","success":true,"data":{}}`, id))
	}
	p.probes = nil
}

func (p *interpreter) Printed(d *conformance.Dialog, line string) {
	var l struct {
		ID   string `json:"id"`
		Type string `json:"type"`
	}
	if ndjson.Unmarshal([]byte(line), &l) == nil && l.Type == "response" && p.ids[l.ID] != "" {
		line = strings.Replace(line, strconv.Quote(l.ID), strconv.Quote(p.ids[l.ID]), 1)
	}
	d.Receive(line)
}

package codex_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

// interpreter plays a recorded dialog to a driver. The driver's calls take the
// place of the recorder's of that method.
type interpreter struct {
	ours   map[string][]int // ids of the driver's calls without a response, by method
	theirs map[string]string
	cleans bool // the recorder knew of cleanMethod
}

func dialogs(tb testing.TB) conformance.Dialogs {
	tb.Helper()
	return conformance.Dialogs{
		Provider: codex.New().(providers.Converser), Dir: "testdata/live",
		Interpret: func(_, text string) (conformance.Interpreter, providers.Request) {
			r := request(tb, "")
			for line := range strings.Lines(text) {
				var l rpc
				if rest, ok := strings.CutPrefix(line, "> "); ok && ndjson.Unmarshal([]byte(rest), &l) == nil && l.Method == "thread/resume" {
					r = request(tb, "", "resume="+l.Params.Thread)
				}
			}
			r.Deltas, r.Cwd = true, "/repo"
			return &interpreter{ours: map[string][]int{}, theirs: map[string]string{}, cleans: strings.Contains(text, cleanMethod)}, r
		},
		Unrecorded: []string{"images", "asks auth"},
	}
}

func TestDialogs(t *testing.T) { dialogs(t).Test(t) }

// TestFaults: a session outlives a vendor that answers late, twice, not at all, or
// says what nobody knows.
func TestFaults(t *testing.T) {
	p := codex.New().(providers.Converser)
	conformance.Faults{Provider: p, Request: providers.Request{Fields: p.NewFields(), Cwd: "/repo", Dir: "/run"}, Dir: "testdata/faults"}.Test(t)
}

// FuzzDriver: no dialog makes the driver break the rules of its interface.
func FuzzDriver(f *testing.F) {
	ds := dialogs(f)
	conformance.Fuzz{
		Provider: ds.Provider, Seeds: ds.Seeds(f),
		Requests: []providers.Request{{Fields: ds.Provider.NewFields(), Dir: "/run", Deltas: true}},
	}.Driver(f)
}

// rpc is a line in either direction.
type rpc struct {
	ID     ndjson.RawMessage `json:"id,omitempty"`
	Method string            `json:"method,omitempty"`
	Params struct {
		Input []struct {
			Text string `json:"text"`
		} `json:"input"`
		Thread  string `json:"threadId"`
		Model   string `json:"model"`
		Effort  string `json:"effort"`
		Sandbox struct {
			Type string `json:"type"`
		} `json:"sandboxPolicy"`
	} `json:"params"`
	Result struct {
		Decision string                                `json:"decision"`
		Action   stream.Action                         `json:"action"`
		Answers  map[string]struct{ Answers []string } `json:"answers"`
	} `json:"result"`
}

func (p *interpreter) Sends(line []byte) {
	var l rpc
	if err := ndjson.Unmarshal(line, &l); err == nil && l.Method != "" && len(l.ID) > 0 {
		id, _ := strconv.Atoi(string(l.ID))
		p.ours[l.Method] = append(p.ours[l.Method], id)
	}
}

func (p *interpreter) Settled(err *providers.Error) string { return conformance.Words(err) }

// Sent takes a line of the recorder's.
func (p *interpreter) Sent(d *conformance.Dialog, line string) error {
	var l rpc
	if ndjson.Unmarshal([]byte(line), &l) != nil {
		return nil //nolint:nilerr // what no driver sends
	}
	method := l.Method
	in := stream.LiveInput{Model: l.Params.Model, Effort: l.Params.Effort}
	for _, i := range l.Params.Input {
		in.Text += i.Text
	}
	var err error
	switch {
	case method == "initialize":
		d.Open(d.Do)
	case method == "turn/steer" && d.Runs(), method == "turn/start" && d.Runs():
		method, err = "turn/steer", d.Steer(in, d.Do)
	case method == "turn/start":
		if l.Params.Sandbox.Type == "workspaceWrite" {
			in.Access = "edit"
		}
		err = d.Update(in, d.Do)
		if err == nil {
			err = d.Message(in, d.Do)
		}
	case method == "turn/interrupt" && d.Runs():
		err = d.Abort(d.Do)
	case method == "":
		err = d.Answer(l.answer(), d.Do)
	}
	p.theirs[string(l.ID)] = method
	return err
}

// answer is a recorded answer as an input.
func (l *rpc) answer() stream.LiveInput {
	in := stream.LiveInput{RequestID: string(l.ID), Action: l.Result.Action}
	switch l.Result.Decision {
	case "acceptForSession":
		in.Action, in.For = stream.Accept, "session"
	case "accept", "decline", "cancel":
		in.Action = stream.Action(l.Result.Decision)
	}
	if l.Result.Answers != nil {
		given := map[string]string{}
		for id, a := range l.Result.Answers {
			given[id] = strings.Join(a.Answers, ", ")
		}
		in.Action = stream.Accept
		in.Data, _ = ndjson.Marshal(given)
	}
	return in
}

func (p *interpreter) Printed(d *conformance.Dialog, line string) {
	var l rpc
	if ndjson.Unmarshal([]byte(line), &l) == nil && l.Method == "" && len(l.ID) > 0 {
		waits := p.ours[p.theirs[string(l.ID)]]
		if len(waits) == 0 {
			return // to a call that the driver did not make
		}
		p.ours[p.theirs[string(l.ID)]] = waits[1:]
		line = strings.Replace(line, `"id":`+string(l.ID), `"id":`+strconv.Itoa(waits[0]), 1)
	}
	d.Receive(line)
	if !p.cleans {
		p.refuse(d, cleanMethod)
	}
}

func (p *interpreter) End(d *conformance.Dialog, exit providers.Exit) {
	if !d.Runs() && exit.Signal == "" {
		d.Close(d.Do)
		return
	}
	d.Note("verdict %s", conformance.Words(d.Verdict(exit).Err))
}

// refuse answers what the driver asked and the recorder did not.
func (p *interpreter) refuse(d *conformance.Dialog, method string) {
	for len(p.ours[method]) > 0 {
		id := p.ours[method][0]
		p.ours[method] = p.ours[method][1:]
		d.Receive(fmt.Sprintf(`{"error":{"code":-32600,"message":"%s requires experimentalApi capability"},"id":%d}`, method, id))
	}
}

const cleanMethod = "thread/backgroundTerminals/clean"

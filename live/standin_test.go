package live

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// standin is a vendor whose process is cat: what its driver sends comes back and
// is then carried out. A message's text is what the vendor is to do, separated
// by semicolons:
//
//	say WORDS         a text chunk
//	ask ID [KIND]     a request; KIND background outlives the turn
//	withdraw ID       of a request
//	own               a turn of the vendor's own begins
//	end STATUS        of the turn; failed has class auth
//	hold              the rest waits for an answer or a steer
//	quit              the process ends by itself
type standin struct{ caps providers.LiveCapabilities }

func (standin) About() providers.About {
	return providers.About{Name: "standin", Title: "Stand-in", Capabilities: providers.Capabilities{Transport: providers.Subprocess}}
}
func (standin) NewFields() any                                             { return &struct{}{} }
func (standin) Command(providers.Request) (c providers.Command, err error) { return c, nil }
func (standin) NewMapper(providers.Request) providers.Mapper               { return nil }
func (standin) Loopback(providers.Loopback) (c providers.LoopbackCommand)  { return c }
func (s standin) Live() providers.LiveCapabilities                         { return s.caps }
func (standin) NewDriver(providers.Request) providers.Driver               { return &echo{} }

func (standin) LiveCommand(providers.Request) (c providers.Command, err error) { return c, nil }

func allCapabilities() providers.LiveCapabilities {
	return providers.LiveCapabilities{Steer: true, Abort: true, Update: []string{"model"}, Images: true, Session: true}
}

func job(t *testing.T, caps providers.LiveCapabilities) providers.Job {
	t.Helper()
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	return providers.Job{ID: "r", Provider: standin{caps}, Binary: cat, Request: providers.Request{Cwd: t.TempDir(), Dir: t.TempDir()}}
}

// echo is the stand-in's driver.
type echo struct {
	held  []string
	facts providers.Facts
	later []stream.LiveInput
}

type echoLine struct {
	Do string `json:"do"`
}

func tell(do func(providers.Effect), what string) {
	line, err := ndjson.Marshal(echoLine{what})
	if err != nil {
		panic(err)
	}
	do(providers.Send{Line: line})
}

func (e *echo) Open(do func(providers.Effect)) { tell(do, "ready") }

func (e *echo) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	var line echoLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	e.facts.Progress++
	e.play(strings.Split(line.Do, ";"), do)
	return nil
}

func (e *echo) play(ops []string, do func(providers.Effect)) {
	for i, op := range ops {
		what, rest, _ := strings.Cut(strings.TrimSpace(op), " ")
		switch what {
		case "ready":
			do(providers.Ready{})
		case "say":
			do(providers.Emit{Chunk: stream.Chunk{Type: stream.Text, Content: rest}})
		case "ask":
			id, kind, _ := strings.Cut(rest, " ")
			do(providers.AgentRequest{
				ID: id, Kind: stream.AskToolPermission, Background: kind == "background",
				Schema: []byte(`{"type":"object","required":["x"]}`), Context: stream.AskContext{ToolName: "T"},
			})
		case "withdraw":
			do(providers.Withdraw{ID: rest})
		case "own":
			do(providers.TurnStart{})
		case "end":
			end := providers.TurnEnd{Status: stream.TurnStatus(rest)}
			if end.Status == stream.TurnFailed {
				end.Verdict.Err = providers.Errorf(providers.Auth, providers.ReasonBadKey, "bad key")
			}
			do(end)
		case "settle":
			s := providers.Settle{Input: e.later[0]}
			if rest != "" {
				s.Err = providers.Errorf(providers.Usage, rest, "no")
			}
			e.later = e.later[1:]
			do(s)
		case "hold":
			e.held = ops[i+1:]
			return
		case "go":
			held := e.held
			e.held = nil
			e.play(held, do)
		case "quit":
			do(providers.CloseStdin{})
		}
	}
}

func (e *echo) Message(in stream.LiveInput, do func(providers.Effect)) error {
	if in.Text == "refuse" {
		return providers.Errorf(providers.Unsupported, "words", "no such words")
	}
	tell(do, in.Text)
	for _, p := range in.Parts {
		tell(do, fmt.Sprintf("say %s %s %s %s", p.Type, p.Text, p.MediaType, p.Data))
	}
	return nil
}

func (e *echo) Steer(in stream.LiveInput, do func(providers.Effect)) error {
	tell(do, "say steered "+in.Text+"; go")
	return nil
}

func (e *echo) Update(in stream.LiveInput, do func(providers.Effect)) error {
	switch in.Model {
	case "now":
		return nil
	case "never":
		return providers.Errorf(providers.Usage, "model", "no such model")
	}
	e.later = append(e.later, in)
	if in.Model != "silence" {
		tell(do, "settle "+strings.TrimSpace(strings.TrimPrefix(in.Model, "later")))
	}
	return providers.ErrLater
}

func (e *echo) Abort(do func(providers.Effect)) error {
	tell(do, "end cancelled")
	return nil
}

func (e *echo) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	if in.RequestID == "picky" && in.Action == stream.Accept && len(in.Data) == 0 {
		return providers.Errorf(providers.Usage, "", "data is missing")
	}
	tell(do, fmt.Sprintf("say %s %s %s%s; go", in.RequestID, in.Action, in.Message, in.Data))
	return nil
}

func (e *echo) Close(do func(providers.Effect)) { do(providers.CloseStdin{}) }

func (e *echo) Facts() providers.Facts { return e.facts }

func (e *echo) Verdict(exit providers.Exit) providers.Verdict {
	return providers.Verdict{Err: providers.Errorf(providers.Process, providers.ReasonCrash, "it ended with status %d", exit.Code)}
}

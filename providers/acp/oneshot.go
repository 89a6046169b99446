package acp

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// oneShot is the driver as the mapper of a run of one message at which nobody
// is there to allow anything. What it would send has been sent.
type oneShot struct {
	*driver
	prompt string
	emit   func(stream.Chunk)
	end    *providers.TurnEnd
}

func newOneShot(s Session, prompt string) *oneShot {
	d, _ := NewDriver(s).(*driver)
	o := &oneShot{driver: d, prompt: prompt, emit: func(stream.Chunk) {}}
	d.Open(o.do)
	return o
}

func (o *oneShot) do(e providers.Effect) {
	switch e := e.(type) {
	case providers.Emit:
		o.emit(e.Chunk)
	case providers.Ready:
		_ = o.Message(stream.LiveInput{Text: o.prompt}, o.do) // images were checked
	case providers.AgentRequest:
		_ = o.Answer(stream.LiveInput{RequestID: e.ID, Action: stream.Decline}, o.do)
	case providers.TurnEnd:
		if o.end == nil {
			o.end = &e
		}
	}
}

// Map maps one line of the agent.
func (o *oneShot) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	o.emit = emit
	return o.Receive(rec, o.do)
}

// Noise knows no harmless line.
func (o *oneShot) Noise([]byte) bool { return false }

// Facts are the driver's; the end of the turn is that of the run.
func (o *oneShot) Facts() providers.Facts {
	f := o.driver.Facts()
	f.Settled = f.Settled || o.end != nil
	return f
}

// Verdict is that of the turn.
func (o *oneShot) Verdict(exit providers.Exit) providers.Verdict {
	if o.end == nil {
		return o.driver.Verdict(exit)
	}
	v := o.end.Verdict
	if v.Err == nil && o.end.Status == stream.TurnCancelled {
		v.Err = providers.Errorf(providers.Agent, "cancelled", "%s cancelled the turn", o.cfg.Agent)
	}
	return v
}

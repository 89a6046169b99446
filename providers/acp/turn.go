package acp

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// turn is the turn that runs: from our session/prompt to its answer.
type turn struct {
	runs     bool
	aborting bool // we asked for its end
	did      bool // the agent said or did something, beside thinking
	command  bool // the message may be a command of the agent's own, which need not answer
	number   int  // of the prompt
}

type (
	prompt struct {
		Session string  `json:"sessionId"`
		Blocks  []block `json:"prompt"`
	}
	// block is a piece of content.
	block struct {
		Type  string `json:"type"`
		Text  string `json:"text,omitempty"`
		Media string `json:"mimeType,omitempty"`
		Data  string `json:"data,omitempty"`
	}
	cancel struct {
		Session string `json:"sessionId"`
	}
)

// Message sends a prompt.
func (d *driver) Message(in stream.LiveInput, do func(providers.Effect)) error {
	blocks, notices, err := d.blocks(in)
	if err != nil {
		return err
	}
	for _, n := range notices {
		emit(n, do)
	}
	command := len(blocks) > 0 && strings.HasPrefix(blocks[0].Text, "/")
	d.turn = turn{runs: true, command: command, number: d.turn.number + 1}
	number := d.turn.number
	d.rpc.Request("session/prompt", prompt{d.session, blocks}, do, func(m *jsonrpc.Message, do func(providers.Effect)) {
		if d.turn.runs && d.turn.number == number {
			d.end(m, do)
		}
	})
	return nil
}

func (d *driver) blocks(in stream.LiveInput) (list []block, told []stream.Chunk, err error) {
	parts := in.Parts
	if in.Text != "" {
		parts = append([]stream.Part{{Type: "text", Text: in.Text}}, parts...)
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			text := p.Text
			if words := d.cfg.Dialect.Words; words != nil && len(list) == 0 {
				var n *stream.Chunk
				if text, n = words(text); n != nil {
					told = append(told, *n)
				}
			}
			list = append(list, block{Type: "text", Text: text})
		case "image":
			if !d.caps.Prompt.Image {
				return nil, nil, d.noImages()
			}
			list = append(list, block{Type: "image", Media: p.MediaType, Data: p.Data})
		}
	}
	return list, told, nil
}

// Abort cancels the turn. The agent then answers the prompt, but, as some wait
// for us in turn, only when nothing it asked is left open.
func (d *driver) Abort(do func(providers.Effect)) error {
	d.abort(do)
	return nil
}

func (d *driver) abort(do func(providers.Effect)) {
	d.turn.aborting = true
	d.rpc.Notify("session/cancel", cancel{d.session}, do)
	for _, a := range d.asks {
		if a.turn {
			d.give(a, a.cancelled(), do)
			d.calls.decline(a.tool)
		}
	}
	d.asks = d.others()
}

// end takes the answer to the prompt, which is the turn's.
func (d *driver) end(m *jsonrpc.Message, do func(providers.Effect)) {
	for _, a := range d.asks { // it was not waited for
		if a.turn {
			d.give(a, a.cancelled(), do)
			do(providers.Withdraw{ID: a.name})
		}
	}
	d.asks = d.others()
	var result struct {
		StopReason string       `json:"stopReason"`
		Usage      *usageReport `json:"usage"`
	}
	if m.Error == nil && ndjson.Unmarshal(m.Result, &result) != nil {
		result.StopReason = ""
	}
	cancelled := result.StopReason == "cancelled" || m.Error != nil && d.turn.aborting
	d.calls.finish(cancelled, d, do)
	t := d.turn
	d.turn = turn{number: t.number}
	d.turns++
	e := providers.TurnEnd{Status: stream.TurnCompleted}
	e.Verdict.Metadata = stream.Metadata{SessionID: d.session, StopReason: result.StopReason}
	used, model := result.Usage.usage(), ""
	if own := d.cfg.Dialect.Usage; own != nil && m.Error == nil {
		used, model = own(m.Result)
	}
	if model != "" {
		d.set.model = model
	}
	d.usage = sum(d.usage, used)
	e.Verdict.Metadata.Usage, e.Verdict.Metadata.Model = used, d.set.model
	if d.cost != nil {
		e.Verdict.Metadata.TotalCostUSD, e.Verdict.Metadata.CostScope = d.cost, stream.ScopeSession
	}
	switch {
	case cancelled:
		e.Status = stream.TurnCancelled
	case m.Error != nil:
		e.Verdict.Err = d.failure(m.Error)
	default:
		e.Verdict.Err = d.judge(result.StopReason, t)
	}
	if e.Verdict.Err != nil {
		e.Status = stream.TurnFailed
	}
	do(e)
}

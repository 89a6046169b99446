package pi

import (
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// Message begins a turn. Should an extension have begun one at this moment, the
// words are queued into it.
func (d *driver) Message(in stream.LiveInput, do func(providers.Effect)) error {
	p, err := d.words(in)
	if err != nil {
		return err
	}
	d.begin(turn{runs: true})
	p.rpcCommand, p.Streaming = d.command("prompt", d.taken), "followUp"
	providers.SendLine(p, do)
	return nil
}

// Steer adds words to the turn, behind the tool calls that run. Where the turn
// has just ended, they begin one.
func (d *driver) Steer(in stream.LiveInput, do func(providers.Effect)) error {
	if _, err := d.words(in); err != nil {
		return err
	}
	if d.turn.aborting {
		return noTurn()
	}
	d.turn.steers = append(d.turn.steers, in)
	d.catchUp(do)
	return providers.ErrLater
}

func noTurn() *providers.Error {
	return providers.Errorf(providers.Usage, "no_turn", "the turn is about to end").WithHint("send a message")
}

// catchUp sends what waited for pi to be at work.
func (d *driver) catchUp(do func(providers.Effect)) {
	t := &d.turn
	if !t.begun {
		return
	}
	for _, in := range t.steers {
		p, _ := d.words(in) // checked when it came
		p.Streaming = "steer"
		p.rpcCommand = d.command("prompt", func(r response, do func(providers.Effect)) {
			do(providers.Settle{Input: in, Err: r.refusal()})
		})
		providers.SendLine(p, do)
	}
	t.steers = nil
	if t.aborting && !t.told {
		t.told = true
		d.abort(do)
	}
}

// words are a message's as pi takes them: one text, and images.
func (d *driver) words(in stream.LiveInput) (promptCommand, error) {
	var p promptCommand
	var texts []string
	if in.Text != "" {
		texts = append(texts, in.Text)
	}
	for _, part := range in.Parts {
		if part.Type == "image" {
			p.Images = append(p.Images, image{"image", part.Data, part.MediaType})
			continue
		}
		texts = append(texts, part.Text)
	}
	p.Message = strings.Join(texts, "\n")
	if p.Message == "" && len(p.Images) == 0 {
		return p, providers.Errorf(providers.Usage, "empty_prompt", "the message is empty")
	}
	if err := checkText(p.Message); err != nil {
		return p, err
	}
	if !guards(d.req, d.fields) || !strings.HasPrefix(p.Message, "/") && !strings.HasPrefix(p.Message, marker) {
		return p, nil
	}
	if name, _, _ := strings.Cut(p.Message[1:], " "); d.skills[name] {
		err := providers.Errorf(providers.Unsupported, fenceSlash, "pi would put the skill in the place of words that begin with /%s", name)
		return p, err.WithHint("begin them otherwise; --no-fence %s lets pi do so, and --set no_skills=true takes the skills away", fenceSlash)
	}
	p.Message = marker + p.Message
	return p, nil
}

// Abort ends the turn as soon as pi is at work on it.
func (d *driver) Abort(do func(providers.Effect)) error {
	d.turn.aborting = true
	d.catchUp(do)
	return nil
}

// abort says so. Words that wait would go to the model with the next message,
// and a question of an extension may hold the end up.
func (d *driver) abort(do func(providers.Effect)) {
	switch {
	case !d.m.before("0.84.4"):
		providers.SendLine(d.command("clear_queue", nil), do)
	case d.queued > 0:
		do(providers.Emit{Chunk: stream.Notice(stream.NoticeWarning, "this version of pi keeps the words that were to steer the turn: they go to the model with the next message")})
	}
	providers.SendLine(d.command("abort", nil), do)
	d.dropAsks(false, do)
}

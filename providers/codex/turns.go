package codex

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// turn is the turn that runs.
type turn struct {
	runs bool
	own  bool   // of the server's own: nobody sent a message
	id   string // as the server answered, or in a turn of its own announced
	// began is the turn that the server last announced. Before it has announced
	// ours there is nothing to steer, and an interrupt would miss the turn.
	began       string
	steers      []stream.LiveInput // that wait for that
	aborting    bool               // we asked for its end
	interrupted bool               // and sent it
	fault       *providers.Error   // the server did not take the message
	done        *serverTurn        // its end, while something is left to do
	commands    map[string]bool    // that run, by item
	refused     map[string]string  // calls that were not allowed, and why
	cleaned     int                // how often we asked to end them
	cleaning    bool
}

// serverTurn is a turn as the server tells of it.
type serverTurn struct {
	ID     string `json:"id"`
	Status string `json:"status"` // inProgress, completed, failed, interrupted
	Error  *fault `json:"error"`
}

type turnStart struct {
	Thread string            `json:"threadId"`
	Input  []userInput       `json:"input"`
	Schema ndjson.RawMessage `json:"outputSchema,omitempty"`
	sticky
}

type turnSteer struct {
	Thread string      `json:"threadId"`
	Turn   string      `json:"expectedTurnId"`
	Input  []userInput `json:"input"`
}

type turnInterrupt struct {
	Thread string `json:"threadId"`
	Turn   string `json:"turnId"`
}

type turnAnswer struct {
	Turn serverTurn `json:"turn"`
}

// Message begins a turn.
func (d *driver) Message(in stream.LiveInput, do func(providers.Effect)) error {
	input, err := userInputs(in)
	if err != nil {
		return err
	}
	sent := d.next
	d.next = sticky{}
	d.begin(false)
	d.rpc.Request("turn/start", turnStart{d.m.thread, input, ndjson.RawMessage(d.fields.Schema), sent}, do,
		func(line *jsonrpc.Message, _ func(providers.Effect)) {
			var a turnAnswer
			switch {
			case line.Error != nil:
				d.next = d.next.over(sent)
				d.turn.fault = refusal(line.Error)
				d.turn.done = &serverTurn{Status: "failed"}
			case ndjson.Unmarshal(line.Result, &a) == nil:
				d.turn.id = a.Turn.ID
				if d.turn.done != nil && d.turn.done.ID != d.turn.id {
					d.turn.done = nil // of a turn of the server's own, before ours
				}
				if sent.Model != "" {
					d.model = sent.Model
				}
			}
		})
	return nil
}

func (d *driver) begin(own bool) {
	d.turn = turn{runs: true, own: own, commands: map[string]bool{}, refused: map[string]string{}}
	d.m.nextTurn()
	d.spent.begin()
}

// nextTurn forgets what was of the turn before. Open tool calls stay: a command
// in the background ends when it does.
func (m *mapper) nextTurn() {
	m.completed, m.failed, m.failure, m.cause, m.retrying = false, false, "", "", ""
	m.texts, m.tools, m.answer, m.lastTodo = 0, 0, "", ""
	m.denials, m.warnings = nil, nil
	m.repeats.settle()
}

// announced takes turn/started.
func (d *driver) announced(t serverTurn, do func(providers.Effect)) {
	if !d.turn.runs {
		d.begin(true)
		d.turn.id = t.ID
		do(providers.TurnStart{})
	}
	d.turn.began = t.ID
	d.m.begin(providers.Emitter(do))
	d.m.moved()
}

// Steer puts words into the running turn, as soon as the server has begun it.
func (d *driver) Steer(in stream.LiveInput, do func(providers.Effect)) error {
	if _, err := userInputs(in); err != nil {
		return err
	}
	if d.turn.aborting || d.turn.done != nil {
		return noTurn("the turn is about to end")
	}
	d.turn.steers = append(d.turn.steers, in)
	d.sendWaiting(do)
	return providers.ErrLater
}

func noTurn(words string) *providers.Error {
	return providers.Errorf(providers.Usage, "no_turn", "%s", words).WithHint("send a message")
}

// Abort interrupts the turn, as soon as the server has begun it.
func (d *driver) Abort(do func(providers.Effect)) error {
	d.turn.aborting = true
	d.sendWaiting(do)
	return nil
}

// sendWaiting sends what waited for the turn to begin.
func (d *driver) sendWaiting(do func(providers.Effect)) {
	t := &d.turn
	if t.id == "" || t.began != t.id || t.done != nil {
		return
	}
	for _, in := range t.steers {
		input, _ := userInputs(in) // checked when it came
		d.rpc.Request("turn/steer", turnSteer{d.m.thread, t.id, input}, do, func(line *jsonrpc.Message, do func(providers.Effect)) {
			var err *providers.Error
			if line.Error != nil {
				err = noTurn(line.Error.Message)
			}
			do(providers.Settle{Input: in, Err: err})
		})
	}
	t.steers = nil
	if t.aborting && !t.interrupted {
		t.interrupted = true
		d.rpc.Request("turn/interrupt", turnInterrupt{d.m.thread, t.id}, do, nil)
		d.agents.interrupt(d, do)
	}
}

// userInput is a piece of a message.
type userInput struct {
	Type string `json:"type"` // text or image
	Text string `json:"text,omitempty"`
	// Elements would mark mentions in the text: there are none.
	Elements *[]string `json:"text_elements,omitempty"`
	URL      string    `json:"url,omitempty"`
}

func userInputs(in stream.LiveInput) ([]userInput, error) {
	var list []userInput
	var all strings.Builder
	text := func(s string) {
		if s != "" {
			list = append(list, userInput{Type: "text", Text: s, Elements: &[]string{}})
			all.WriteString(s)
		}
	}
	text(in.Text)
	for _, p := range in.Parts {
		if p.Type == "image" {
			list = append(list, userInput{Type: "image", URL: "data:" + p.MediaType + ";base64," + p.Data})
			continue
		}
		text(p.Text)
	}
	if all.Len() == 0 && len(list) == 0 {
		return nil, providers.Errorf(providers.Usage, reasonEmptyPrompt, "the message is empty")
	}
	return list, checkText(all.String())
}

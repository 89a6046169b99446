package conformance

import (
	"errors"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// talker is the toy with a two-way mode. It is good, unless it breaks a rule.
type talker struct {
	toy

	wrong string
}

func (t *talker) Live() providers.LiveCapabilities {
	c := providers.LiveCapabilities{Steer: true, Abort: true, Update: []string{"model"}, Images: true, Deltas: true, Session: true, Asks: []string{stream.AskToolPermission}}
	c.Steer = t.wrong != "an unclaimed steer"
	c.Deltas = t.wrong != "an unclaimed piece"
	return c
}

func (t *talker) LiveCommand(r providers.Request) (providers.Command, error) { return t.Command(r) }

func (t *talker) NewDriver(providers.Request) providers.Driver {
	return &talkerDriver{wrong: t.wrong}
}

// talkerDriver speaks the toy's protocol: a line is an object whose type says what happens.
type talkerDriver struct {
	wrong    string
	facts    providers.Facts
	runs     bool
	steering *stream.LiveInput
	open     string
}

func (d *talkerDriver) has(wrong string) bool { return d.wrong == wrong }

// also does one more effect, if the driver is wrong in that way.
func (d *talkerDriver) also(wrong string, do func(providers.Effect), effects ...providers.Effect) {
	if d.has(wrong) {
		for _, e := range effects {
			do(e)
		}
	}
}

func (d *talkerDriver) Open(do func(providers.Effect)) {
	do(providers.Send{Line: []byte(`{"hello":1}`)})
	d.also("a sent array", do, providers.Send{Line: []byte(`[1]`)})
	d.also("two lines sent", do, providers.Send{Line: []byte("{\n}")})
	d.also("a turn before", do, providers.TurnStart{}, providers.TurnEnd{Status: stream.TurnCompleted})
}

func (d *talkerDriver) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	var e struct{ Type, ID, Text string }
	if err := rec.Decode(&e); err != nil {
		return err
	}
	d.facts.Progress++
	emit := providers.Emitter(do)
	switch e.Type {
	case "ready":
		do(providers.Ready{})
		d.also("ready twice", do, providers.Ready{})
	case "say":
		emit(stream.Chunk{Type: stream.Text, Content: e.Text, IsDelta: true})
		d.misspeak(do)
	case "call":
		emit(stream.Chunk{Type: stream.ToolUse, ToolID: e.ID, ToolName: "Bash"})
		if !d.has("a result twice") {
			break
		}
		emit(stream.Chunk{Type: stream.ToolResult, ToolID: e.ID})
		emit(stream.Chunk{Type: stream.ToolResult, ToolID: e.ID})
	case "ask":
		d.ask(e.ID, do)
	case "void":
		do(providers.Withdraw{ID: e.ID})
		d.also("withdrawn twice", do, providers.Withdraw{ID: e.ID})
	case "steered":
		if d.has("settled too soon") {
			break
		}
		do(providers.Settle{Input: *d.steering})
		d.also("settled twice", do, providers.Settle{Input: *d.steering})
	case "end", "cancelled":
		d.end(map[string]stream.TurnStatus{"end": stream.TurnCompleted, "cancelled": stream.TurnCancelled}[e.Type], do)
	case "begin":
		d.runs = true
		do(providers.TurnStart{})
		d.also("a turn in a turn", do, providers.TurnStart{})
	default:
		if d.has("a bare error") {
			return errors.New(e.Type)
		}
		return providers.Errorf(providers.Protocol, "", "%s", e.Type)
	}
	return nil
}

func (d *talkerDriver) misspeak(do func(providers.Effect)) {
	for wrong, c := range map[string]stream.Chunk{
		"a result":        {Type: stream.Result},
		"an empty text":   {Type: stream.Text},
		"a mute notice":   {Type: stream.System},
		"a type":          {Type: "telemetry"},
		"a delta":         {Type: stream.System, IsDelta: true, Metadata: &stream.Metadata{Notice: stream.NoticeInfo}},
		"a nameless call": {Type: stream.ToolUse, ToolID: "t9"},
	} {
		d.also(wrong, do, providers.Emit{Chunk: c})
	}
	if d.has("progress back") {
		d.facts.Progress = -1
	}
}

func (d *talkerDriver) ask(id string, do func(providers.Effect)) {
	r := providers.AgentRequest{ID: id, Kind: stream.AskToolPermission, Schema: ndjson.RawMessage(`{}`)}
	switch d.wrong {
	case "a nameless request":
		r.ID = ""
	case "a broken schema":
		r.Schema = ndjson.RawMessage(`{`)
	case "an unclaimed kind":
		r.Kind = stream.AskPlan
	}
	do(r)
	d.also("a request twice", do, r)
	d.open = r.ID
}

func (d *talkerDriver) end(status stream.TurnStatus, do func(providers.Effect)) {
	d.runs = false
	end := providers.TurnEnd{Status: status}
	switch d.wrong {
	case "an unknown status":
		end.Status = "done"
	case "a failure without an error":
		end.Status = stream.TurnFailed
	}
	do(end)
	d.also("an end twice", do, end)
}

func (d *talkerDriver) Message(in stream.LiveInput, do func(providers.Effect)) error {
	if in.Text == "" && len(in.Parts) == 0 {
		d.also("a turn of a refused message", do, providers.TurnStart{})
		if d.has("a bare refusal") {
			return errors.New("no words")
		}
		return providers.Errorf(providers.Usage, "", "no words")
	}
	d.runs = true
	do(providers.Send{Line: []byte(`{"say":1}`)})
	d.also("an end within Message", do, providers.TurnStart{}, providers.TurnEnd{Status: stream.TurnCompleted})
	return nil
}

func (d *talkerDriver) Steer(in stream.LiveInput, do func(providers.Effect)) error {
	d.steering = &in
	d.also("settled too soon", do, providers.Settle{Input: in})
	if d.has("settled too soon") {
		return nil
	}
	return providers.ErrLater
}

func (d *talkerDriver) Update(in stream.LiveInput, _ func(providers.Effect)) error {
	switch {
	case in.Effort == "":
		return nil
	case d.has("an unclaimed update"):
		return nil
	case d.has("a refusal of another class"):
		return providers.Errorf(providers.Agent, "", "no")
	}
	return providers.Errorf(providers.Unsupported, "effort", "no")
}

func (d *talkerDriver) Abort(func(providers.Effect)) error { return nil }

func (d *talkerDriver) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	if in.RequestID != d.open && !d.has("an answer to nothing") {
		return providers.Errorf(providers.Usage, "no_request", "no request %q", in.RequestID)
	}
	d.also("an answer that withdraws", do, providers.Withdraw{ID: in.RequestID})
	d.open = ""
	return nil
}

func (d *talkerDriver) Close(do func(providers.Effect)) {
	d.also("a request left open", do, providers.AgentRequest{ID: "9", Kind: stream.AskToolPermission, Background: true})
	do(providers.CloseStdin{})
	d.also("closed twice", do, providers.CloseStdin{})
	d.also("sent too late", do, providers.Send{Line: []byte(`{}`)})
}

func (d *talkerDriver) Facts() providers.Facts { return d.facts }

func (d *talkerDriver) Verdict(e providers.Exit) providers.Verdict {
	if e.Code != 0 && !d.has("a success with status 1") {
		return providers.Verdict{Err: providers.Errorf(providers.Process, "", "status %d", e.Code)}
	}
	return providers.Verdict{}
}

// converse holds a session in which a good driver shows everything it claims.
func converse(t *testing.T, p providers.Converser) *Watched {
	t.Helper()
	w := Watch(p, providers.Request{})
	do := func(providers.Effect) {}
	got := func(lines ...string) {
		for _, line := range lines {
			_ = w.Receive(ndjson.Record{Kind: ndjson.Object, Raw: []byte(line)}, do)
			_ = w.Facts()
		}
	}
	w.Open(do)
	got(`{"type":"ready"}`)
	_ = w.Message(stream.LiveInput{}, do)
	if w.Runs() {
		got(`{"type":"end"}`)
	}
	_ = w.Message(stream.LiveInput{Text: "hi", Parts: []stream.Part{{Type: "image", Data: "aGk="}}}, do)
	_ = w.Steer(stream.LiveInput{ID: "s", Text: "there"}, do)
	got(`{"type":"steered"}`, `{"type":"say","text":"Hi"}`, `{"type":"call","id":"t1"}`, `{"type":"ask","id":"1"}`)
	_ = w.Answer(stream.LiveInput{RequestID: "1", Action: stream.Accept, For: "session"}, do)
	_ = w.Answer(stream.LiveInput{RequestID: "7", Action: stream.Accept}, do)
	got(`{"type":"ask","id":"2"}`, `{"type":"void","id":"2"}`, `{"type":"ask","id":"3"}`, `{"type":"end"}`, `{"type":"begin"}`)
	_ = w.Update(stream.LiveInput{ID: "u", Model: "m"}, do)
	_ = w.Update(stream.LiveInput{ID: "v", Effort: "high"}, do)
	_ = w.Abort(do)
	got(`{"type":"cancelled"}`, `{"type":"what"}`)
	w.Close(do)
	_ = w.Verdict(providers.Exit{Code: 1})
	return w
}

func TestWatchFindsNothingWrong(t *testing.T) {
	p := &talker{}
	w := converse(t, p)
	if err := errors.Join(w.Err(), Proven(p.Live(), nil, w)); err != nil {
		t.Error(err)
	}
}

// TestWatchFinds: for every rule there are drivers that break it, and are found to.
func TestWatchFinds(t *testing.T) {
	for rule, wrongs := range map[string][]string{
		ruleSend:     {"a sent array", "two lines sent"},
		ruleReady:    {"a turn before", "ready twice"},
		ruleTurns:    {"a turn in a turn", "an end twice", "an unknown status", "a failure without an error", "a turn of a refused message", "an end within Message"},
		ruleRequests: {"a nameless request", "a request twice", "a broken schema", "a request left open"},
		ruleWithdraw: {"withdrawn twice", "an answer that withdraws"},
		ruleSettle:   {"settled twice", "settled too soon"},
		ruleChunks:   {"a result", "an empty text", "a mute notice", "a type", "a delta"},
		ruleTools:    {"a nameless call", "a result twice"},
		ruleStdin:    {"sent too late", "closed twice"},
		ruleErrors:   {"a bare error", "a bare refusal", "a refusal of another class", "an answer to nothing"},
		ruleFacts:    {"progress back", "a success with status 1"},
		ruleClaims:   {"an unclaimed kind", "an unclaimed piece", "an unclaimed steer", "an unclaimed update"},
	} {
		for _, wrong := range wrongs {
			t.Run(wrong, func(t *testing.T) {
				err := converse(t, &talker{wrong: wrong}).Err()
				if err == nil || !strings.Contains("\n"+err.Error(), "\n"+rule+": ") {
					t.Errorf("no breach of %q in: %v", rule, err)
				}
			})
		}
	}
}

// TestProven: a claim that nothing shows is a fault, and so is an excuse that is none.
func TestProven(t *testing.T) {
	p := &talker{}
	good := converse(t, p)
	for name, c := range map[string]struct {
		unrecorded []string
		sessions   []*Watched
		want       string
	}{
		"nothing shown": {nil, nil, `claims: "steer" is claimed, and no dialog shows it`},
		"shown":         {[]string{"steer"}, []*Watched{good}, `claims: "steer" is not claimed, or a dialog shows it`},
		"not claimed":   {[]string{"asks plan"}, []*Watched{good}, `claims: "asks plan" is not claimed, or a dialog shows it`},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Proven(p.Live(), c.unrecorded, c.sessions...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("found %v, want %s", err, c.want)
			}
		})
	}
	all := claimed(p.Live())
	if err := Proven(p.Live(), all); err != nil {
		t.Errorf("what is said to be unrecorded: %v", err)
	}
}

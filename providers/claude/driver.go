package claude

import (
	"strconv"

	"agentrun/ndjson"
	"agentrun/providers"
)

// driver holds a session of the stream-json input mode. The mapper of the
// one-way mode makes the chunks and the verdict of each turn; the driver adds
// what goes the other way: messages, requests and their answers.
type driver struct {
	req    providers.Request
	fields *request
	m      *mapper

	sent    int                   // requests and messages of ours, for their ids
	waiting map[string]reply      // for the CLI's answers to our requests
	asks    map[string]cliRequest // the CLI's requests without an answer, by our names
	names   providers.RequestIDs
	turn    turn
	leave   leave
}

// reply takes the CLI's answer to a request of ours.
type reply func(answer, func(providers.Effect))

func newDriver(r providers.Request) *driver {
	f, _ := r.Fields.(*request)
	if f == nil {
		f = &request{}
	}
	return &driver{
		req: r, fields: f, m: newMapper(r), waiting: map[string]reply{}, asks: map[string]cliRequest{}, names: providers.RequestIDs{},
	}
}

// Open asks for the list of commands, models and so on: its answer says that the CLI is up.
func (d *driver) Open(do func(providers.Effect)) {
	d.request(initialize(d.req.Asks), do, func(_ answer, do func(providers.Effect)) { do(providers.Ready{}) })
}

// Receive takes one line of the CLI.
func (d *driver) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	if d.leave.left {
		do = providers.Unheard(do)
	}
	var err error
	switch kind := typeOf(rec.Raw); kind {
	case "control_request":
		err = d.asked(rec, do)
	case "control_response":
		err = d.answered(rec, do)
	case "control_cancel_request":
		err = d.withdrawn(rec, do)
	case "command_lifecycle":
		err = d.lifecycle(rec, do)
	default:
		d.begins(kind, rec, do)
		if err := d.m.Map(rec, providers.Emitter(do)); err != nil {
			return err
		}
		if kind == "result" {
			d.result(do)
		}
	}
	if err != nil {
		return err
	}
	d.leave.background = d.leave.background || d.m.pending > 0
	d.depart(do)
	return nil
}

// request sends a request of ours; then is called with its answer.
func (d *driver) request(body any, do func(providers.Effect), then reply) {
	id := "agentrun-" + strconv.Itoa(d.next())
	d.waiting[id] = then
	providers.SendLine(controlRequest{"control_request", id, body}, do)
}

func (d *driver) next() int {
	d.sent++
	return d.sent
}

// Close ends stdin when nothing is left to do.
func (d *driver) Close(do func(providers.Effect)) {
	d.leave.wanted = true
	d.depart(do)
}

// Facts are the mapper's.
func (d *driver) Facts() providers.Facts { return d.m.Facts() }

// Verdict is that of the one-way mode, for a session that ended by itself.
func (d *driver) Verdict(exit providers.Exit) providers.Verdict {
	v := d.m.Verdict(exit)
	if v.Err == nil && exit.Signal == "" {
		v.Err = providers.Errorf(providers.Process, providers.ReasonCrash, "claude ended the session with status %d%s", exit.Code, exit.LastWords())
	}
	return v
}

package conformance

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Watched is a driver that is held to the rules of its interface: it passes the
// host's calls on, and notes every breach in what the driver does and returns.
// Its caller keeps the host's own rules (Ready, Runs and Ended say what it needs
// to know). It is a providers.Driver.
type Watched struct {
	driver providers.Driver
	caps   providers.LiveCapabilities

	opened, ready, runs bool

	wild     bool                     // the vendor's lines are made up, and may begin with a turn
	ours     bool                     // Message is under way: no turn of it has begun yet
	aborted  bool                     // the turn that runs
	ended    bool                     // stdin is closed
	open     []providers.AgentRequest // without an answer, in the order they came
	over     []string                 // requests that ended with a turn; the driver may still withdraw them
	asked    map[string]bool          // every request's id
	tools    map[string]bool          // calls without a result
	later    []stream.LiveInput       // that the vendor's answer decides
	progress int
	shown    map[string]bool // capabilities, by their names in claimed
	script   []string        // the session, as Fuzz.Driver plays it
	faults   complaint
}

var _ providers.Driver = (*Watched)(nil)

// Watch holds a fresh driver of the provider to the rules.
func Watch(p providers.Converser, r providers.Request) *Watched {
	return WatchDriver(p.NewDriver(r), p.Live())
}

// WatchDriver holds a driver to the rules that was not used yet.
func WatchDriver(d providers.Driver, c providers.LiveCapabilities) *Watched {
	return &Watched{
		driver: d, caps: c,
		asked: map[string]bool{}, tools: map[string]bool{}, shown: map[string]bool{},
	}
}

// Err joins the breaches so far, each behind the name of its rule.
func (w *Watched) Err() error { return w.faults.err() }

// Ready reports whether the session takes messages.
func (w *Watched) Ready() bool { return w.ready }

// Runs reports whether a turn does.
func (w *Watched) Runs() bool { return w.runs }

// Ended reports whether the driver closed the vendor's stdin.
func (w *Watched) Ended() bool { return w.ended }

// Script is the session so far, as Fuzz plays it.
func (w *Watched) Script() string { return strings.Join(w.script, "\n") }

func (w *Watched) fault(rule, format string, args ...any) {
	w.faults.add("%s: "+format, append([]any{rule}, args...)...)
}

// Open passes the call on.
func (w *Watched) Open(do func(providers.Effect)) {
	w.opened = true
	w.driver.Open(w.watch(do))
}

// Receive passes the call on. An error is one of class protocol, or that of a made-up
// record which does not decode.
func (w *Watched) Receive(rec ndjson.Record, do func(providers.Effect)) error {
	w.script = append(w.script, string(rec.Raw))
	err := w.driver.Receive(rec, w.watch(do))
	e, ok := errors.AsType[*providers.Error](err)
	if ok && e.Class != providers.Protocol || err != nil && !ok && !w.wild {
		w.fault(ruleErrors, "Receive returned %T: %v", err, err)
	}
	return err
}

// Message passes the call on. A turn runs when it is not refused.
func (w *Watched) Message(in stream.LiveInput, do func(providers.Effect)) error {
	w.put("message", in.Text)
	w.ours = true
	err := w.driver.Message(in, w.watch(do))
	w.ours = false
	w.refusal("Message", err)
	if err != nil {
		if w.runs {
			w.fault(ruleTurns, "a turn began by a message that is refused: %v", err)
		}
		return err
	}
	w.runs, w.aborted = true, false
	if slices.ContainsFunc(in.Parts, func(p stream.Part) bool { return p.Type == "image" }) {
		w.shown["images"] = true
	}
	return nil
}

// Steer passes the call on.
func (w *Watched) Steer(in stream.LiveInput, do func(providers.Effect)) error {
	in.Type = stream.LiveSteer
	w.put("steer", in.Text)
	err := w.decide(in, do, w.driver.Steer)
	w.unclaimed("steer", w.caps.Steer, err)
	return err
}

// Update passes the call on.
func (w *Watched) Update(in stream.LiveInput, do func(providers.Effect)) error {
	in.Type = stream.LiveUpdate
	err := w.decide(in, do, w.driver.Update)
	for name, value := range updated(in) {
		w.put(name, value)
		w.unclaimed("update "+name, slices.Contains(w.caps.Update, name), err)
	}
	return err
}

// decide puts an input that the vendor's answer may decide.
func (w *Watched) decide(in stream.LiveInput, do func(providers.Effect), put func(stream.LiveInput, func(providers.Effect)) error) error {
	w.later = append(w.later, in) // a Settle may come before put returns
	waiting := len(w.later)
	err := put(in, w.watch(do))
	switch {
	case errors.Is(err, providers.ErrLater):
		return err
	case len(w.later) < waiting:
		w.fault(ruleSettle, "%s %q was settled, and Driver returned %v", in.Type, in.ID, err)
	default:
		w.later = slices.Delete(w.later, waiting-1, waiting)
	}
	if err == nil {
		w.accepted(in)
	}
	w.refusal(string(in.Type), err, providers.Usage, providers.Unsupported)
	return err
}

// Abort passes the call on, and closes the requests of the turn.
func (w *Watched) Abort(do func(providers.Effect)) error {
	w.put("abort", "")
	err := w.driver.Abort(w.watch(do))
	w.refusal("abort", err, providers.Usage, providers.Unsupported)
	w.unclaimed("abort", w.caps.Abort, err)
	if err == nil {
		w.aborted = true
		w.finish()
	}
	return err
}

// Answer passes the call on, and closes the request.
func (w *Watched) Answer(in stream.LiveInput, do func(providers.Effect)) error {
	w.put(string(in.Action)+in.For, string(in.Data))
	i := w.find(in.RequestID)
	var r providers.AgentRequest
	if i >= 0 {
		r = w.open[i]
		w.open = slices.Delete(w.open, i, i+1) // no answer withdraws its own request
	}
	err := w.driver.Answer(in, w.watch(do))
	w.refusal("Answer", err)
	switch {
	case err == nil && i < 0:
		w.fault(ruleErrors, "an answer to %q, which is not open, is not refused", in.RequestID)
	case err != nil && i >= 0:
		w.open = append(w.open, r)
	case err == nil && in.For == "session":
		w.shown["answers for the session"] = true
	}
	return err
}

// Close passes the call on.
func (w *Watched) Close(do func(providers.Effect)) {
	w.put("close", "")
	w.driver.Close(w.watch(do))
}

// Facts passes the call on. Progress never goes back.
func (w *Watched) Facts() providers.Facts {
	f := w.driver.Facts()
	if f.Progress < w.progress {
		w.fault(ruleFacts, "progress went from %d to %d", w.progress, f.Progress)
	}
	w.progress = f.Progress
	return f
}

// Verdict passes the call on. A vendor that ended with an error status is no success.
func (w *Watched) Verdict(exit providers.Exit) providers.Verdict {
	v := w.driver.Verdict(exit)
	if v.Err == nil && (exit.Code != 0 || exit.Signal != "") {
		w.fault(ruleFacts, "a vendor that ended with %+v is a success", exit)
	}
	return v
}

// refusal holds an error against the type, and the classes if there are any.
func (w *Watched) refusal(call string, err error, classes ...providers.Class) {
	if err == nil {
		return
	}
	e, ok := errors.AsType[*providers.Error](err)
	if !ok || len(classes) > 0 && !slices.Contains(classes, e.Class) {
		w.fault(ruleErrors, "%s is refused by %T %v", call, err, err)
	}
}

// unclaimed is a fault when what is not claimed was not refused.
func (w *Watched) unclaimed(name string, claimed bool, err error) {
	if !claimed && (err == nil || errors.Is(err, providers.ErrLater)) {
		w.fault(ruleClaims, "%s is not claimed and not refused", name)
	}
}

// updated is what an update changes, by name.
func updated(in stream.LiveInput) map[string]string {
	fields := map[string]string{"model": in.Model, "access": in.Access, "effort": in.Effort}
	maps.DeleteFunc(fields, func(_, value string) bool { return value == "" })
	return fields
}

// accepted notes what an accepted input shows.
func (w *Watched) accepted(in stream.LiveInput) {
	if in.Type == stream.LiveSteer {
		w.shown["steer"] = true
		return
	}
	for name := range updated(in) {
		w.shown["update "+name] = true
	}
}

// put notes an input in the script.
func (w *Watched) put(kind, value string) {
	w.script = append(w.script, strings.TrimSpace("> "+kind+" "+strings.ReplaceAll(value, "\n", " ")))
}

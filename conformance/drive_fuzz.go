package conformance

import (
	"slices"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Seeds are the recorded dialogs as Fuzz.Driver plays them: as they are, and with
// every other input put in behind each message.
func (ds Dialogs) Seeds(tb testing.TB) []string {
	tb.Helper()
	var seeds []string
	for _, dir := range recordings(tb, ds.Dir) {
		script := ds.play(tb, dir).script
		var busy []string
		for _, line := range script {
			if busy = append(busy, line); strings.HasPrefix(line, "> message") {
				busy = append(busy, "> steer y", "> model m", "> effort high", "> access edit")
			}
		}
		seeds = append(seeds, strings.Join(script, "\n"), strings.Join(append(busy, "> accept {}", "> abort", "> close"), "\n"))
	}
	return seeds
}

// Fuzz is how a driver is fuzzed: scripts as those of Dialogs.Seeds, and the
// requests of the sessions.
type Fuzz struct {
	Provider providers.Converser
	Seeds    []string
	Requests []providers.Request
}

// Driver finds a script that makes a driver of one of the requests break a rule. A line
// that begins with "> " is an input (message, steer, model, access, effort,
// abort, close; accept, acceptsession, decline and cancel of the first open
// request; alone, which declines each from then on at once). It is put in when
// the host would do so, though messages and the close do not wait for Ready. All
// other lines are the vendor's.
func (z Fuzz) Driver(f *testing.F) {
	f.Helper()
	if len(z.Seeds) == 0 {
		f.Fatal("no seeds")
	}
	for i, seed := range z.Seeds {
		for n := range z.Requests {
			f.Add(seed, n)
		}
		f.Add("> alone\n"+seed, i)
	}
	f.Fuzz(func(t *testing.T, script string, n int) {
		h := &scripted{Watched: Watch(z.Provider, z.Requests[uint(n)%uint(len(z.Requests))])}
		h.wild = true
		h.Open(h.do)
		for line := range strings.Lines(script) {
			if in, ok := strings.CutPrefix(line, "> "); ok {
				h.input(strings.TrimSuffix(in, "\n"))
				continue
			}
			rec, err := ndjson.NewReader(strings.NewReader(line), 1<<20).Next()
			if err == nil && rec.Kind == ndjson.Object {
				_ = h.Receive(rec, h.do) // the host would end the session by an error
			}
			_ = h.Facts()
		}
		_ = h.Verdict(providers.Exit{})
		_ = h.Verdict(providers.Exit{Code: 1})
		if err := h.Err(); err != nil {
			t.Error(err)
		}
	})
}

// scripted gives a driver the inputs of a script when the host would.
type scripted struct {
	*Watched

	alone, closed bool
	told          func(providers.Effect) // takes the effects, unless it is nil
}

func (h *scripted) do(e providers.Effect) {
	if h.told != nil {
		h.told(e)
	}
	if r, ok := e.(providers.AgentRequest); ok && h.alone && h.find(r.ID) >= 0 {
		_ = h.Answer(stream.LiveInput{RequestID: r.ID, Action: stream.Decline, Message: "nobody is there"}, h.do)
	}
}

func (h *scripted) input(line string) {
	kind, rest, _ := strings.Cut(line, " ")
	switch free := !h.Ended() && !h.closed; {
	case kind == "alone":
		h.alone = true
	case h.Ended():
	case kind == "message" && free && !h.Runs():
		_ = h.Message(stream.LiveInput{Type: stream.LiveMessage, ID: "m", Text: rest}, h.do)
	case kind == "steer" && free && h.Runs():
		_ = h.Steer(stream.LiveInput{ID: "s", Text: rest}, h.do)
	case kind == "abort" && h.Runs():
		_ = h.Abort(h.do)
	case kind == "close" && free && !h.Runs():
		h.closed = true
		h.Close(h.do)
	case slices.Contains(h.caps.Update, kind) && free && rest != "":
		h.update(kind, rest)
	default:
		h.answer(kind, rest)
	}
}

func (h *scripted) update(kind, value string) {
	in := stream.LiveInput{ID: "u"}
	switch kind {
	case "model":
		in.Model = value
	case "access":
		in.Access = value
	case "effort":
		in.Effort = value
	}
	_ = h.Update(in, h.do)
}

// answer answers the request that came first.
func (h *scripted) answer(kind, data string) {
	action, session := strings.CutSuffix(kind, "session")
	in := stream.LiveInput{Type: stream.LiveAnswer, Action: stream.Action(action)}
	if len(h.open) == 0 || in.Action != stream.Accept && in.Action != stream.Decline && in.Action != stream.Cancel {
		return
	}
	in.RequestID = h.open[0].ID
	if session && h.caps.Session {
		in.For = "session"
	}
	if in.Action == stream.Accept && ndjson.Valid([]byte(data)) {
		in.Data = ndjson.RawMessage(data)
	}
	_ = h.Answer(in, h.do)
}

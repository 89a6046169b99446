package pi

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// watcher holds a driver to the rules of its interface.
type watcher struct {
	runs, closed bool
	open         map[string]bool
	later        int // inputs that wait for the vendor's answer
	wrong        string
}

func (w *watcher) fail(format string, args ...any) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

func (w *watcher) do(e providers.Effect) {
	switch e := e.(type) {
	case providers.Send:
		if !ndjson.Valid(e.Line) || bytes.ContainsAny(e.Line, "\r\n") || e.Line[0] != '{' {
			w.fail("sent %q", e.Line)
		}
	case providers.CloseStdin:
		w.closed = true
	case providers.Emit:
		if e.Chunk.Type == stream.Result || e.Chunk.Type == stream.Error {
			w.fail("emitted %s", e.Chunk.Type)
		}
	case providers.TurnStart:
		if w.runs {
			w.fail("a turn began within a turn")
		}
		w.runs = true
	case providers.TurnEnd:
		if !w.runs {
			w.fail("a turn ended that did not run")
		}
		if (e.Status == stream.TurnFailed) != (e.Verdict.Err != nil) {
			w.fail("%s with %v", e.Status, e.Verdict.Err)
		}
		w.runs = false
	case providers.AgentRequest:
		if w.open[e.ID] {
			w.fail("request %q twice", e.ID)
		}
		w.open[e.ID] = true
	case providers.Withdraw:
		if !w.open[e.ID] {
			w.fail("withdrew %q, which is not open", e.ID)
		}
		delete(w.open, e.ID)
	case providers.Settle:
		if w.later--; w.later < 0 {
			w.fail("settled what nobody waits for")
		}
	}
}

// input gives the driver an input, by the rules of the host.
func (w *watcher) input(d *driver, line string) {
	kind, rest, _ := strings.Cut(line, " ")
	in := stream.LiveInput{Text: rest, Model: rest, Action: stream.Accept}
	switch {
	case w.closed:
	case kind == "message" && !w.runs:
		if d.Message(in, w.do) == nil {
			w.runs = true
		}
	case kind == "steer" && w.runs:
		w.wait(func() error { return d.Steer(in, w.do) })
	case kind == "abort" && w.runs:
		_ = d.Abort(w.do)
	case kind == "update":
		w.wait(func() error { return d.Update(in, w.do) })
	case kind == "answer":
		w.answer(d, in)
	case kind == "close" && !w.runs:
		d.Close(w.do)
	}
}

// wait counts an input as one that is settled later, unless it is refused.
func (w *watcher) wait(put func() error) {
	w.later++
	if _, refused := put().(*providers.Error); refused { //nolint:errorlint // the interface promises the type
		w.later--
	}
}

func (w *watcher) answer(d *driver, in stream.LiveInput) {
	for id := range w.open {
		in.RequestID, in.Data = id, ndjson.RawMessage(in.Text)
		if !ndjson.Valid(in.Data) {
			in.Action, in.Data = stream.Cancel, nil
		}
		delete(w.open, id) // the host closes it
		if d.Answer(in, w.do) != nil {
			w.open[id] = true
		}
		return
	}
}

// FuzzDriver: no dialog makes the driver break the rules of its interface. Lines
// that begin with "> " are inputs, all others pi's; $N is the id of our command N.
func FuzzDriver(f *testing.F) {
	paths, err := filepath.Glob("testdata/live/*/dialog.txt")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no dialogs: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		var b strings.Builder
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "< "):
				b.WriteString(line[2:])
			case strings.Contains(line, `"abort"`):
				b.WriteString("> abort\n")
			case strings.Contains(line, `ui_response"`):
				b.WriteString("> answer {\"value\":\"b\"}\n")
			default:
				b.WriteString("> message x\n> steer y\n> update m\n")
			}
		}
		f.Add(b.String()+"> close\n", strings.Contains(path, "old-"))
	}
	f.Add(strings.Join([]string{
		"> message a", "> steer b", startedLine, agentStart, toolLine, gateLine, "> answer x", answerLine, oldEnd, settledLine, "> close",
	}, "\n"), true)
	f.Fuzz(func(t *testing.T, dialog string, old bool) {
		r := providers.Request{Fields: New().NewFields(), Dir: "/run", Deltas: true, Asks: true, Version: newest}
		if old {
			r.Version = oldest
		}
		d := newDriver(r)
		w := &watcher{open: map[string]bool{}}
		d.Open(w.do)
		for line := range strings.Lines(dialog) {
			if in, ok := strings.CutPrefix(line, "> "); ok {
				w.input(d, strings.TrimSuffix(in, "\n"))
				continue
			}
			line = strings.ReplaceAll(line, `"$`, `"agentrun-`)
			rec, err := ndjson.NewReader(strings.NewReader(line), 1<<20).Next()
			if err == nil && rec.Kind == ndjson.Object {
				_ = d.Receive(rec, w.do)
			}
			_ = d.Facts()
		}
		_ = d.Verdict(providers.Exit{})
		if w.wrong != "" {
			t.Error(w.wrong)
		}
	})
}

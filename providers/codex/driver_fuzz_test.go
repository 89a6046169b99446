package codex_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

// watcher holds a driver to the rules of its interface.
type watcher struct {
	runs, closed bool
	open         map[string]bool
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
		if !ndjson.Valid(e.Line) || bytes.ContainsAny(e.Line, "\r\n") {
			w.fail("sent %q", e.Line)
		}
	case providers.CloseStdin:
		w.closed = true
	case providers.Emit:
		w.emitted(e.Chunk)
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
	}
}

func (w *watcher) emitted(c stream.Chunk) {
	switch c.Type {
	case stream.Result, stream.Error:
		w.fail("emitted %s", c.Type)
	case stream.Text, stream.Thinking:
		if c.Content == "" {
			w.fail("an empty %s", c.Type)
		}
	case stream.System:
		if c.Metadata == nil || c.Metadata.Notice == "" {
			w.fail("a system chunk without a notice")
		}
	case stream.ToolUse, stream.ToolResult:
		if c.ToolName == "" && c.ToolID == "" {
			w.fail("a tool without a name")
		}
	}
}

// input gives the driver an input, by the rules of the host.
func (w *watcher) input(d providers.Driver, line string) {
	kind, rest, _ := strings.Cut(line, " ")
	switch in := (stream.LiveInput{Text: rest, Model: rest, Action: stream.Accept}); {
	case w.closed:
	case kind == "message" && !w.runs:
		if d.Message(in, w.do) == nil {
			w.runs = true
		}
	case kind == "steer" && w.runs:
		_ = d.Steer(in, w.do)
	case kind == "abort" && w.runs:
		_ = d.Abort(w.do)
	case kind == "update":
		_ = d.Update(in, w.do)
	case kind == "answer":
		w.answer(d, in)
	case kind == "close" && !w.runs:
		d.Close(w.do)
	}
}

func (w *watcher) answer(d providers.Driver, in stream.LiveInput) {
	for id := range w.open {
		in.RequestID, in.Data = id, ndjson.RawMessage(in.Text)
		if !ndjson.Valid(in.Data) {
			in.Action, in.Data = stream.Cancel, nil
		}
		if d.Answer(in, w.do) == nil {
			delete(w.open, id)
		}
		return
	}
}

// FuzzDriver: no dialog makes the driver break the rules of its interface. Lines
// that begin with "> " are inputs, all others the server's.
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
			case strings.Contains(line, `"turn/interrupt"`):
				b.WriteString("> abort\n")
			case strings.Contains(line, `"result"`):
				b.WriteString("> answer {}\n")
			case strings.Contains(line, `"turn/`):
				b.WriteString("> message x\n> steer y\n> update m\n")
			}
		}
		f.Add(b.String() + "> close\n")
	}
	f.Fuzz(func(t *testing.T, dialog string) {
		d := codex.New().(providers.Converser).NewDriver(providers.Request{Fields: codex.New().NewFields(), Dir: "/run", Deltas: true})
		w := &watcher{open: map[string]bool{}}
		d.Open(w.do)
		for line := range strings.Lines(dialog) {
			if in, ok := strings.CutPrefix(line, "> "); ok {
				w.input(d, strings.TrimSuffix(in, "\n"))
				continue
			}
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

package acp

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// legal holds the effects of a driver against what the host relies on.
type legal struct {
	t       *testing.T
	ready   bool
	running bool
	ended   int
	tools   map[string]bool // calls that are open
	asks    map[string]bool // requests that are open
}

func (l *legal) do(e providers.Effect) {
	switch e := e.(type) {
	case providers.Send:
		if !ndjson.Valid(e.Line) || bytes.ContainsRune(e.Line, '\n') {
			l.t.Errorf("sent %q", e.Line)
		}
	case providers.Emit:
		l.chunk(e.Chunk)
	case providers.Ready:
		if l.ready {
			l.t.Error("ready twice")
		}
		l.ready = true
	case providers.AgentRequest:
		if l.asks[e.ID] || e.ID == "" || e.Kind == "" {
			l.t.Errorf("request %q of kind %q", e.ID, e.Kind)
		}
		l.asks[e.ID] = true
	case providers.Withdraw:
		if !l.asks[e.ID] {
			l.t.Errorf("%q is withdrawn and not open", e.ID)
		}
		delete(l.asks, e.ID)
	case providers.TurnEnd:
		if !l.running {
			l.t.Error("a turn ended that did not run")
		}
		if (e.Status == stream.TurnFailed) != (e.Verdict.Err != nil) {
			l.t.Errorf("status %s and error %v", e.Status, e.Verdict.Err)
		}
		l.running = false
		l.ended++
	}
}

func (l *legal) chunk(c stream.Chunk) {
	switch c.Type {
	case stream.ToolUse:
		if l.tools[c.ToolID] || c.ToolName == "" || c.ToolID == "" {
			l.t.Errorf("call %q of %q", c.ToolID, c.ToolName)
		}
		l.tools[c.ToolID] = true
	case stream.ToolResult:
		if !l.tools[c.ToolID] {
			l.t.Errorf("a result of %q, which is not open", c.ToolID)
		}
		delete(l.tools, c.ToolID)
	case stream.Result, stream.Error:
		l.t.Errorf("a driver emitted %s", c.Type)
	case stream.System, stream.Thinking, stream.Text:
	}
}

// FuzzDriver: whatever an agent prints and people put in, the effects are legal.
// Each byte of inputs is what is put in before the record of that number.
func FuzzDriver(f *testing.F) {
	paths, err := filepath.Glob("testdata/recordings/*/stdout.jsonl")
	if err != nil || len(paths) == 0 {
		f.Fatal(paths, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, []byte("..m....a..d..x....m"))
		f.Add(data, []byte("..m...s.u..c"))
	}
	f.Fuzz(func(t *testing.T, out, inputs []byte) {
		d := NewDriver(Session{Agent: "agent", Cwd: "/repo"})
		l := &legal{t: t, tools: map[string]bool{}, asks: map[string]bool{}}
		d.Open(l.do)
		lines := ndjson.NewReader(bytes.NewReader(out), 0)
		for i := 0; ; i++ {
			rec, err := lines.Next()
			if err == io.EOF || err != nil { //nolint:errorlint // as Reader.Next says
				break
			}
			if i < len(inputs) {
				l.put(d, inputs[i])
			}
			if rec.Kind == ndjson.Object {
				_ = d.Receive(rec, l.do) // the host ends the session by it
			}
		}
		if v := d.Verdict(providers.Exit{Code: 1}); v.Err == nil {
			t.Error("a session that ended by itself is a success")
		}
		_ = fmt.Sprint(d.Facts())
	})
}

// put puts an input in as the host would, which checks first.
func (l *legal) put(d providers.Driver, in byte) {
	first := ""
	for id := range l.asks {
		if first == "" || id < first {
			first = id
		}
	}
	answers := map[byte]stream.Action{'a': stream.Accept, 'd': stream.Decline, 'x': stream.Cancel}
	switch {
	case in == 'm' && l.ready && !l.running:
		if d.Message(stream.LiveInput{Text: "hi"}, l.do) == nil {
			l.running = true
		}
	case in == 's' && l.running:
		if d.Abort(l.do) == nil {
			clear(l.asks)
		}
	case in == 'u' && l.ready:
		_ = d.Update(stream.LiveInput{Model: "m"}, l.do)
	case in == 'c' && l.ready && !l.running:
		d.Close(l.do)
	case answers[in] != "" && first != "":
		delete(l.asks, first) // the host does so behind the answer, and no answer withdraws itself
		if err := d.Answer(stream.LiveInput{RequestID: first, Action: answers[in]}, l.do); err != nil {
			l.asks[first] = true
		}
	}
}

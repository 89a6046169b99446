package conformance

import (
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/stream"
)

// realForms runs the other forms of stdout.
func realForms(t *testing.T, vendors []vendor) {
	t.Helper()
	t.Run("deltas", func(t *testing.T) { each(t, vendors, realDeltas) })
	t.Run("result", func(t *testing.T) { each(t, vendors, realResult) })
}

// realDeltas: the pieces make up the text that comes without --deltas.
func realDeltas(t *testing.T, v vendor) {
	t.Helper()
	const said = "Grüße, 世界! " // streamed character by character
	w := newWorld(t)
	h := listen(w.stream(v.args("unicode", helloPrompt, "--deltas")...).chunks)
	whole := listen(newWorld(t).stream(v.args("unicode", helloPrompt)...).chunks)
	same(t, "text of the pieces", whole.text.String(), h.text.String())
	if !strings.HasPrefix(h.text.String(), said) {
		t.Errorf("text: %q", h.text.String())
	}
}

// realResult: --output result prints one object, whose text is the last answer alone.
func realResult(t *testing.T, v vendor) {
	t.Helper()
	w := newWorld(t)
	args := append([]string{"run", "--output", "result"}, v.args("tool", helloPrompt, v.shell...)...)
	out := w.run(args...)
	if err := Valid("result", out.stdout); err != nil {
		t.Error(err)
	}
	var got stream.OneShot
	if err := ndjson.Unmarshal(out.stdout, &got); err != nil {
		t.Fatalf("%v: %s\n%s", err, out.stdout, out.stderr)
	}
	same(t, "exit status", 0, out.status)
	same(t, "result", "The command said: mock tool output", strings.TrimSuffix(got.Result, "\n"))
	if got.SessionID == nil || got.Error != nil {
		t.Errorf("session %v, error %v", got.SessionID, got.Error)
	}
}

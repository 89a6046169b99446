//go:build real

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
	for scenario, begins := range map[string]string{"unicode": said, "think": "I thought about it: "} {
		h := listen(newWorld(t).stream(v.args(scenario, helloPrompt, "--deltas")...).chunks)
		whole := listen(newWorld(t).stream(v.args(scenario, helloPrompt)...).chunks)
		same(t, "text of the pieces", whole.text.String(), h.text.String())
		same(t, "thinking of the pieces", whole.thought.String(), h.thought.String())
		if !strings.HasPrefix(h.text.String(), begins) {
			t.Errorf("text: %q", h.text.String())
		}
		if v.can.EmitsDeltas != (h.pieces > 0) {
			t.Errorf("%s: deltas claimed: %v, got %d", scenario, v.can.EmitsDeltas, h.pieces)
		}
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

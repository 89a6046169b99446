//go:build real

package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"agentrun/providers"
)

// TestRealSchema: a model that gives a value that does not fit the schema fails
// the run, whatever its CLI makes of it.
func TestRealSchema(t *testing.T) {
	each(t, realVendors(t), func(t *testing.T, v vendor) {
		t.Helper()
		t.Helper()
		if v.can.StructuredOutput == "" {
			return
		}
		w := newWorld(t)
		script := filepath.Join(w.home, "script.json")
		if err := os.WriteFile(script, []byte(`{"turns":[{"parts":[{"answer_json":{"name":7}}]}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
		out := w.stream(v.args(script, helloPrompt, "--timeout", "90s", "--schema", magicSchema)...)
		same(t, "exit status", providers.StructuredOutput.ExitStatus(), out.status)
		same(t, "class", string(providers.StructuredOutput), listen(out.chunks).meta.Class)
	})
}

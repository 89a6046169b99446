//go:build real

package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// TestRealTelemetry runs each real CLI with the embedded model and a stand-in for
// an OTLP receiver: there is a span of the run, its turn and its tool call, and
// the vendor's tool sees the run's span as its parent.
func TestRealTelemetry(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.json")
	if err := os.WriteFile(script, []byte(`{"turns":[{"parts":[{"shell":"echo parent $TRACEPARENT"}]},{"parts":[{"text":"It said {{tool_output}}"}]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	titles := map[string]string{"claude": "Claude Code", "codex": "OpenAI Codex CLI", "gemini": "Gemini CLI", "pi": "pi coding agent"}
	for vendor, title := range titles {
		t.Run(vendor, func(t *testing.T) {
			var mu sync.Mutex
			got := map[string]string{}
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
				body, _ := io.ReadAll(q.Body)
				mu.Lock()
				defer mu.Unlock()
				got[q.URL.Path] += string(body)
			}))
			defer server.Close()
			dir := t.TempDir()
			c := exec.CommandContext(t.Context(), "agentrun", "run", vendor, "go", "--access", "full", "--env", "IS_SANDBOX=1", "--no-config", "--mock="+script)
			c.Dir = dir
			c.Env = []string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir,
				"AGENTRUN_" + strings.ToUpper(vendor) + "_BIN=" + pinnedBinary(t, vendor, vendor),
				"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, "TRACEPARENT=00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
			}
			out, err := c.CombinedOutput()
			if err != nil || strings.Contains(string(out), "warning: telemetry") {
				t.Fatalf("%v\n%s", err, out)
			}
			mu.Lock()
			defer mu.Unlock()
			traces := got["/v1/traces"]
			run := regexp.MustCompile(`"spanId":"([0-9a-f]{16})","parentSpanId":"0123456789abcdef","name":"invoke_agent ` + title).FindStringSubmatch(traces)
			if run == nil {
				t.Fatalf("no span of the run: %s", traces)
			}
			for _, want := range []string{`"parentSpanId":"` + run[1] + `","name":"turn 1"`, `"name":"execute_tool `, `"gen_ai.usage.input_tokens"`} {
				if !strings.Contains(traces, want) {
					t.Errorf("no %s in %s", want, traces)
				}
			}
			if !strings.Contains(got["/v1/metrics"], "gen_ai.client.token.usage") {
				t.Errorf("no tokens in %s", got["/v1/metrics"])
			}
			if want := "parent 00-0123456789abcdef0123456789abcdef-" + run[1] + "-01"; !strings.Contains(string(out), want) {
				t.Errorf("the vendor's tool does not see %q:\n%s", want, out)
			}
		})
	}
}

//go:build real

package cmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentrun/stream"
)

// TestRealDialects holds a live session of one message with each real CLI in both
// dialects: each line fits the schema, and there is the message, the tool call,
// its result and the end of the turn.
func TestRealDialects(t *testing.T) {
	for dialect, wants := range map[string][]string{
		"agent-events": {`"type":"initialize"`, `"role":"user"`, `"type":"tool_request"`, `"type":"tool_response"`, `"reason":"completed"`, `"kind":"session_end"`},
		"session":      {`"session-control-changed"`, `"role":"user"`, `"tool-call-start"`, `"tool-call-end"`, `"status":"completed"`, `"the session has ended"`},
	} {
		schema := compileSchema(t, dialect)
		for _, vendor := range []string{"claude", "codex", "gemini", "pi"} {
			t.Run(dialect+" "+vendor, func(t *testing.T) {
				dir := t.TempDir()
				c := exec.CommandContext(t.Context(), "agentrun", "live", vendor, "--access", "full", "--env", "IS_SANDBOX=1", "--no-config", "--mock=tool", "-o", dialect)
				c.Dir = dir
				c.Stdin = strings.NewReader(`{"type":"message","id":"1","text":"run it"}`)
				c.Env = []string{
					"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "XDG_CACHE_HOME=" + dir, "XDG_STATE_HOME=" + dir,
					"AGENTRUN_" + strings.ToUpper(vendor) + "_BIN=" + pinnedBinary(t, vendor, vendor),
				}
				out, err := c.Output()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				for line := range strings.Lines(string(out)) {
					v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
					if err != nil {
						t.Fatal(err)
					}
					if err := schema.Validate(v); err != nil {
						t.Errorf("%v\n%s", err, line)
					}
				}
				for _, want := range wants {
					if !bytes.Contains(out, []byte(want)) {
						t.Errorf("no %s in\n%s", want, out)
					}
				}
			})
		}
	}
}

func compileSchema(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, _ := stream.Schema(name)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

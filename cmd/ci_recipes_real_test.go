//go:build real

package cmd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRealRecipes runs the offline recipe with the real CLI and the embedded model.
func TestRealRecipes(t *testing.T) {
	bin, err := filepath.Abs("../.tools/vendors/claude/bin")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	j := newJob(t, []string{bin}, nil)
	if !j.run(steps(recipes(t)["Test the pipeline"]), &scope{outputs: map[string]map[string]string{}}) {
		t.Errorf("the job failed:\n%s", &j.log)
	}
	script := `{"turns":[{"parts":[{"shell":"printf '::add-path::/evil\\n##[set-env name=A]b\\n'"}]},{"parts":[{"text":"::set-output name=verdict::ok\nand {{tool_output}}"}]}]}`
	if err := os.WriteFile(filepath.Join(j.workspace, "hostile.json"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	j.commands = nil
	if _, ok := j.shell(`agentrun run --mock=hostile.json claude "hello" --allow-tool Bash --ci auto --output text`, j.workspace, nil, ""); !ok {
		t.Errorf("failed:\n%s", &j.log)
	}
	if want := []string{"group", "endgroup"}; !slices.Equal(j.commands, want) {
		t.Errorf("the runner was told to %q, want %q:\n%s", j.commands, want, &j.log)
	}
	if !strings.Contains(j.log.String(), "\n: :add-path::/evil\n") {
		t.Errorf("the tool did not run:\n%s", &j.log)
	}
}

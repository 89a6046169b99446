package claude

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

func TestLiveCommand(t *testing.T) {
	provider := New().(providers.Converser)
	for _, c := range []struct {
		name   string
		fields []string
		args   []string
	}{
		{"defaults", nil, args("--permission-prompt-tool", "stdio")},
		{"access", []string{"access=edit", "model=opus", "max_turns=3"}, args("--permission-prompt-tool", "stdio", "--permission-mode", "acceptEdits", "--model", "opus", "--max-turns", "3")},
		{"an MCP tool answers", []string{"permission_prompt_tool=mcp__a__ask"}, args("--permission-prompt-tool", "mcp__a__ask")},
		{"nobody answers", []string{"permission_prompts=none"}, args("--permission-prompts", "none")},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := provider.LiveCommand(requestOf(t, "", c.fields...))
			if err != nil {
				t.Fatal(err)
			}
			want := providers.Command{Args: c.args, SetEnv: []string{
				"CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_TMPDIR=/run/r1", "CLAUDE_CODE_MAX_RETRIES=5",
				"CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS=1",
			}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLiveCommandRefuses(t *testing.T) {
	provider := New().(providers.Converser)
	for name, r := range map[string]providers.Request{
		"a prompt":        requestOf(t, "hi"),
		"an image":        requestOf(t, "", "image=a.png"),
		"a bad session":   requestOf(t, "", "resume=latest"),
		"a vendor's flag": {Fields: New().NewFields(), VendorArgs: []string{"--permission-prompt-tool", "x"}},
		"foreign fields":  {Fields: &struct{}{}},
	} {
		_, err := provider.LiveCommand(r)
		if e, ok := errors.AsType[*providers.Error](err); !ok || e.Class != providers.Usage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

package codex_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/providers/codex"
)

func TestLiveCommand(t *testing.T) {
	r := request(t, "",
		"model=gpt-6-sol", "effort=high", "reasoning_summary=detailed", "verbosity=low", "service_tier=fast", "access=edit", "approval=on-request",
		"network=true", "add_dir=/srv/a", "web_search=cached", "no_shell=true", "tool_env=core", "hide_secrets=true",
		"system=Be brief.", "append_system=Say.", "no_project_doc=true", `schema={"type":"object"}`, "plan=true",
		`mcp_config={"mcpServers":{"echo":{"command":"/bin/echo"}}}`, "mcp_required=true", "resume="+thread, "ephemeral=true",
		"skip_git_repo_check=true", "strict_config=true", "enable=goals", "disable=plugins", "config=hide_agent_reasoning=true",
	)
	r.VendorArgs = []string{"--skip-git-repo-check", "-c", "analytics.enabled=false"}
	got, err := codex.New().(providers.Converser).LiveCommand(r)
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Command{
		Args: []string{
			"app-server", "--strict-config", "--enable", "goals", "--disable", "plugins", "-c", "hide_agent_reasoning=true",
			"-c", `model_reasoning_effort="high"`, "-c", `model_reasoning_summary="detailed"`, "-c", `model_verbosity="low"`, "-c", `service_tier="fast"`,
			"-c", `web_search="cached"`, "-c", `shell_environment_policy.inherit="core"`, "-c", `developer_instructions="Say."`,
			"-c", "sandbox_workspace_write.network_access=true", "-c", "shell_environment_policy.ignore_default_excludes=false",
			"-c", "project_doc_max_bytes=0", "-c", "tools.update_plan.enabled=true", "--disable", "shell_tool",
			"-c", `mcp_servers.echo={command="/bin/echo",required=true}`, "-c", `model_instructions_file="/run/7/system.md"`,
			"--disable", "unbounded_connection_retries", "-c", "analytics.enabled=false",
		},
		Files: []providers.File{{Name: "system.md", Content: []byte("Be brief.")}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r.Asks = true
	got, err = codex.New().(providers.Converser).LiveCommand(r)
	if err == nil {
		t.Errorf("a policy and approval=on-request: %q", got.Args)
	}
}

func TestLiveRefusals(t *testing.T) {
	policy := func(r *providers.Request) { r.Asks = true }
	tests := []struct {
		name   string
		set    []string
		change func(*providers.Request)
		class  providers.Class
	}{
		{"prompt", nil, func(r *providers.Request) { r.Prompt = "hi" }, providers.Usage},
		{"image", []string{"image=/a.png"}, nil, providers.Usage},
		{"review", []string{"review=uncommitted"}, nil, providers.Unsupported},
		{"continue", []string{"continue=true"}, nil, providers.Unsupported},
		{"trust", []string{"trust=true"}, nil, providers.Unsupported},
		{"worktree", []string{"worktree=true"}, nil, providers.Unsupported},
		{"profile", []string{"profile=ci"}, nil, providers.Unsupported},
		{"not an id", []string{"resume=last"}, nil, providers.Usage},
		{"network without access", []string{"network=true"}, nil, providers.Usage},
		{"bypass under a policy", []string{"bypass=true"}, policy, providers.Unsupported},
		{"reviewer under a policy", []string{"approve_for_me=true"}, policy, providers.Unsupported},
		{"approved servers under a policy", []string{`mcp_config={"mcpServers":{"echo":{"command":"/bin/echo"}}}`, "mcp_approve=true"}, policy, providers.Unsupported},
		{"never asked under a policy", []string{"approval=never"}, policy, providers.Unsupported},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, "", tt.set...)
			if tt.change != nil {
				tt.change(&r)
			}
			_, err := codex.New().(providers.Converser).LiveCommand(r)
			var e *providers.Error
			if !errors.As(err, &e) || e.Class != tt.class {
				t.Errorf("got %v, want class %s", err, tt.class)
			}
		})
	}
	if _, err := codex.New().Command(request(t, "hi", "approval=untrusted")); err == nil {
		t.Error("codex exec, which never asks, took approval")
	}
}

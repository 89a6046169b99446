package codex_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
	"agentrun/providers/codex"
)

const thread = "01a22c87-88f4-73a3-bcc6-c990bdbfd65f"

// request fills in a request from NAME=VALUE.
func request(tb testing.TB, prompt string, set ...string) providers.Request {
	tb.Helper()
	r := providers.Request{
		Prompt: prompt, Fields: codex.New().NewFields(), Set: map[string]bool{}, Cwd: "/repo", Dir: "/run/7",
		Env: func(string) string { return "" }, NoFence: map[string]bool{},
	}
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		if err := providers.SetField(r.Fields, name, value); err != nil {
			tb.Fatal(err)
		}
		r.Set[name] = true
	}
	return r
}

func command(t *testing.T, r providers.Request) providers.Command {
	t.Helper()
	cmd, err := codex.New().Command(r)
	if err != nil {
		t.Fatal(err)
	}
	return cmd
}

func TestCommandDefaults(t *testing.T) {
	got := command(t, request(t, "hi"))
	want := providers.Command{
		Args:      []string{"exec", "--json", "--sandbox", "read-only", "--disable", "unbounded_connection_retries", "-"},
		Stdin:     []byte("hi"),
		EndSignal: providers.EndInt,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func everything(t *testing.T) providers.Request {
	t.Helper()
	r := request(
		t, "-@/ go",
		"model=gpt-6-sol", "effort=high", "reasoning_summary=detailed", "verbosity=low", "service_tier=fast",
		"access=edit", "network=true", "add_dir=/srv/a", "add_dir=/srv/b", "web_search=cached", "no_shell=true", "tool_env=core", "hide_secrets=true",
		"system=Be brief.", "append_system=Say \"please\".\n", "no_project_doc=true", `schema={"type":"object"}`, "image=/repo/a b.png", "plan=true",
		`mcp_config={"mcpServers":{"docs":{"type":"http","url":"https://example.test/mcp","headers":{"X-Team":"a.b"}},"echo":{"command":"/bin/echo","args":["x"],"env":{"A":"1"}}}}`,
		"mcp_approve=true", "mcp_required=true",
		"resume="+thread, "ephemeral=true", "skip_git_repo_check=true", "trust=true", "worktree=true", "profile=ci",
		"ignore_user_config=true", "ignore_rules=true", "strict_config=true", "oss=true", "local_provider=ollama",
		"enable=goals", "disable=plugins", "config=hide_agent_reasoning=true",
	)
	r.VendorArgs = []string{"--color", "never"}
	return r
}

func TestCommandEverything(t *testing.T) {
	r := everything(t)
	got := command(t, r)
	want := providers.Command{
		Args: []string{
			"exec", "--json", "--model", "gpt-6-sol", "--add-dir", "/srv/a", "--add-dir", "/srv/b", "--ephemeral", "--skip-git-repo-check",
			"--trust", "--worktree", "--profile", "ci", "--ignore-user-config", "--ignore-rules", "--strict-config", "--oss", "--local-provider", "ollama",
			"--enable", "goals", "--disable", "plugins", "-c", "hide_agent_reasoning=true",
			"--sandbox", "workspace-write",
			"-c", `model_reasoning_effort="high"`, "-c", `model_reasoning_summary="detailed"`, "-c", `model_verbosity="low"`, "-c", `service_tier="fast"`,
			"-c", `web_search="cached"`, "-c", `shell_environment_policy.inherit="core"`, "-c", `developer_instructions="Say \"please\".\n"`,
			"-c", "sandbox_workspace_write.network_access=true", "-c", "shell_environment_policy.ignore_default_excludes=false",
			"-c", "project_doc_max_bytes=0", "-c", "tools.update_plan.enabled=true", "--disable", "shell_tool",
			"-c", `mcp_servers.docs={default_tools_approval_mode="approve",http_headers={X-Team="a.b"},required=true,url="https://example.test/mcp"}`,
			"-c", `mcp_servers.echo={args=["x"],command="/bin/echo",default_tools_approval_mode="approve",env={A="1"},required=true}`,
			"-c", `model_instructions_file="/run/7/system.md"`, "--output-schema", "/run/7/schema.json", "--image=/repo/a b.png",
			"--disable", "unbounded_connection_retries", "--color", "never", "resume", thread, "-",
		},
		Stdin: []byte("-@/ go"),
		Files: []providers.File{
			{Name: "system.md", Content: []byte("Be brief.")},
			{Name: "schema.json", Content: []byte(`{"type":"object"}`)},
		},
		EndSignal: providers.EndInt,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// What cannot go with the others, each in TestCommandVariants or TestLiveCommand.
	apart := map[string]bool{"approval": true, "approve_for_me": true, "bypass": true, "continue": true, "fork": true, "review": true}
	for _, f := range providers.FieldsOf(r.Fields) {
		if !r.Set[f.Name] && !apart[f.Name] {
			t.Errorf("field %s is not in this test", f.Name)
		}
	}
}

func TestCommandVariants(t *testing.T) {
	const end = " --disable unbounded_connection_retries"
	tests := []struct {
		name, prompt string
		set          []string
		change       func(*providers.Request)
		want         string // Args, joined
		stdin        string
	}{
		{"full access", "hi", []string{"access=full"}, nil, "exec --json --sandbox danger-full-access" + end + " -", "hi"},
		{"bypass", "hi", []string{"bypass=true"}, nil, "exec --json --dangerously-bypass-approvals-and-sandbox" + end + " -", "hi"},
		{"reviewer", "hi", []string{"approve_for_me=true"}, nil, "exec --json --approve-for-me" + end + " -", "hi"},
		{"resume", "hi", []string{"resume=" + thread}, nil, "exec --json --sandbox read-only" + end + " resume " + thread + " -", "hi"},
		{"fork", "hi", []string{"resume=" + thread, "fork=true"}, nil, "exec --json --sandbox read-only" + end + " fork " + thread + " -", "hi"},
		{"continue", "hi", []string{"continue=true"}, nil, "exec --json --sandbox read-only" + end + " resume --last -", "hi"},
		{"review by prompt", "hi", []string{"review=prompt"}, nil, "exec --json --sandbox read-only" + end + " review -", "hi"},
		{"review of a branch", "", []string{"review=base:main"}, nil, "exec --json --sandbox read-only" + end + " review --base main", ""},
		{"review of a commit", "", []string{"review=commit:HEAD~1"}, nil, "exec --json --sandbox read-only" + end + " review --commit HEAD~1", ""},
		{"review of what is there", "", []string{"review=uncommitted"}, nil, "exec --json --sandbox read-only" + end + " review --uncommitted", ""},
		{"byte order mark", "\ufeffhi", nil, nil, "exec --json --sandbox read-only" + end + " -", "\ufeff\ufeffhi"},
		{"no fences", "\ufeffhi", nil, func(r *providers.Request) {
			r.NoFence = map[string]bool{"kept-bom": true, "stated-sandbox": true, "bounded-reconnects": true}
		}, "exec --json -", "\ufeffhi"},
		{"access without the fence", "hi", []string{"access=read-only"}, func(r *providers.Request) {
			r.NoFence = map[string]bool{"stated-sandbox": true}
		}, "exec --json --sandbox read-only" + end + " -", "hi"},
		{"the sandbox by vendor argument", "hi", nil, func(r *providers.Request) {
			r.VendorArgs = []string{"-s", "workspace-write"}
		}, "exec --json" + end + " -s workspace-write -", "hi"},
		{
			"endless reconnects asked for", "hi",
			[]string{"enable=unbounded_connection_retries"},
			nil,
			"exec --json --enable unbounded_connection_retries --sandbox read-only -", "hi",
		},
		{"before the feature", "hi", nil, func(r *providers.Request) { r.Version = "0.144.0" }, "exec --json --sandbox read-only -", "hi"},
		{"since the feature", "hi", nil, func(r *providers.Request) { r.Version = "0.150.0" }, "exec --json --sandbox read-only" + end + " -", "hi"},
		{"git check skipped twice", "hi", []string{"skip_git_repo_check=true"}, func(r *providers.Request) {
			r.VendorArgs = []string{"--skip-git-repo-check"}
		}, "exec --json --sandbox read-only" + end + " --skip-git-repo-check -", "hi"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.prompt, tt.set...)
			if tt.change != nil {
				tt.change(&r)
			}
			got := command(t, r)
			if diff := cmp.Diff(tt.want, strings.Join(got.Args, " ")); diff != "" {
				t.Errorf("args -want +got:\n%s", diff)
			}
			if string(got.Stdin) != tt.stdin {
				t.Errorf("stdin: want %q, got %q", tt.stdin, got.Stdin)
			}
			if tt.prompt == "" && got.Stdin != nil {
				t.Error("without a prompt stdin must be /dev/null")
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	long := strings.Repeat("é", 1<<20+1)
	tests := []struct {
		name, prompt string
		set          []string
		version      string
		class        providers.Class
		reason, want string
	}{
		{"no prompt", "", nil, "", providers.Usage, "empty_prompt", "empty"},
		{"blanks", " \t\n", nil, "", providers.Usage, "empty_prompt", "empty"},
		{"only a byte order mark", "\ufeff\n", nil, "", providers.Usage, "empty_prompt", "empty"},
		{"not UTF-8", "a\xff", nil, "", providers.Usage, "", "UTF-8"},
		{"too long", long, nil, "", providers.Usage, "prompt_too_long", "1048577 characters, and codex takes 1048576"},
		{"two kinds of access", "x", []string{"access=edit", "bypass=true"}, "", providers.Usage, "", "exclude each other"},
		{"reviewer and sandbox", "x", []string{"access=edit", "approve_for_me=true"}, "", providers.Usage, "", "exclude each other"},
		{"two sessions", "x", []string{"resume=" + thread, "continue=true"}, "", providers.Usage, "", "exclude each other"},
		{"a name, not an id", "x", []string{"resume=my-thread"}, "", providers.Usage, "", "not the id"},
		{"an id in capitals", "x", []string{"resume=" + strings.ToUpper(thread)}, "", providers.Usage, "", "not the id"},
		{"fork of nothing", "x", []string{"fork=true"}, "", providers.Usage, "", "--resume"},
		{"fork of the newest", "x", []string{"fork=true", "continue=true"}, "", providers.Unsupported, "", "cannot fork the newest"},
		{"fork too early", "x", []string{"fork=true", "resume=" + thread}, "0.144.0", providers.Unsupported, "vendor_too_old", "0.150.0"},
		{"trust too early", "x", []string{"trust=true"}, "0.168.0", providers.Unsupported, "vendor_too_old", "0.169.0"},
		{"folder of no use", "x", []string{"add_dir=/srv"}, "", providers.Usage, "", "does nothing with access read-only"},
		{"network of no use", "x", []string{"network=true"}, "", providers.Usage, "", "does nothing with access read-only"},
		{"image with a comma", "x", []string{"image=/a,b.png"}, "", providers.Usage, "", "comma"},
		{"a flag for a model", "x", []string{"model=--trust"}, "", providers.Usage, "", "dash"},
		{"empty model", "x", []string{"model="}, "", providers.Usage, "", "empty"},
		{"config without a value", "x", []string{"config=novalue"}, "", providers.Usage, "", "KEY=TOML"},
		{"bad schema", "x", []string{"schema={"}, "", providers.Usage, "", "JSON"},
		{"local server of no use", "x", []string{"local_provider=ollama"}, "", providers.Usage, "", "oss"},
		{"approval of nothing", "x", []string{"mcp_approve=true"}, "", providers.Usage, "", "mcp_config"},
		{"servers without servers", "x", []string{"mcp_config={}"}, "", providers.Usage, "", "no servers"},
		{"servers that are no JSON", "x", []string{"mcp_config=nope"}, "", providers.Usage, "", "mcp_config"},
		{"a dot in a server's name", "x", []string{`mcp_config={"mcpServers":{"a.b":{"command":"x"}}}`}, "", providers.Usage, "", "a.b"},
		{"a server without a way", "x", []string{`mcp_config={"mcpServers":{"a":{"args":["x"]}}}`}, "", providers.Usage, "", "neither command nor url"},
		{"an old transport", "x", []string{`mcp_config={"mcpServers":{"a":{"type":"sse","url":"http://x"}}}`}, "", providers.Unsupported, "", "sse"},
		{"a null in a list", "x", []string{`mcp_config={"mcpServers":{"a":{"command":"x","args":[null]}}}`}, "", providers.Usage, "", "null"},
		{"an unknown review", "", []string{"review=everything"}, "", providers.Usage, "", "none of prompt"},
		{"a review with a flag", "", []string{"review=base:--help"}, "", providers.Usage, "", "none of prompt"},
		{"a review's prompt", "x", []string{"review=uncommitted"}, "", providers.Usage, "", "takes no prompt"},
		{"a review without a prompt", "", []string{"review=prompt"}, "", providers.Usage, "empty_prompt", "empty"},
		{"a review with a schema", "x", []string{"review=prompt", "schema={}"}, "", providers.Usage, "", "exclude each other"},
		{"a very long argument", "x", []string{"append_system=" + long}, "", providers.Usage, "argument_too_long", "developer_instructions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.prompt, tt.set...)
			r.Version = tt.version
			_, err := codex.New().Command(r)
			var got *providers.Error
			if !errors.As(err, &got) {
				t.Fatalf("want an *Error, got %v", err)
			}
			if got.Class != tt.class || got.Reason != tt.reason || !strings.Contains(got.Message, tt.want) {
				t.Errorf("want %s/%s with %q, got %s/%s %q", tt.class, tt.reason, tt.want, got.Class, got.Reason, got.Message)
			}
		})
	}
}

// The request is shared: a provider must leave it as it is.
func TestCommandKeepsTheRequest(t *testing.T) {
	r, same := everything(t), everything(t)
	command(t, r)
	if diff := cmp.Diff(fmt.Sprintf("%+v", same.Fields), fmt.Sprintf("%+v", r.Fields)); diff != "" {
		t.Errorf("fields changed:\n%s", diff)
	}
	if diff := cmp.Diff(same.Set, r.Set); diff != "" {
		t.Errorf("set changed:\n%s", diff)
	}
}

func TestLoopback(t *testing.T) {
	l := codex.New().Loopback(providers.Loopback{URL: "http://127.0.0.1:4", Home: "/h", Dir: "/d"})
	want := providers.LoopbackCommand{
		Env:   []string{"HOME=/h", "CODEX_HOME=/h/.codex", "TMPDIR=/d", "AGENTRUN_MOCK_KEY=sk-mock"},
		Files: []providers.File{{Name: ".codex/config.toml", Content: []byte("check_for_update_on_startup = false\n")}},
		Args: []string{
			"-c", `model_provider="agentrun_mock"`, "-c", `model="gpt-5.5"`,
			"-c", `model_providers.agentrun_mock={name="agentrun mock",base_url="http://127.0.0.1:4/v1",env_key="AGENTRUN_MOCK_KEY",` +
				`wire_api="responses",request_max_retries=1,stream_max_retries=1}`,
			"-c", "analytics.enabled=false", "--disable", "plugins", "--skip-git-repo-check",
		},
	}
	if diff := cmp.Diff(want, l); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

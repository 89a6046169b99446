package claude

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// request with the given fields, as --set gives them.
func requestOf(t *testing.T, prompt string, fields ...string) providers.Request {
	t.Helper()
	r := providers.Request{
		Prompt: prompt, Fields: New().NewFields(), Set: map[string]bool{}, Dir: "/run/r1", Cwd: "/repo",
		Env: providers.Lookup([]string{"HOME=/home/dev"}),
	}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		if err := providers.SetField(r.Fields, name, value); err != nil {
			t.Fatal(err)
		}
		r.Set[name] = true
	}
	return r
}

func args(more ...string) []string {
	return append([]string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}, more...)
}

func TestCommandDefaults(t *testing.T) {
	got, err := New().Command(requestOf(t, "hi"))
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Command{
		Args:  args(),
		Stdin: []byte(`{"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"client_composed":true}` + "\n"),
		SetEnv: []string{
			"CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_TMPDIR=/run/r1", "CLAUDE_CODE_MAX_RETRIES=5",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestCommandEverything(t *testing.T) {
	r := requestOf(t, "hi",
		"model=opus", "fallback_model=sonnet,haiku", "effort=high", "thinking=enabled", "max_thinking_tokens=1000", "betas=b1",
		"permission_mode=acceptEdits", "permission_prompts=host", "permission_prompt_tool=mcp__a__ask",
		"allow_tool=Edit", "allow_tool=Bash(git *)", "deny_tool=WebFetch", "tools=", "add_dir=/data",
		"system=S", "system_file=/s.txt", "append_system=A", "append_system_file=/a.txt", "system_snapshot=on",
		"max_turns=3", "max_cost=0.5", `schema={"type":"object"}`,
		`mcp_config={"mcpServers":{}}`, `mcp_config={"mcpServers":{"b":{}}}`, "strict_mcp_config=true",
		`settings={"model":"opus"}`, "setting_sources=user,project", "agent=reviewer", `agents={"reviewer":{}}`, "plugin_dir=/p",
		"resume=22222222-2222-4222-8222-222222222222", "fork=true", "ephemeral=true",
		"session_id=33333333-3333-4333-8333-333333333333", "name=nightly",
		"bare=true", "restricted=true", "safe_mode=true", "disable_slash_commands=true", "static_system=true",
		"forward_subagent_text=true", "include_hook_events=true", "debug=api", "debug_file=/d.log",
		"max_retries=2", "api_timeout_ms=5000", "max_output_tokens=100", "no_background=true", "background_wait_ms=3000",
	)
	r.Deltas = true
	r.VendorArgs = []string{"--brief"}
	got, err := New().Command(r)
	if err != nil {
		t.Fatal(err)
	}
	got.Stdin = nil
	want := providers.Command{
		Args: args("--include-partial-messages",
			"--system-prompt", "S", "--append-system-prompt", "A",
			"--mcp-config", "/run/r1/mcp-1.json", "--mcp-config", "/run/r1/mcp-2.json", "--settings", "/run/r1/settings.json",
			"--debug=api",
			"--model", "opus", "--fallback-model", "sonnet,haiku", "--effort", "high", "--thinking", "enabled",
			"--max-thinking-tokens", "1000", "--betas", "b1",
			"--permission-mode", "acceptEdits", "--permission-prompts", "host", "--permission-prompt-tool", "mcp__a__ask",
			"--allowedTools", "Edit", "--allowedTools", "Bash(git *)", "--disallowedTools", "WebFetch", "--tools", "", "--add-dir", "/data",
			"--system-prompt-file", "/s.txt", "--append-system-prompt-file", "/a.txt", "--system-prompt-snapshot", "on",
			"--max-turns", "3", "--max-budget-usd", "0.5", "--json-schema", `{"type":"object"}`,
			"--strict-mcp-config", "--setting-sources", "user,project", "--agent", "reviewer", "--agents", `{"reviewer":{}}`, "--plugin-dir", "/p",
			"--resume", "22222222-2222-4222-8222-222222222222", "--fork-session", "--no-session-persistence",
			"--session-id", "33333333-3333-4333-8333-333333333333", "--name", "nightly",
			"--bare", "--restricted", "--safe-mode", "--disable-slash-commands", "--exclude-dynamic-system-prompt-sections",
			"--forward-subagent-text", "--include-hook-events", "--debug-file", "/d.log", "--brief"),
		SetEnv: []string{
			"CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_TMPDIR=/run/r1",
			"CLAUDE_CODE_MAX_RETRIES=2", "API_TIMEOUT_MS=5000", "CLAUDE_CODE_MAX_OUTPUT_TOKENS=100",
			"CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS=3000", "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1",
		},
		Files: []providers.File{
			{Name: "mcp-1.json", Content: []byte(`{"mcpServers":{}}`)},
			{Name: "mcp-2.json", Content: []byte(`{"mcpServers":{"b":{}}}`)},
			{Name: "settings.json", Content: []byte(`{"model":"opus"}`)},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, f := range providers.FieldsOf(r.Fields) {
		if !r.Set[f.Name] && f.Name != "access" && f.Name != "continue" && f.Name != "image" {
			t.Errorf("the test leaves the field %s out", f.Name)
		}
	}
}

func TestCommandVariants(t *testing.T) {
	long := strings.Repeat("x", maxArg+1)
	resume := "resume=22222222-2222-4222-8222-222222222222"
	for _, c := range []struct {
		name   string
		fields []string
		change func(*providers.Request)
		want   []string
	}{
		{"read-only", []string{"access=read-only"}, nil, []string{"--permission-mode", "dontAsk", "--tools", readOnlyTools}},
		{"edit", []string{"access=edit"}, nil, []string{"--permission-mode", "acceptEdits"}},
		{"full", []string{"access=full"}, nil, []string{"--permission-mode", "bypassPermissions"}},
		{"full in a sandbox", []string{"access=full"}, func(r *providers.Request) {
			r.Root, r.Env = true, providers.Lookup([]string{"HOME=/h", "IS_SANDBOX=1"})
		}, []string{"--permission-mode", "bypassPermissions"}},
		{"continue", []string{"continue=true", "fork=true"}, nil, []string{"--continue", "--fork-session"}},
		{"long system prompt", []string{"system=" + long}, nil, []string{"--system-prompt-file", "/run/r1/system.txt"}},
		{"long addition", []string{"append_system=" + long}, nil, []string{"--append-system-prompt-file", "/run/r1/append-system.txt"}},
		{
			"system prompt on resume",
			[]string{resume, "system=S"},
			nil,
			[]string{"--system-prompt", "S", "--system-prompt-snapshot", "off", "--resume", "22222222-2222-4222-8222-222222222222"},
		},
		{"system prompt on resume, old CLI", []string{resume, "system=S"}, func(r *providers.Request) {
			r.Version = "2.1.248"
		}, []string{"--system-prompt", "S", "--resume", "22222222-2222-4222-8222-222222222222"}},
		{"an address, old CLI", nil, func(r *providers.Request) { r.Version, r.Prompt = "2.1.0", "mail a@b.example" }, nil},
		{"system prompt on resume, no fence", []string{resume, "system=S"}, func(r *providers.Request) {
			r.NoFence = map[string]bool{fenceSystem: true}
		}, []string{"--system-prompt", "S", "--resume", "22222222-2222-4222-8222-222222222222"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := requestOf(t, "hi", c.fields...)
			if c.change != nil {
				c.change(&r)
			}
			got, err := New().Command(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(args(c.want...), got.Args); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCommandEnvironment(t *testing.T) {
	r := requestOf(t, "hi")
	r.NoFence = map[string]bool{fenceRetries: true, fenceTmp: true, fenceQuiet: true, fenceVerbatim: true}
	got, err := New().Command(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1"}, got.SetEnv); diff != "" {
		t.Errorf("no fences (-want +got):\n%s", diff)
	}
	if strings.Contains(string(got.Stdin), "client_composed") {
		t.Errorf("the prompt is still fenced: %s", got.Stdin)
	}

	r = requestOf(t, "hi")
	r.Env = providers.Lookup([]string{"CLAUDE_CODE_TMPDIR=/t", "CLAUDE_CODE_MAX_RETRIES=9", "DISABLE_AUTOUPDATER=0"})
	if got, err = New().Command(r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1"}, got.SetEnv); diff != "" {
		t.Errorf("the user's settings must stay (-want +got):\n%s", diff)
	}
	if len(got.Notices) != 1 {
		t.Errorf("notices of an empty HOME: %v", got.Notices)
	}
}

func TestCommandRefuses(t *testing.T) {
	id := "22222222-2222-4222-8222-222222222222"
	for _, c := range []struct {
		name, prompt string
		fields       []string
		change       func(*providers.Request)
		class        providers.Class
		says         string
	}{
		{"no prompt", "", nil, nil, providers.Usage, "empty"},
		{"blank prompt", " \n\t", nil, nil, providers.Usage, "empty"},
		{"bytes", "a\xffb", nil, nil, providers.Usage, "UTF-8"},
		{"title", "hi", []string{"resume=my-title"}, nil, providers.Usage, "UUID"},
		{"bad session id", "hi", []string{"session_id=1"}, nil, providers.Usage, "UUID"},
		{"resume and continue", "hi", []string{"resume=" + id, "continue=true"}, nil, providers.Usage, "exclude"},
		{"fork alone", "hi", []string{"fork=true"}, nil, providers.Usage, "fork needs"},
		{"session id on resume", "hi", []string{"resume=" + id, "session_id=" + id}, nil, providers.Usage, "needs fork"},
		{"access and mode", "hi", []string{"access=edit", "permission_mode=plan"}, nil, providers.Usage, "exclude"},
		{"read-only and tools", "hi", []string{"access=read-only", "tools=Bash"}, nil, providers.Usage, "exclude"},
		{"stdio", "hi", []string{"permission_prompt_tool=stdio"}, nil, providers.Unsupported, "asks back"},
		{"nobody asked", "hi", []string{"permission_prompt_tool=mcp__a__b", "permission_prompts=none"}, nil, providers.Usage, "exclude"},
		{"restricted and full", "hi", []string{"restricted=true", "access=full"}, nil, providers.Usage, "exclude"},
		{"root", "hi", []string{"access=full"}, func(r *providers.Request) { r.Root = true }, providers.Usage, "superuser"},
		{"root by mode", "hi", []string{"permission_mode=bypassPermissions"}, func(r *providers.Request) { r.Root = true }, providers.Usage, "superuser"},
		{"no turns", "hi", []string{"max_turns=0"}, nil, providers.Usage, "at least 1"},
		{"no money", "hi", []string{"max_cost=0"}, nil, providers.Usage, "greater than 0"},
		{"sources", "hi", []string{"setting_sources=user,team"}, nil, providers.Usage, "team"},
		{"schema", "hi", []string{"schema=[1]"}, nil, providers.Usage, "schema is not a JSON object"},
		{"settings", "hi", []string{"settings={"}, nil, providers.Usage, "settings is not"},
		{"agents", "hi", []string{"agents="}, nil, providers.Usage, "agents is not"},
		{"mcp", "hi", []string{"mcp_config=nope"}, nil, providers.Usage, "mcp_config is not"},
		{"long schema", "hi", []string{`schema={"description":"` + strings.Repeat("x", maxArg) + `"}`}, nil, providers.Usage, "at most"},
		{"image", "hi", []string{"image=a.txt"}, nil, providers.Usage, "no PNG"},
		{"a command, old CLI", " /context", nil, func(r *providers.Request) { r.Version = "2.1.247" }, providers.Unsupported, "2.1.248"},
		{"a mention, old CLI", "see @README.md", nil, func(r *providers.Request) { r.Version = "2.1.0" }, providers.Unsupported, "2.1.248"},
		{"snapshot, old CLI", "hi", []string{"system_snapshot=off"}, func(r *providers.Request) { r.Version = "2.1.248" }, providers.Unsupported, "2.1.290"},
		{"output format", "hi", nil, func(r *providers.Request) { r.VendorArgs = []string{"--output-format=text"} }, providers.Usage, "--output-format"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := requestOf(t, c.prompt, c.fields...)
			if c.change != nil {
				c.change(&r)
			}
			_, err := New().Command(r)
			var got *providers.Error
			if !errors.As(err, &got) {
				t.Fatalf("accepted; error %v", err)
			}
			if got.Class != c.class || !strings.Contains(got.Message, c.says) {
				t.Errorf("%s: %s; want %s with %q", got.Class, got.Message, c.class, c.says)
			}
		})
	}
}

// TestCommandImages: the kinds are told by their bytes.
func TestCommandImages(t *testing.T) {
	r := requestOf(t, "look", "image=a", "image=b", "image=c", "image=d")
	r.Contents = map[string][]byte{
		"a": []byte("\x89PNG\r\n\x1a\n"), "b": []byte("\xff\xd8\xff"), "c": []byte("GIF89a"), "d": []byte("RIFF\x00\x00\x00\x00WEBPVP8 "),
	}
	got, err := New().Command(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"user","message":{"role":"user","content":[{"type":"text","text":"look"},` +
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},` +
		`{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/"}},` +
		`{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"R0lGODlh"}},` +
		`{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"UklGRgAAAABXRUJQVlA4IA=="}}]},` +
		`"parent_tool_use_id":null,"client_composed":true}` + "\n"
	if diff := cmp.Diff(want, string(got.Stdin)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package gemini

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// given is a request with fields set from text, as --set would.
func given(t *testing.T, fields map[string][]string) providers.Request {
	t.Helper()
	r := providers.Request{
		Prompt: "say hi", Fields: provider{}.NewFields(), Set: map[string]bool{}, Cwd: "/repo", Dir: "/state/run",
		Env: func(string) string { return "" }, Contents: map[string][]byte{"shot.PNG": []byte("png")},
	}
	for name, values := range fields {
		for _, v := range values {
			if err := providers.SetField(r.Fields, name, v); err != nil {
				t.Fatal(err)
			}
		}
		r.Set[name] = true
	}
	return r
}

func command(t *testing.T, r providers.Request) providers.Command {
	t.Helper()
	c, err := provider{}.Command(r)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func file(t *testing.T, c providers.Command, name string) string {
	t.Helper()
	for _, f := range c.Files {
		if f.Name == name {
			return string(f.Content)
		}
	}
	t.Fatalf("no file %s", name)
	return ""
}

func TestCommandDefaults(t *testing.T) {
	got := command(t, given(t, nil))
	want := providers.Command{
		Args:   []string{"--output-format", "stream-json", "--approval-mode", "default", "--admin-policy", "/state/run/policy.toml"},
		Stdin:  []byte("say hi"),
		SetEnv: []string{"GEMINI_CLI_NO_RELAUNCH=true", "TMPDIR=/state/run/tmp"},
		Files: []providers.File{{Name: "tmp/.keep"}, {Name: "policy.toml", Content: []byte(
			"[[rule]]\ntoolName = [\"enter_plan_mode\", \"exit_plan_mode\"]\ndecision = \"deny\"\npriority = 999\n")}},
		StdoutFile: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCommandWithoutFences(t *testing.T) {
	r := given(t, nil)
	r.Prompt, r.NoFence = "/init @README.md", map[string]bool{}
	for _, f := range (provider{}).About().Fences {
		r.NoFence[f.Name] = true
	}
	got := command(t, r)
	want := providers.Command{Args: []string{"--output-format", "stream-json", "--approval-mode", "default"}, Stdin: []byte("/init @README.md")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCommandEverything(t *testing.T) {
	r := given(t, map[string][]string{
		"model": {"gemini-3-pro"}, "effort": {"high"}, "access": {"read-only"}, "trust": {"true"},
		"allow_tool": {"mcp_demo_*"}, "deny_tool": {`run_shell_command(git "x")`},
		"policy": {"a.toml", "b.toml"}, "admin_policy": {"c.toml"}, "system": {"Be brief."},
		"max_turns": {"7"}, "max_attempts": {"2"}, "image": {"shot.PNG"},
		"mcp_config": {`{"mcpServers":{"a":{"command":"x"}}}`, `{"mcpServers":{"b":{"command":"y"}}}`}, "allowed_mcp_servers": {"a"},
		"extensions": {"none"}, "add_dir": {"/more", "/other"}, "session_id": {"0f0e"}, "ephemeral": {"true"},
		"settings": {`{"general":{"vimMode":true},"model":{"maxSessionTurns":1}}`}, "redact_env": {"true"}, "raw_output": {"true"},
	})
	r.VendorArgs = []string{"--debug"}
	r.Env = func(name string) string { return map[string]string{"GEMINI_API_KEY": "k"}[name] }
	got := command(t, r)
	wantArgs := []string{
		"--output-format", "stream-json", "--approval-mode", "default", "--model", "gemini-3-pro", "--skip-trust",
		"--policy", "a.toml", "--policy", "b.toml", "--admin-policy", "c.toml",
		"--allowed-mcp-server-names", "a", "--extensions", "none", "--include-directories", "/more", "--include-directories", "/other",
		"--session-id", "0f0e", "--raw-output",
		"--admin-policy", "/state/run/policy.toml", "--include-directories", "/state/run/images", "--debug",
	}
	if diff := cmp.Diff(wantArgs, got.Args); diff != "" {
		t.Errorf("argv -want +got:\n%s", diff)
	}
	wantEnv := []string{"GEMINI_CLI_NO_RELAUNCH=true", "TMPDIR=/state/run/tmp", "GEMINI_SYSTEM_MD=/state/run/system.md", "GEMINI_CLI_HOME=/state/run/gemini"}
	if diff := cmp.Diff(wantEnv, got.SetEnv); diff != "" {
		t.Errorf("environment -want +got:\n%s", diff)
	}
	wantPolicy := `[[rule]]
toolName = ["enter_plan_mode", "exit_plan_mode"]
decision = "deny"
priority = 999

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git \"x\""
decision = "deny"
priority = 998

[[rule]]
toolName = "mcp_demo_*"
decision = "allow"
priority = 900

[[rule]]
toolName = ["write_file", "replace", "run_shell_command", "activate_skill", "web_fetch"]
decision = "deny"
priority = 100

[[rule]]
toolName = "*"
mcpName = "*"
decision = "deny"
priority = 100
`
	if diff := cmp.Diff(wantPolicy, file(t, got, "policy.toml")); diff != "" {
		t.Errorf("policy -want +got:\n%s", diff)
	}
	wantSettings := `{"general":{"enableAutoUpdate":false,"maxAttempts":2,"sessionRetention":{"enabled":false},"vimMode":true},` +
		`"mcpServers":{"a":{"command":"x"},"b":{"command":"y"}},"model":{"maxSessionTurns":7},` +
		`"modelConfigs":{"overrides":[{"match":{"model":"gemini-3-pro"},"modelConfig":{"generateContentConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}}}]},` +
		`"privacy":{"usageStatisticsEnabled":false},"security":{"auth":{"selectedType":"gemini-api-key"},"environmentVariableRedaction":{"enabled":true}}}`
	if diff := cmp.Diff(wantSettings, file(t, got, "gemini/.gemini/settings.json")); diff != "" {
		t.Errorf("settings -want +got:\n%s", diff)
	}
	if s := file(t, got, "system.md") + file(t, got, "images/1.png"); s != "Be brief.png" {
		t.Errorf("files %q", s)
	}
	if s := string(got.Stdin); s != "say hi\n\n@/state/run/images/1.png" {
		t.Errorf("stdin %q", s)
	}
}

func TestCommandModes(t *testing.T) {
	for _, c := range []struct {
		field, value, mode string
		policy             bool
	}{
		{"access", "read-only", "default", true},
		{"access", "edit", "auto_edit", true},
		{"access", "full", "yolo", false},
		{"approval_mode", "plan", "plan", true},
		{"approval_mode", "yolo", "yolo", false},
	} {
		args := strings.Join(command(t, given(t, map[string][]string{c.field: {c.value}})).Args, " ")
		if strings.Count(args, "--approval-mode") != 1 || !strings.Contains(args, "--approval-mode "+c.mode) {
			t.Errorf("%s=%s: %s", c.field, c.value, args)
		}
		if got := strings.Contains(args, "--admin-policy"); got != c.policy {
			t.Errorf("%s=%s: policy %v", c.field, c.value, got)
		}
	}
}

func TestCommandSettings(t *testing.T) {
	root := func(fields map[string][]string) providers.Request {
		r := given(t, fields)
		r.Root = true
		return r
	}
	turns := map[string][]string{"max_turns": {"3"}}
	t.Run("the superuser's", func(t *testing.T) {
		c := command(t, root(turns))
		want := []string{
			"GEMINI_CLI_NO_RELAUNCH=true", "TMPDIR=/state/run/tmp",
			"GEMINI_CLI_SYSTEM_DEFAULTS_PATH=/state/run/system-defaults.json", "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/state/run/settings.json",
		}
		if diff := cmp.Diff(want, c.SetEnv); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
		if s := file(t, c, "settings.json"); s != `{"model":{"maxSessionTurns":3}}` {
			t.Errorf("settings %s", s)
		}
		if s := file(t, c, "system-defaults.json"); s != `{"general":{"sessionRetention":{"enabled":false}}}` {
			t.Errorf("defaults %s", s)
		}
	})
	t.Run("named already", func(t *testing.T) {
		r := root(turns)
		r.Env = func(name string) string { return map[string]string{settingsVar: "/etc/x.json"}[name] }
		refuses(t, r, providers.Usage, "names one already")
		r.Set = map[string]bool{}
		if c := command(t, r); strings.Contains(strings.Join(c.SetEnv, " "), settingsVar) {
			t.Errorf("environment %v", c.SetEnv)
		}
	})
	t.Run("below /tmp", func(t *testing.T) {
		r := root(turns)
		r.Dir = "/tmp/run"
		refuses(t, r, providers.Unsupported, "max_turns needs a settings file")
	})
	t.Run("anybody else's", func(t *testing.T) {
		refuses(t, given(t, turns), providers.Unsupported, "max_turns needs a settings file")
		c := command(t, given(t, map[string][]string{"resume": {"abc-1"}}))
		if len(c.Notices) != 1 || !strings.Contains(c.Notices[0].Content, "sessionRetention") {
			t.Errorf("notices %v", c.Notices)
		}
	})
}

func refuses(t *testing.T, r providers.Request, class providers.Class, words string) {
	t.Helper()
	_, err := provider{}.Command(r)
	var e *providers.Error
	if !errors.As(err, &e) || e.Class != class || !strings.Contains(e.Message, words) {
		t.Errorf("error %v, want class %s with %q", err, class, words)
	}
}

func TestCommandRefuses(t *testing.T) {
	for _, c := range []struct {
		fields map[string][]string
		words  string
	}{
		{map[string][]string{"access": {"full"}, "approval_mode": {"plan"}}, "exclude each other"},
		{map[string][]string{"resume": {"a-b"}, "continue": {"true"}}, "exclude each other"},
		{map[string][]string{"session_id": {"a"}, "session_file": {"f"}}, "exclude each other"},
		{map[string][]string{"ephemeral": {"true"}, "resume": {"a-b"}}, "keeps no session"},
		{map[string][]string{"model": {"-x"}}, "for a flag"},
		{map[string][]string{"model": {" "}}, "is empty"},
		{map[string][]string{"add_dir": {"/a,b"}}, "at the comma"},
		{map[string][]string{"policy": {"-p.toml"}}, "for a flag"},
		{map[string][]string{"resume": {"latest"}}, "not an id"},
		{map[string][]string{"resume": {"5"}}, "not a session id"},
		{map[string][]string{"resume": {"../x"}}, "not a session id"},
		{map[string][]string{"session_id": {"a/b"}}, "letters, digits"},
		{map[string][]string{"session_id": {"12"}}, "number of a session"},
		{map[string][]string{"allow_tool": {"run shell"}}, "is not NAME"},
		{map[string][]string{"deny_tool": {"read_file(x)"}}, "takes a prefix"},
		{map[string][]string{"max_turns": {"0"}, "ephemeral": {"true"}}, "at least 1"},
		{map[string][]string{"max_attempts": {"11"}, "ephemeral": {"true"}}, "1 to 10"},
		{map[string][]string{"effort": {"low"}}, "name it"},
		{map[string][]string{"effort": {"low"}, "model": {"gemini-2.5-pro"}}, "no thinking levels"},
		{map[string][]string{"mcp_config": {`{"a":{}}`}}, "mcpServers"},
		{map[string][]string{"mcp_config": {`[]`}}, "not a JSON object"},
		{map[string][]string{"settings": {`7`}, "ephemeral": {"true"}}, "not a JSON object"},
		{map[string][]string{"image": {"a.txt"}}, "knows images"},
		{map[string][]string{"sandbox": {"true"}, "deny_tool": {"replace"}}, "container does not see"},
		{map[string][]string{"sandbox": {"true"}, "access": {"read-only"}}, "container does not see"},
	} {
		refuses(t, given(t, c.fields), providers.Usage, c.words)
	}
}

func TestCommandSandboxOfTheEnvironment(t *testing.T) {
	r := given(t, map[string][]string{"deny_tool": {"replace"}})
	r.Env = func(name string) string { return map[string]string{"GEMINI_SANDBOX": "docker"}[name] }
	refuses(t, r, providers.Usage, "container does not see")
	r.Set = map[string]bool{}
	if c := command(t, r); len(c.Notices) != 1 {
		t.Errorf("notices %v", c.Notices)
	}
}

func TestCommandRefusesPrompts(t *testing.T) {
	for _, c := range []struct {
		prompt, words string
		fields        map[string][]string
	}{
		{"", "empty", nil},
		{"a\xff", "UTF-8", nil},
		{strings.Repeat("x", stdinLimit+1), "at most 8388608", nil},
		{strings.Repeat("@x", stdinLimit/2), "at most 8388608", nil}, // grows by its escapes
		{"\n x", "drops the blanks", map[string][]string{"image": {"shot.PNG"}}},
	} {
		r := given(t, c.fields)
		r.Prompt = c.prompt
		refuses(t, r, providers.Usage, c.words)
	}
	r := given(t, nil)
	r.Prompt = strings.Repeat("x", stdinLimit)
	command(t, r)
}

func TestCommandRefusesVendorArgs(t *testing.T) {
	for _, arg := range []string{"-o", "--output-format=json", "-p", "--prompt=x", "--acp", "--list-sessions", "--yolo", "--"} {
		r := given(t, nil)
		r.VendorArgs = []string{arg}
		refuses(t, r, providers.Usage, "agentrun sets that itself")
	}
	r := given(t, nil)
	r.VendorArgs = []string{"--screen-reader"}
	command(t, r)
}

func TestEscapeAt(t *testing.T) {
	for _, c := range []struct {
		in, want string
		n        int
	}{
		{"@a", `\@a`, 1},
		{`\@a`, `\@a`, 0},
		{"@", "@", 0},
		{"@ a", "@ a", 0},
		{"@.", "@.", 0},
		{"@. a", "@. a", 0},
		{"@.a", `\@.a`, 1},
		{"@..", `\@..`, 1},
		{"@,@(", "@,@(", 0},
		{"a@b", `a\@b`, 1},
		{"@@a", `\@\@a`, 2},
		{`@"a b"`, `\@"a b"`, 1},
		{"@é", `\@é`, 1},
		{"@\u00a0", "\\@\u00a0", 1},
		{"@{x}", "@{x}", 0},
		{"no", "no", 0},
	} {
		if got, n := escapeAt(c.in); got != c.want || n != c.n {
			t.Errorf("%q: got %q, %d", c.in, got, n)
		}
	}
}

func TestIsSlash(t *testing.T) {
	for text, want := range map[string]bool{"/x": true, "/": true, "//x": false, "/* x": false, " /x": false, "x": false, "": false} {
		if isSlash(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestLoopbackNamesNoOtherHost(t *testing.T) {
	got := provider{}.Loopback(providers.Loopback{URL: "http://127.0.0.1:9", Home: "/h", Dir: "/d"})
	want := []string{
		"HOME=/h", "TMPDIR=/d", "GEMINI_API_KEY=agentrun-loopback", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:9",
		"GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_TRUST_WORKSPACE=true", "NO_BROWSER=true", "GEMINI_MODEL=gemini-2.5-flash",
	}
	if diff := cmp.Diff(want, got.Env); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r := given(t, nil)
	r.VendorArgs = got.Args
	command(t, r) // its arguments pass the check of vendor arguments
}

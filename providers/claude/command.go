package claude

import (
	"path/filepath"
	"strconv"

	"agentrun/providers"
	"agentrun/stream"
)

// readOnlyTools are the built-in tools without a write: with Bash left out the
// CLI offers Glob and Grep in its place. An allow rule of the user's settings
// lets Bash write in every permission mode, plan included, so that no mode
// alone is read-only.
const readOnlyTools = "Read,Glob,Grep,WebFetch,WebSearch,Task,ToolSearch"

// Versions that brought something: apply_flag_settings is in the program of
// 2.1.50 and not of 2.1.49 (which never answers it), client_composed is in the program of
// 2.1.248 and not of 2.1.247, --system-prompt-snapshot in that of 2.1.290 and
// not of 2.1.248.
const (
	hasFlagSettings   = "2.1.50"
	hasClientComposed = "2.1.248"
	hasSnapshot       = "2.1.290"
)

// Command turns the request into argv, environment, the input line and private files.
func (provider) Command(r providers.Request) (providers.Command, error) {
	f, err := fieldsOf(r)
	if err != nil {
		return providers.Command{}, err
	}
	if err := validate(r, f, checkPrompt, checkTool); err != nil {
		return providers.Command{}, err
	}
	c := start(r, f)
	c.Stdin, err = input(r, f)
	return c, err
}

func fieldsOf(r providers.Request) (*request, error) {
	f, ok := r.Fields.(*request)
	if !ok {
		return nil, providers.Errorf(providers.Usage, "", "the fields are not those of claude")
	}
	return f, nil
}

// start is what the one-way and the two-way mode have in common.
func start(r providers.Request, f *request, more ...string) providers.Command {
	c := providers.Command{SetEnv: environment(r, f)}
	c.Args = []string{"-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"}
	if r.Deltas {
		c.Args = append(c.Args, "--include-partial-messages")
	}
	c.Args = append(c.Args, more...)
	c.Args = append(c.Args, accessArgs(f)...)
	systemArgs(r, f, &c)
	fileArgs(r, f, &c)
	if r.Given("debug") {
		c.Args = append(c.Args, "--debug="+f.Debug)
	}
	c.Args = append(c.Args, providers.Argv(f, r.Set)...)
	c.Args = append(c.Args, r.VendorArgs...)
	if env(r, "HOME") == "" && env(r, "CLAUDE_CONFIG_DIR") == "" {
		c.Notices = append(c.Notices, notice(stream.NoticeWarning, "HOME is empty: claude then uses the home of the password file", nil))
	}
	return c
}

func accessArgs(f *request) []string {
	switch f.Access {
	case "read-only":
		return []string{"--permission-mode", "dontAsk", "--tools", readOnlyTools}
	case "edit":
		return []string{"--permission-mode", "acceptEdits"}
	case "full":
		return []string{"--permission-mode", "bypassPermissions"}
	}
	return nil
}

// systemArgs passes the system prompts; one too long for an argument goes by a file.
func systemArgs(r providers.Request, f *request, c *providers.Command) {
	for _, p := range []struct{ field, flag, text, file string }{
		{"system", "--system-prompt", f.System, "system.txt"},
		{"append_system", "--append-system-prompt", f.AppendSystem, "append-system.txt"},
	} {
		switch {
		case !r.Given(p.field):
		case len(p.text) > maxArg:
			c.Args = append(c.Args, p.flag+"-file", privateFile(r, c, p.file, p.text))
		default:
			c.Args = append(c.Args, p.flag, p.text)
		}
	}
	changed := r.Given("system") || r.Given("system_file") || r.Given("append_system") || r.Given("append_system_file")
	if changed && (f.Resume != "" || f.Continue) && !r.Given("system_snapshot") && r.Fenced(fenceSystem) && !olderThan(r, hasSnapshot) {
		c.Args = append(c.Args, "--system-prompt-snapshot", "off")
		c.Notices = append(c.Notices, notice(stream.NoticeFence, "fresh-system: the resumed session gets this run's system prompt", nil))
	}
}

// fileArgs passes settings and MCP servers by private files: they may hold
// secrets, which argv would show to everybody on the machine.
func fileArgs(r providers.Request, f *request, c *providers.Command) {
	for i, config := range f.MCPConfig {
		c.Args = append(c.Args, "--mcp-config", privateFile(r, c, "mcp-"+strconv.Itoa(i+1)+".json", config))
	}
	if r.Given("settings") {
		c.Args = append(c.Args, "--settings", privateFile(r, c, "settings.json", f.Settings))
	}
}

func privateFile(r providers.Request, c *providers.Command, name, content string) string {
	c.Files = append(c.Files, providers.File{Name: name, Content: []byte(content)})
	return filepath.Join(r.Dir, name)
}

// olderThan reports whether the CLI is known to be older than the version.
func olderThan(r providers.Request, version string) bool {
	return r.Version != "" && providers.CompareVersions(r.Version, version) < 0
}

// maxSocketDir keeps DIR/cc-socks/PID.sock below the 104 bytes of a macOS
// socket address.
const maxSocketDir = 80

func environment(r providers.Request, f *request) []string {
	vars := []string{"CLAUDE_CODE_STARTUP_FAILURE_RESULTS=1"}
	unlessSet := func(name, value string) {
		if env(r, name) == "" {
			vars = append(vars, name+"="+value)
		}
	}
	if r.Fenced(fenceQuiet) {
		unlessSet("DISABLE_AUTOUPDATER", "1")
	}
	if r.Fenced(fenceTmp) && r.Dir != "" && len(r.Dir) <= maxSocketDir {
		unlessSet("CLAUDE_CODE_TMPDIR", r.Dir)
	}
	if r.Fenced(fenceRetries) && !r.Given("max_retries") {
		unlessSet("CLAUDE_CODE_MAX_RETRIES", "5")
	}
	for _, v := range []struct {
		field, name string
		value       int
	}{
		{"max_retries", "CLAUDE_CODE_MAX_RETRIES", f.MaxRetries},
		{"api_timeout_ms", "API_TIMEOUT_MS", f.APITimeoutMS},
		{"max_output_tokens", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", f.MaxOutput},
		{"background_wait_ms", "CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS", f.BackgroundWait},
	} {
		if r.Given(v.field) {
			vars = append(vars, v.name+"="+strconv.Itoa(v.value))
		}
	}
	if f.NoBackground {
		vars = append(vars, "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS=1")
	}
	return vars
}

package gemini

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"agentrun/providers"
)

// check refuses what the CLI would refuse late, ignore silently or misread.
func check(r providers.Request, f *fields) error {
	checks := []func(providers.Request, *fields) error{
		checkPrompt, checkExclusive, checkArguments, checkSession,
		checkTools, checkNumbers, checkServers, checkImages, checkSandbox, checkVendorArgs,
	}
	for _, c := range checks {
		if err := c(r, f); err != nil {
			return err
		}
	}
	return providers.CheckVersions(r)
}

func checkPrompt(r providers.Request, _ *fields) error {
	switch {
	case r.Prompt == "":
		return usage("the prompt is empty")
	case !utf8.ValidString(r.Prompt):
		return usage("the prompt is not valid UTF-8: gemini would replace bytes of it")
	}
	return nil
}

func checkExclusive(r providers.Request, _ *fields) error {
	for _, names := range [][]string{
		{"access", "approval_mode"},
		{"resume", "continue", "session_id", "session_file"},
		{"effort", "thinking_budget"},
	} {
		if err := providers.Exclusive(r, names...); err != nil {
			return err
		}
	}
	if r.Given("ephemeral") && (r.Given("resume") || r.Given("continue")) {
		return usage("ephemeral keeps no session, so there is none to carry on")
	}
	return nil
}

// checkArguments guards the CLI's flag parser: it takes a value that begins with
// a dash for a flag, and splits the values of lists at commas.
func checkArguments(r providers.Request, f *fields) error {
	values := map[string][]string{
		"model": {f.Model}, "session_file": {f.SessionFile},
		"policy": f.Policy, "admin_policy": f.AdminPolicy, "extensions": f.Extensions,
		"allowed_mcp_servers": f.AllowedMCPServers, "add_dir": f.AddDir,
	}
	for _, field := range providers.FieldsOf(f) {
		for _, v := range values[field.Name] {
			switch {
			case !r.Given(field.Name):
			case strings.TrimSpace(v) == "":
				return usage("%s: the value is empty", field.Name)
			case strings.HasPrefix(v, "-"):
				return usage("%s: gemini takes %q for a flag", field.Name, v)
			case field.Type == "list" && strings.Contains(v, ","):
				return usage("%s: gemini splits %q at the comma", field.Name, v)
			}
		}
	}
	if len(f.Image) > 0 && strings.Contains(r.Dir, ",") {
		return usage("image: gemini splits the run's folder %q at the comma", r.Dir)
	}
	return nil
}

func checkSession(r providers.Request, f *fields) error {
	id := regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_-]*$`)
	number := regexp.MustCompile(`^[0-9]+$`)
	switch {
	case r.Given("session_id") && !id.MatchString(f.SessionID):
		return usage("session_id: %q has more than letters, digits, - and _", f.SessionID)
	case r.Given("session_id") && number.MatchString(f.SessionID):
		return usage("session_id: gemini would take %q for the number of a session when it is resumed", f.SessionID)
	case r.Given("resume") && f.Resume == "latest":
		return usage("resume: latest is not an id").WithHint("use --continue")
	case r.Given("resume") && (!id.MatchString(f.Resume) || number.MatchString(f.Resume)):
		return usage("resume: %q is not a session id", f.Resume).WithHint("the id is in the session notice of the earlier run")
	}
	return nil
}

func checkTools(_ providers.Request, f *fields) error {
	for name, list := range map[string][]string{"allow_tool": f.AllowTool, "deny_tool": f.DenyTool} {
		for _, t := range list {
			m := toolForm().FindStringSubmatch(t)
			if m == nil {
				return usage("%s: %q is not NAME, mcp_SERVER_TOOL or run_shell_command(PREFIX)", name, t)
			}
			if m[2] != "" && m[1] != "run_shell_command" {
				return usage("%s: only run_shell_command takes a prefix, not %s", name, m[1])
			}
		}
	}
	return nil
}

func checkNumbers(r providers.Request, f *fields) error {
	switch {
	case r.Given("max_turns") && f.MaxTurns < 1:
		return usage("max_turns: at least 1")
	case r.Given("max_attempts") && (f.MaxAttempts < 1 || f.MaxAttempts > 10):
		return usage("max_attempts: 1 to 10")
	case (r.Given("effort") || r.Given("thinking_budget")) && !r.Given("model"):
		return usage("effort and thinking_budget are settings of one model: name it").WithHint("add --model NAME")
	case r.Given("effort") && strings.HasPrefix(f.Model, "gemini-2"):
		return usage("effort: %s has no thinking levels", f.Model).WithHint("use --set thinking_budget=TOKENS")
	}
	return nil
}

func checkServers(_ providers.Request, f *fields) error {
	for _, text := range f.MCPConfig {
		v, err := decode("mcp_config", text)
		if err != nil {
			return err
		}
		if _, ok := v["mcpServers"].(object); !ok || len(v) != 1 {
			return usage(`mcp_config: want {"mcpServers":{...}} and nothing else`).WithHint("other settings go with --set settings=FILE")
		}
	}
	return nil
}

func checkImages(r providers.Request, f *fields) error {
	kind := regexp.MustCompile(`(?i)\.(png|jpe?g|gif|webp|bmp)$`)
	for _, name := range f.Image {
		if !kind.MatchString(name) {
			return usage("image: %q is none of png, jpg, jpeg, gif, webp, bmp, by which gemini knows images", name)
		}
	}
	if len(f.Image) > 0 && strings.TrimLeft(r.Prompt, " \t\r\n") != r.Prompt {
		return usage("image: beside an image, gemini drops the blanks at the prompt's beginning")
	}
	return nil
}

// checkSandbox keeps promises: inside the container the run's folder is missing,
// and gemini ignores policy files that are missing.
func checkSandbox(r providers.Request, f *fields) error {
	if !sandboxed(r, f) {
		return nil
	}
	for _, name := range append(settingsFields(r), "deny_tool", "allow_tool", "system", "image", "ephemeral", "policy", "admin_policy") {
		if r.Given(name) {
			return usage("sandbox and %s exclude each other: the container does not see the files of %s", name, name)
		}
	}
	if f.Access == accessReadOnly {
		return usage("sandbox and --access read-only exclude each other: the container does not see our policy file")
	}
	return nil
}

func sandboxed(r providers.Request, f *fields) bool {
	if r.Given("sandbox") {
		return f.Sandbox
	}
	env := r.Env("GEMINI_SANDBOX")
	return env != "" && env != "false" && env != "0"
}

// checkVendorArgs refuses what would change the stream under us.
func checkVendorArgs(r providers.Request, _ *fields) error {
	ours := regexp.MustCompile(`^(-o|--output-format|--outputFormat|-p|--prompt|-i|--prompt-interactive|--acp|--experimental-acp|--list-sessions|--delete-session|-l|--list-extensions|--approval-mode|-y|--yolo|--)(=.*)?$`)
	for _, a := range r.VendorArgs {
		if ours.MatchString(a) {
			return usage("vendor argument %s: agentrun sets that itself", a)
		}
	}
	return nil
}

func usage(format string, args ...any) *providers.Error {
	return providers.Errorf(providers.Usage, "", format, args...)
}

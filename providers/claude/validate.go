package claude

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentrun/ndjson"
	"agentrun/providers"
)

// maxArg is Linux's limit of one argument (MAX_ARG_STRLEN), less its NUL.
const maxArg = 128<<10 - 1

type check func(providers.Request, *request) error

// validate makes the checks of both modes, and the more that one of them has.
func validate(r providers.Request, f *request, more ...check) error {
	checks := append(more, checkSession, checkAccess, checkLimits, checkJSON, checkVendorArgs)
	if err := providers.CheckVersions(r); err != nil {
		return err
	}
	for _, check := range checks {
		if err := check(r, f); err != nil {
			return err
		}
	}
	return nil
}

// checkPrompt refuses what the vendor does not hand to the model as it is: a
// blank prompt is dropped by the CLI with exit status 0, and JSON cannot carry
// bytes that are not UTF-8.
func checkPrompt(r providers.Request, _ *request) error {
	if err := checkVerbatim(r, r.Prompt); err != nil {
		return err
	}
	if strings.TrimSpace(r.Prompt) == "" {
		return providers.Errorf(providers.Usage, "empty_prompt", "the prompt is empty")
	}
	if !utf8.ValidString(r.Prompt) {
		return providers.Errorf(providers.Usage, "", "the prompt is not valid UTF-8").
			WithHint("claude takes the prompt as JSON, which has no other bytes; name the file in the prompt instead")
	}
	return nil
}

// checkVerbatim refuses words that an old CLI would not hand to the model as they are.
func checkVerbatim(r providers.Request, words string) error {
	if r.Fenced(fenceVerbatim) && olderThan(r, hasClientComposed) && special(words) {
		return providers.Errorf(providers.Unsupported, providers.ReasonTooOld,
			"claude %s takes a leading / as a command and @path as a file; %s is the first that can be told not to", r.Version, hasClientComposed).
			WithHint("update the CLI, or let it have its way with --no-fence %s", fenceVerbatim)
	}
	return nil
}

// checkTool refuses the questions on the stream that a one-way run cannot answer.
func checkTool(_ providers.Request, f *request) error {
	if f.PermissionTool == stdio {
		return providers.Errorf(providers.Unsupported, "", "permission_prompt_tool stdio asks back on the stream, and nobody would answer")
	}
	return nil
}

// special reports whether the CLI would read the prompt as a command or find
// a file mention in it.
func special(prompt string) bool {
	if strings.HasPrefix(strings.TrimSpace(prompt), "/") {
		return true
	}
	for i, c := range prompt {
		if c != '@' {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(prompt[:i])
		if i == 0 || !unicode.IsLetter(before) && !unicode.IsDigit(before) {
			return true
		}
	}
	return false
}

func checkSession(r providers.Request, f *request) error {
	if err := providers.Exclusive(r, "resume", "continue"); err != nil && f.Continue {
		return err
	}
	resumes := f.Resume != "" || f.Continue
	switch {
	case r.Given("resume") && !isUUID(f.Resume):
		return providers.Errorf(providers.Usage, "", "resume: %q is not a session id of claude (a UUID)", f.Resume)
	case r.Given("session_id") && !isUUID(f.SessionID):
		return providers.Errorf(providers.Usage, "", "session_id: %q is not a UUID", f.SessionID)
	case f.Fork && !resumes:
		return providers.Errorf(providers.Usage, "", "fork needs resume or continue: claude would silently begin an empty session")
	case r.Given("session_id") && resumes && !f.Fork:
		return providers.Errorf(providers.Usage, "", "session_id with resume or continue needs fork")
	}
	return nil
}

func checkAccess(r providers.Request, f *request) error {
	if err := providers.Exclusive(r, "access", "permission_mode"); err != nil {
		return err
	}
	if f.Access == "read-only" && r.Given("tools") {
		return providers.Errorf(providers.Usage, "", "tools and access read-only exclude each other: read-only chooses the tools")
	}
	if f.PermissionPrompts == "none" && f.PermissionTool != "" {
		return providers.Errorf(providers.Usage, "", "permission_prompts none and permission_prompt_tool exclude each other")
	}
	if !bypass(f) {
		return nil
	}
	if f.Restricted {
		return providers.Errorf(providers.Usage, "", "restricted and full access exclude each other")
	}
	if r.Root && env(r, "IS_SANDBOX") != "1" {
		return providers.Errorf(providers.Usage, "bypass_root", "claude refuses full access to the superuser").
			WithHint("run as another user, or set IS_SANDBOX=1 where the machine is a throw-away sandbox")
	}
	return nil
}

func bypass(f *request) bool {
	return f.Access == "full" || f.PermissionMode == "bypassPermissions"
}

func checkLimits(r providers.Request, f *request) error {
	if r.Given("max_turns") && f.MaxTurns < 1 {
		return providers.Errorf(providers.Usage, "", "max_turns must be at least 1")
	}
	if r.Given("max_cost") && f.MaxCost <= 0 {
		return providers.Errorf(providers.Usage, "", "max_cost must be greater than 0")
	}
	for source := range strings.SplitSeq(f.SettingSources, ",") {
		switch strings.TrimSpace(source) {
		case "", "user", "project", "local":
		default:
			return providers.Errorf(providers.Usage, "", "setting_sources: %q is none of user, project, local", source)
		}
	}
	return nil
}

// checkJSON parses what the vendor would refuse only after its start, and
// bounds what it takes in argv alone.
func checkJSON(r providers.Request, f *request) error {
	texts := []struct{ name, text string }{{"schema", f.Schema}, {"settings", f.Settings}, {"agents", f.Agents}}
	for _, config := range f.MCPConfig {
		texts = append(texts, struct{ name, text string }{"mcp_config", config})
	}
	for _, t := range texts {
		if t.name != "mcp_config" && !r.Given(t.name) {
			continue
		}
		var object map[string]ndjson.RawMessage
		if err := ndjson.Unmarshal([]byte(t.text), &object); err != nil {
			return providers.Errorf(providers.Usage, "", "%s is not a JSON object: %w", t.name, err)
		}
	}
	for name, text := range map[string]string{"schema": f.Schema, "agents": f.Agents} {
		if len(text) > maxArg {
			return providers.Errorf(providers.Usage, "too_long", "%s has %d bytes; claude takes at most %d in its arguments", name, len(text), maxArg)
		}
	}
	return nil
}

// checkVendorArgs refuses the flags that would take the stream away from us.
func checkVendorArgs(r providers.Request, _ *request) error {
	for _, arg := range r.VendorArgs {
		name, _, _ := strings.Cut(arg, "=")
		switch name {
		case "--output-format", "--input-format", "--bg", "--background", "--cloud", "--remote-control", "--teleport",
			"--tmux", "--replay-user-messages", "--version", "-v", "--help", "-h":
			return providers.Errorf(providers.Usage, "", "the vendor argument %s does not go together with agentrun", name)
		}
	}
	return nil
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
				return false
			}
		}
	}
	return true
}

func env(r providers.Request, name string) string {
	if r.Env == nil {
		return ""
	}
	return r.Env(name)
}

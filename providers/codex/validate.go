package codex

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// reviewPrompt is the review whose prompt says what to review.
const reviewPrompt = "prompt"

func validate(r providers.Request, f *fields) error {
	return firstError(
		checkLiveOnly(r),
		providers.CheckVersions(r),
		providers.Exclusive(r, "access", "approve_for_me", "bypass"),
		providers.Exclusive(r, "resume", "continue", "review"),
		checkPrompt(r, f),
		checkSession(f),
		checkReview(r, f),
		checkSandbox(f),
		checkWords(r, f),
		checkConfig(f),
		checkFiles(r, f),
	)
}

func firstError(checks ...error) error {
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLiveOnly refuses what codex exec, which never asks, has nothing for.
func checkLiveOnly(r providers.Request) error {
	if !r.Given("approval") {
		return nil
	}
	return providers.Errorf(providers.Unsupported, "approval", "approval: codex exec never asks").
		WithHint("it has a meaning in a live session")
}

func checkSession(f *fields) error {
	switch {
	case f.Fork && f.Continue:
		return providers.Errorf(providers.Unsupported, "", "codex cannot fork the newest thread").WithHint("give its id with --resume")
	case f.Fork && f.Resume == "":
		return providers.Errorf(providers.Usage, "", "fork needs --resume with the id of the thread to copy")
	case f.Resume != "" && !isThreadID(f.Resume):
		// codex takes another word as a thread's name, and starts a new thread when there is none.
		return providers.Errorf(providers.Usage, "", "resume: %q is not the id of a codex thread", f.Resume).
			WithHint("an id looks like 01a22c87-88f4-73a3-bcc6-c990bdbfd65f")
	}
	return nil
}

// isThreadID reports whether s is a UUID as codex writes it.
func isThreadID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i, c := range []byte(s) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		hex := c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
		if dash != (c == '-') || !dash && !hex {
			return false
		}
	}
	return true
}

func checkReview(r providers.Request, f *fields) error {
	if !r.Given("review") {
		return nil
	}
	if f.Review != reviewPrompt && reviewTarget(f.Review) == nil {
		return providers.Errorf(providers.Usage, "", "review: %q is none of prompt, uncommitted, base:BRANCH, commit:SHA", f.Review)
	}
	for _, name := range []string{"schema", "fork", "image"} {
		if r.Given(name) {
			return providers.Errorf(providers.Usage, "", "review and %s exclude each other", name)
		}
	}
	return nil
}

// reviewTarget returns the flags of a review without a prompt, or nil.
func reviewTarget(review string) []string {
	kind, name, named := strings.Cut(review, ":")
	switch {
	case review == "uncommitted":
		return []string{"--uncommitted"}
	case (kind == "base" || kind == "commit") && named && name != "" && !strings.HasPrefix(name, "-"):
		return []string{"--" + kind, name}
	}
	return nil
}

// checkSandbox refuses what codex would ignore without a word.
func checkSandbox(f *fields) error {
	if f.Bypass || f.ApproveForMe || f.Access != accessRead {
		return nil
	}
	name := ""
	switch {
	case len(f.AddDir) > 0:
		name = "add_dir"
	case f.Network:
		name = "network"
	default:
		return nil
	}
	return providers.Errorf(providers.Usage, "", "%s does nothing with access read-only", name).WithHint("add --access edit")
}

// checkWords refuses values that are empty, or that codex would take for flags.
func checkWords(r providers.Request, f *fields) error {
	single := []struct{ name, value string }{
		{"model", f.Model}, {"profile", f.Profile}, {"effort", f.Effort}, {"system", f.System},
	}
	for _, s := range single {
		if r.Given(s.name) && strings.TrimSpace(s.value) == "" {
			return providers.Errorf(providers.Usage, "", "%s: the value is empty", s.name)
		}
	}
	words := []struct {
		name   string
		values []string
	}{
		{"model", []string{f.Model}},
		{"profile", []string{f.Profile}},
		{"enable", f.Enable},
		{"disable", f.Disable},
		{"add_dir", f.AddDir},
		{"config", f.Config},
	}
	for _, w := range words {
		for _, v := range w.values {
			if strings.HasPrefix(v, "-") {
				return providers.Errorf(providers.Usage, "", "%s: %q begins with a dash", w.name, v)
			}
		}
	}
	return nil
}

func checkConfig(f *fields) error {
	for _, v := range f.Config {
		if key, _, ok := strings.Cut(v, "="); !ok || strings.TrimSpace(key) == "" {
			return providers.Errorf(providers.Usage, "", "config: %q is not KEY=TOML", v)
		}
	}
	if f.LocalProvider != "" && !f.OSS {
		return providers.Errorf(providers.Usage, "", "local_provider does nothing without oss")
	}
	if (f.MCPApprove || f.MCPRequired) && len(f.MCPConfig) == 0 {
		return providers.Errorf(providers.Usage, "", "mcp_approve and mcp_required speak of the servers in mcp_config, and there are none").
			WithHint("for servers of your config use --set config=mcp_servers.NAME.required=true")
	}
	return nil
}

func checkFiles(r providers.Request, f *fields) error {
	for _, v := range f.Image {
		if strings.Contains(v, ",") {
			return providers.Errorf(providers.Usage, "", "image: codex splits %q at the comma", v).WithHint("rename or copy the file")
		}
	}
	if r.Given("schema") && !ndjson.Valid([]byte(f.Schema)) {
		return providers.Errorf(providers.Usage, "", "schema: it is not JSON")
	}
	return nil
}

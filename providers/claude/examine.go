package claude

import (
	"path/filepath"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

const askAuth = "auth"

// authStatus is what `claude auth status` prints (2.1.332); it calls nobody.
type authStatus struct {
	LoggedIn *bool  `json:"loggedIn"`
	Method   string `json:"authMethod"`
	Provider string `json:"apiProvider"`
}

// userConfig is the file without which no claude starts once it is broken.
func userConfig(m providers.Machine) string {
	if dir := m.Env("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return filepath.Join(m.Home, ".claude.json")
}

func userSettings(m providers.Machine) string {
	if dir := m.Env("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	return filepath.Join(m.Home, ".claude", "settings.json")
}

// Looks names the CLI's own account of its login, and the files that can stop it.
func (provider) Looks(m providers.Machine) providers.Looks {
	return providers.Looks{
		Node:  "18", // of releases that are scripts; the newer ones are native
		Files: []string{userConfig(m), userSettings(m)},
		Questions: []providers.Question{{
			Name: askAuth, Args: []string{"auth", "status"},
			Env: []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1"},
		}},
		ShellFlags: []string{"--allow-tool", "Bash"}, // full access is refused to the superuser
	}
}

// Diagnose judges login, config files and the superuser's limits.
func (provider) Diagnose(m providers.Machine, s providers.Seen) []providers.Finding {
	list := []providers.Finding{config(m, s), login(s)}
	if m.Root && m.Env("IS_SANDBOX") != "1" {
		list = append(list, providers.Doubt(providers.CheckAccess, "claude refuses full access to the superuser").
			Advise("run as another user, allow single tools with --allow-tool, or set IS_SANDBOX=1 inside a container"))
	}
	return list
}

func config(m providers.Machine, s providers.Seen) providers.Finding {
	if path := userConfig(m); broken(s, path) {
		return providers.Broken(providers.CheckConfig, providers.Usage, providers.ReasonConfig, "%s is not JSON: every start is refused", path).
			Advise("mend the file or move it aside; claude keeps copies in the folder backups below its configuration")
	}
	if path := userSettings(m); broken(s, path) {
		return providers.Doubt(providers.CheckConfig, "%s is not JSON", path).Advise("mend it, or your settings do not hold")
	}
	return providers.Fine(providers.CheckConfig, "the configuration can be read")
}

// broken reports whether a file is there, has something in it, and is no JSON.
func broken(s providers.Seen, path string) bool {
	f, ok := s.Files[path]
	return ok && (f.Err != nil || len(strings.TrimSpace(string(f.Data))) > 0 && !ndjson.Valid(f.Data))
}

func login(s providers.Seen) providers.Finding {
	var status authStatus
	answer := s.Answers[askAuth]
	if err := ndjson.Unmarshal([]byte(answer.Stdout), &status); err != nil || status.LoggedIn == nil {
		return providers.Doubt(providers.CheckLogin, "this claude does not tell whether it is logged in").
			Advise("`agentrun run claude hi` shows it, for a few tokens")
	}
	if !*status.LoggedIn {
		return providers.Broken(providers.CheckLogin, providers.Auth, providers.ReasonNotLoggedIn, "not logged in").
			Advise("run `claude auth login`, or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN")
	}
	by := strings.ReplaceAll(status.Method, "_", " ")
	if status.Provider != "" && status.Provider != "firstParty" {
		by += " (" + status.Provider + ")"
	}
	return providers.Fine(providers.CheckLogin, "logged in by %s", by)
}

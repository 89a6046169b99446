package gemini

import (
	"path/filepath"
	"runtime"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// userSettings is as much of settings.json as says whether the CLI starts.
type userSettings struct {
	Security struct {
		Auth struct {
			SelectedType string `json:"selectedType"`
		} `json:"auth"`
		FolderTrust struct {
			Enabled *bool `json:"enabled"` // on unless switched off
		} `json:"folderTrust"`
	} `json:"security"`
}

// places are the files that say whether the CLI is ready (read in the bundle of 0.61.0).
type places struct {
	system, user, trusted string
	oauth, stored         string   // logins that the CLI keeps
	env                   []string // .env files
}

func placesOf(m providers.Machine) places {
	home := m.Env("GEMINI_CLI_HOME")
	if home == "" {
		home = m.Home
	}
	dir := filepath.Join(home, ".gemini")
	p := places{
		system: m.Env("GEMINI_CLI_SYSTEM_SETTINGS_PATH"), user: filepath.Join(dir, "settings.json"),
		trusted: m.Env("GEMINI_CLI_TRUSTED_FOLDERS_PATH"),
		oauth:   filepath.Join(dir, "oauth_creds.json"), stored: filepath.Join(dir, "gemini-credentials.json"),
		env: []string{
			filepath.Join(m.Cwd, ".gemini", ".env"), filepath.Join(m.Cwd, ".env"),
			filepath.Join(dir, ".env"), filepath.Join(home, ".env"),
		},
	}
	if p.system == "" {
		p.system = "/etc/gemini-cli/settings.json"
		if runtime.GOOS == "darwin" {
			p.system = "/Library/Application Support/GeminiCli/settings.json"
		}
	}
	if p.trusted == "" {
		p.trusted = filepath.Join(dir, "trustedFolders.json")
	}
	return p
}

// Looks names the CLI's settings, logins and trust list: it has no command that
// tells of them.
func (provider) Looks(m providers.Machine) providers.Looks {
	p := placesOf(m)
	return providers.Looks{
		Node:       "20",
		Files:      append([]string{p.system, p.user, p.trusted, p.oauth, p.stored}, p.env...),
		ShellFlags: []string{"--access", accessFull},
	}
}

// Diagnose judges settings, login and the trust in the directory.
func (provider) Diagnose(m providers.Machine, s providers.Seen) []providers.Finding {
	p := placesOf(m)
	settings, bad := settingsOf(s, p.user, p.system)
	if bad != "" {
		return []providers.Finding{notJSON(bad)}
	}
	return []providers.Finding{
		providers.Fine(providers.CheckConfig, "the settings can be read"),
		diagnoseLogin(m, s, p, settings.Security.Auth.SelectedType),
		diagnoseTrust(m, s, p, settings),
	}
}

func notJSON(path string) providers.Finding {
	return providers.Broken(providers.CheckConfig, providers.Usage, providers.ReasonConfig, "%s is not JSON: every start is refused", path).
		Advise("mend the file or move it aside")
}

// settingsOf lays the later files over the earlier ones; bad is one that is no JSON.
func settingsOf(s providers.Seen, paths ...string) (settings userSettings, bad string) {
	for _, path := range paths {
		if f, ok := s.Files[path]; ok && (f.Err != nil || ndjson.Unmarshal(withoutComments(f.Data), &settings) != nil) {
			return settings, path
		}
	}
	return settings, ""
}

// diagnoseLogin follows the CLI's own check before it starts (0.61.0).
func diagnoseLogin(m providers.Machine, s providers.Seen, p places, selected string) providers.Finding {
	env := func(name string) string { return inEnv(m, s, p, name) }
	kind := selected
	switch {
	case kind != "":
	case env("GOOGLE_GENAI_USE_GCA") == "true":
		kind = "oauth-personal"
	case env("GOOGLE_GENAI_USE_VERTEXAI") == "true":
		kind = "vertex-ai"
	case env("GOOGLE_GEMINI_BASE_URL") != "":
		kind = "gateway"
	case env("GEMINI_API_KEY") != "":
		kind = "gemini-api-key"
	}
	none := func(format string, args ...any) providers.Finding {
		return providers.Broken(providers.CheckLogin, providers.Auth, providers.ReasonNotLoggedIn, format, args...)
	}
	switch kind {
	case "":
		return none("not logged in").Advise("set GEMINI_API_KEY, or run `gemini` once at a terminal and log in")
	case "oauth-personal":
		if s.Exists(p.oauth) || s.Exists(p.stored) {
			return providers.Fine(providers.CheckLogin, "logged in with a Google account")
		}
		return providers.Doubt(providers.CheckLogin, "a Google account is selected, but %s is missing", p.oauth).
			Advise("run `gemini` once at a terminal and log in, if the login is not in the system's keychain")
	case "gemini-api-key":
		if env("GEMINI_API_KEY") != "" || s.Exists(p.stored) {
			return providers.Fine(providers.CheckLogin, "the key is in GEMINI_API_KEY or stored")
		}
		return none("a key is selected, but GEMINI_API_KEY is not set").Advise("set GEMINI_API_KEY")
	case "vertex-ai":
		if env("GOOGLE_API_KEY") != "" || env("GOOGLE_CLOUD_PROJECT") != "" && env("GOOGLE_CLOUD_LOCATION") != "" {
			return providers.Fine(providers.CheckLogin, "Vertex AI is set up")
		}
		return none("Vertex AI is selected, but not set up").Advise("set GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION, or GOOGLE_API_KEY")
	case "compute-default-credentials":
		return providers.Fine(providers.CheckLogin, "the machine's own account is used")
	}
	return none("the kind of login %q does not work without a terminal", kind).
		Advise(`put {"security":{"auth":{"selectedType":"gemini-api-key"}}} into %s: with GOOGLE_GEMINI_BASE_URL set, the CLI guesses wrong`, p.user)
}

// inEnv is a variable of the environment or, where it has none, of a .env file.
func inEnv(m providers.Machine, s providers.Seen, p places, name string) string {
	if v := m.Env(name); v != "" {
		return v
	}
	for _, path := range p.env {
		for line := range strings.Lines(string(s.Files[path].Data)) {
			key, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			if ok && strings.TrimSpace(key) == name {
				return strings.Trim(strings.TrimSpace(value), `"'`)
			}
		}
	}
	return ""
}

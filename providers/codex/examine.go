package codex

import (
	"path/filepath"
	"strings"

	"agentrun/providers"
)

// The questions to codex; see Looks.
const (
	askLogin   = "login"
	askSandbox = "sandbox"
)

// home is codex's own folder.
func home(m providers.Machine) string {
	if dir := m.Env("CODEX_HOME"); dir != "" {
		return dir
	}
	return filepath.Join(m.Home, ".codex")
}

// gitDirs are the places where a repository around dir would be.
func gitDirs(dir string) []string {
	var list []string
	for {
		list = append(list, filepath.Join(dir, ".git"))
		parent := filepath.Dir(dir)
		if parent == dir {
			return list
		}
		dir = parent
	}
}

// Looks names codex's own account of its login and a try of its sandbox, both
// without a call to anyone (0.171.0).
func (provider) Looks(m providers.Machine) providers.Looks {
	return providers.Looks{
		Node:  "16", // of the launcher
		Files: append(gitDirs(m.Cwd), filepath.Join(home(m), "config.toml")),
		Questions: []providers.Question{
			{Name: askLogin, Args: []string{"login", "status"}},
			{Name: askSandbox, Args: []string{"sandbox", "true"}},
		},
		ShellFlags: []string{"--access", accessFull},
	}
}

// Diagnose judges login and config, the trust in the directory, and the sandbox.
func (provider) Diagnose(m providers.Machine, s providers.Seen) []providers.Finding {
	config := tomlStrings(string(s.Files[filepath.Join(home(m), "config.toml")].Data))
	list := []providers.Finding{diagnoseLogin(m, s.Answers[askLogin], config), diagnoseTrust(m, s, config)}
	if f, ok := diagnoseSandbox(s.Answers[askSandbox]); ok {
		list = append(list, f)
	}
	return list
}

func diagnoseLogin(m providers.Machine, a providers.Answer, config map[string]string) providers.Finding {
	said := strings.TrimSpace(a.Stdout + "\n" + a.Stderr)
	none := strings.Contains(said, "Not logged in")
	name := config["model_provider"]
	key := config["model_providers."+name+".env_key"]
	switch {
	case a.Code != 0 && !none:
		return providers.Broken(providers.CheckConfig, providers.Usage, providers.ReasonConfig, "codex does not start: %s", lastLine(said)).
			Advise("mend %s", filepath.Join(home(m), "config.toml"))
	case name != "" && name != "openai" && key != "" && m.Env(key) == "":
		return providers.Broken(providers.CheckLogin, providers.Auth, providers.ReasonNotLoggedIn, "the model provider %s has its key in %s, which is not set", name, key).
			Advise("set %s", key)
	case name != "" && name != "openai":
		return providers.Fine(providers.CheckLogin, "codex uses the model provider %s of its config", name)
	case m.Env("CODEX_API_KEY") != "":
		return providers.Fine(providers.CheckLogin, "the key is in CODEX_API_KEY")
	case none:
		return providers.Broken(providers.CheckLogin, providers.Auth, providers.ReasonNotLoggedIn, "not logged in").
			Advise("run `codex login`, or set CODEX_API_KEY (codex exec does not look at OPENAI_API_KEY)")
	}
	return providers.Fine(providers.CheckLogin, "%s", lastLine(said))
}

func lastLine(text string) string {
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// diagnoseTrust: codex exec works in a git repository or in a trusted directory.
func diagnoseTrust(m providers.Machine, s providers.Seen, config map[string]string) providers.Finding {
	for _, dir := range gitDirs(m.Cwd) {
		if s.Exists(dir) {
			return providers.Fine(providers.CheckTrust, "%s is a git repository", filepath.Dir(dir))
		}
	}
	if config[`projects.`+providers.QuoteTOML(m.Cwd)+`.trust_level`] == "trusted" {
		return providers.Fine(providers.CheckTrust, "codex trusts %s", m.Cwd)
	}
	return providers.Broken(providers.CheckTrust, providers.Permission, providers.ReasonUntrusted, "%s is neither a git repository nor trusted by codex", m.Cwd).
		Advise("run it in a git repository, or add --set skip_git_repo_check=true")
}

// diagnoseSandbox judges a command in codex's sandbox. A codex that does not know
// the question (status 2) says nothing.
func diagnoseSandbox(a providers.Answer) (providers.Finding, bool) {
	switch a.Code {
	case 0:
		return providers.Fine(providers.CheckSandbox, "codex's sandbox works"), true
	case 2, -1:
		return providers.Finding{}, false
	}
	return providers.Broken(providers.CheckSandbox, providers.Permission, providers.ReasonSandbox, "codex's sandbox cannot start, so that every command fails: %s", lastLine(strings.TrimSpace(a.Stderr))).
		Advise("allow unprivileged user namespaces on this machine; or, inside another sandbox, use --access full"), true
}

// tomlStrings reads the strings of a TOML file by their dotted keys, and nothing
// else: enough for a diagnosis.
func tomlStrings(text string) map[string]string {
	values, section := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "["); ok && !strings.HasPrefix(line, "[[") {
			if name, _, ok = strings.Cut(name, "]"); ok {
				section = strings.TrimSpace(name) + "."
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if value = strings.TrimSpace(value); !ok || value == "" || value[0] != '"' && value[0] != '\'' {
			continue
		}
		if end := strings.IndexByte(value[1:], value[0]); end >= 0 {
			values[section+strings.TrimSpace(key)] = value[1 : end+1]
		}
	}
	return values
}

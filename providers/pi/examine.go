package pi

import (
	"path/filepath"
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

const askModels = "models"

// agentDir is pi's own folder; see the trap in Diagnose for a missing HOME.
func agentDir(m providers.Machine) string {
	if dir := m.Env("PI_CODING_AGENT_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(m.Home, ".pi", "agent")
}

// nodeOf is the oldest Node.js that runs a release of pi.
func nodeOf(version string) string {
	if older(version, "0.74.0") {
		return "20.6"
	}
	return "22.19"
}

// Looks names the list of usable models: pi prints those it has a login for, and
// with PI_OFFLINE asks nobody (1.6.0; 0.73.1 on stderr).
func (provider) Looks(m providers.Machine) providers.Looks {
	dir := agentDir(m)
	return providers.Looks{
		Node:       nodeOf(m.Version),
		Files:      []string{filepath.Join(dir, "models.json"), filepath.Join(dir, "settings.json")},
		Questions:  []providers.Question{{Name: askModels, Args: []string{"--list-models"}, Env: []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1"}}},
		ShellFlags: []string{"--access", "full"},
	}
}

// Diagnose judges login and config, and says what no flag can change.
func (provider) Diagnose(m providers.Machine, s providers.Seen) []providers.Finding {
	list := []providers.Finding{diagnoseConfig(m, s), diagnoseLogin(s.Answers[askModels])}
	return append(list, providers.Fine(providers.CheckSandbox, "pi has none: its tools run with your rights, and --access only chooses which it is offered"))
}

func diagnoseConfig(m providers.Machine, s providers.Seen) providers.Finding {
	if m.Env("HOME") == "" && m.Env("PI_CODING_AGENT_DIR") == "" {
		return providers.Doubt(providers.CheckConfig, "HOME is empty: pi keeps its files in .pi/agent of the working directory").Advise("set HOME")
	}
	for _, name := range []string{"models.json", "settings.json"} {
		path := filepath.Join(agentDir(m), name)
		if f, ok := s.Files[path]; ok && (f.Err != nil || !ndjson.Valid(f.Data)) {
			return providers.Doubt(providers.CheckConfig, "%s is not JSON: pi goes on as if it were empty", path).Advise("mend it")
		}
	}
	return providers.Fine(providers.CheckConfig, "the configuration can be read")
}

func diagnoseLogin(a providers.Answer) providers.Finding {
	said := a.Stdout + "\n" + a.Stderr
	if strings.Contains(said, "No models available") {
		return providers.Broken(providers.CheckLogin, providers.Auth, providers.ReasonNotLoggedIn, "not logged in to any model provider").
			Advise("run `pi`, then /login, or set the key variable of a model provider, like ANTHROPIC_API_KEY or OPENAI_API_KEY")
	}
	names := modelProviders(said)
	if a.Code != 0 || len(names) == 0 {
		return providers.Doubt(providers.CheckLogin, "this pi does not tell which models it can use").
			Advise("`agentrun run pi hi` shows it, for a few tokens")
	}
	return providers.Fine(providers.CheckLogin, "logged in to %s", strings.Join(names, ", "))
}

// modelProviders are the first words below the head of the table of models.
func modelProviders(table string) []string {
	var names []string
	head := false
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		switch {
		case len(words) >= 4 && words[0] == "provider" && words[1] == "model":
			head = true
		case head && len(words) >= 4 && !slices.Contains(names, words[0]):
			names = append(names, words[0])
		}
	}
	return names
}

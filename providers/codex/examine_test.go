package codex

import (
	"testing"

	"agentrun/conformance"
	"agentrun/providers"
)

func TestDiagnose(t *testing.T) {
	const (
		ready  = "ok login: Logged in using ChatGPT"
		repo   = "ok trust: /src/repo is a git repository"
		boxed  = "ok sandbox: codex's sandbox works"
		config = "/home/dev/.codex/config.toml"
	)
	in := providers.Answer{Stderr: "WARNING: noise\nLogged in using ChatGPT\n"}
	out := providers.Answer{Code: 1, Stderr: "Not logged in\n"}
	git := map[string]string{"/src/repo/.git": ""}
	tests := []struct {
		name           string
		env            []string
		files          map[string]string
		login, sandbox providers.Answer
		want           []string
	}{
		{name: "ready", files: git, login: in, want: []string{ready, repo, boxed}},
		{name: "no login", files: git, login: out, want: []string{"failed login auth/not_logged_in: not logged in", repo, boxed}},
		{name: "key of exec", env: []string{"CODEX_API_KEY=k"}, files: git, login: out, want: []string{"ok login: the key is in CODEX_API_KEY", repo, boxed}},
		{name: "key that exec does not read", env: []string{"OPENAI_API_KEY=k"}, files: git, login: out, want: []string{"failed login auth/not_logged_in: not logged in", repo, boxed}},
		{name: "broken config", files: git, login: providers.Answer{Code: 1, Stderr: "Error loading configuration: config.toml:1:19: unclosed array"}, want: []string{
			"failed config usage/config: codex does not start: Error loading configuration: config.toml:1:19: unclosed array", repo, boxed,
		}},
		{
			name: "model provider without its key", login: out,
			files: map[string]string{"/src/repo/.git": "", config: "model_provider = \"own\" # a comment\n\n[model_providers.own]\nenv_key = 'OWN_KEY'\n"},
			want:  []string{"failed login auth/not_logged_in: the model provider own has its key in OWN_KEY, which is not set", repo, boxed},
		},
		{
			name: "model provider with its key", login: out, env: []string{"OWN_KEY=k"},
			files: map[string]string{"/src/repo/.git": "", config: "model_provider=\"own\"\n[model_providers.own]\nenv_key=\"OWN_KEY\"\n"},
			want:  []string{"ok login: codex uses the model provider own of its config", repo, boxed},
		},
		{name: "below a repository", files: map[string]string{"/src/.git": ""}, login: in, want: []string{ready, "ok trust: /src is a git repository", boxed}},
		{name: "no repository", login: in, want: []string{
			ready, "failed trust permission/workspace_untrusted: /src/repo is neither a git repository nor trusted by codex", boxed,
		}},
		{
			name: "trusted", login: in,
			files: map[string]string{config: "[projects.\"/src/repo\"]\ntrust_level = \"trusted\"\n"},
			want:  []string{ready, "ok trust: codex trusts /src/repo", boxed},
		},
		{
			name: "another is trusted", login: in,
			files: map[string]string{config: "[projects.\"/src/other\"]\ntrust_level = \"trusted\"\n[projects.\"/src/repo\"]\ntrust_level = \"untrusted\"\n"},
			want:  []string{ready, "failed trust permission/workspace_untrusted: /src/repo is neither a git repository nor trusted by codex", boxed},
		},
		{
			name: "no user namespaces", files: git, login: in,
			sandbox: providers.Answer{Code: 1, Stderr: "bwrap: Creating new namespace failed: (ENOSPC)\n"},
			want: []string{
				ready, repo,
				"failed sandbox permission/sandbox: codex's sandbox cannot start, so that every command fails: bwrap: Creating new namespace failed: (ENOSPC)",
			},
		},
		{name: "a release without the question", files: git, login: in, sandbox: providers.Answer{Code: 2, Stderr: "error: unrecognized subcommand"}, want: []string{ready, repo}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := providers.Machine{Home: "/home/dev", Cwd: "/src/repo", Env: providers.Lookup(tt.env)}
			p := provider{}
			seen := providers.Seen{
				Files:   conformance.SeenTexts(tt.files),
				Answers: map[string]providers.Answer{askLogin: tt.login, askSandbox: tt.sandbox},
			}
			conformance.Findings(t, p, m, seen, tt.want)
		})
	}
}

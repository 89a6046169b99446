package gemini

import (
	"slices"
	"testing"

	"agentrun/conformance"
	"agentrun/providers"
)

func TestDiagnose(t *testing.T) {
	const (
		user    = "/home/dev/.gemini/settings.json"
		system  = "/etc/system.json"
		rules   = "/home/dev/.gemini/trustedFolders.json"
		reads   = "ok config: the settings can be read"
		key     = "ok login: the key is in GEMINI_API_KEY or stored"
		trusts  = "ok trust: GEMINI_CLI_TRUST_WORKSPACE trusts every directory"
		none    = "failed login auth/not_logged_in: "
		doesNot = "failed trust permission/workspace_untrusted: "
	)
	keyed := []string{"GEMINI_API_KEY=k", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	trusted := []string{"GEMINI_CLI_TRUST_WORKSPACE=true"}
	with := func(env []string, more ...string) []string { return slices.Concat(env, more) }
	selected := func(kind string) string { return `{"security":{"auth":{"selectedType":"` + kind + `"}}}` }
	tests := []struct {
		name  string
		env   []string
		files map[string]string
		want  []string
	}{
		{name: "ready", env: keyed, want: []string{reads, key, trusts}},
		{name: "no login", env: trusted, want: []string{reads, none + "not logged in", trusts}},
		{name: "selected without a key", env: trusted, files: map[string]string{user: selected("gemini-api-key")}, want: []string{
			reads, none + "a key is selected, but GEMINI_API_KEY is not set", trusts,
		}},
		{name: "key in a .env file", env: trusted, files: map[string]string{
			user: selected("gemini-api-key"), "/home/dev/.gemini/.env": "# mine\nexport GEMINI_API_KEY=\"k\"\n",
		}, want: []string{reads, key, trusts}},
		{name: "account", env: trusted, files: map[string]string{user: selected("oauth-personal"), "/home/dev/.gemini/oauth_creds.json": "{}"}, want: []string{
			reads, "ok login: logged in with a Google account", trusts,
		}},
		{name: "account without a login", env: with(trusted, "GOOGLE_GENAI_USE_GCA=true"), want: []string{
			reads, "warning login: a Google account is selected, but /home/dev/.gemini/oauth_creds.json is missing", trusts,
		}},
		{name: "half of Vertex AI", env: with(trusted, "GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=p"), want: []string{
			reads, none + "Vertex AI is selected, but not set up", trusts,
		}},
		{name: "Vertex AI", env: with(trusted, "GOOGLE_GENAI_USE_VERTEXAI=true", "GOOGLE_CLOUD_PROJECT=p", "GOOGLE_CLOUD_LOCATION=l"), want: []string{
			reads, "ok login: Vertex AI is set up", trusts,
		}},
		{name: "an endpoint hides the key", env: with(keyed, "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1"), want: []string{
			reads, none + `the kind of login "gateway" does not work without a terminal`, trusts,
		}},
		{name: "the system's settings win", env: with(keyed, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+system), files: map[string]string{
			user: selected("oauth-personal"), system: selected("gemini-api-key"),
		}, want: []string{reads, key, trusts}},
		{name: "comments", env: keyed, files: map[string]string{user: "// mine\n{\"security\":/* \" */{\"auth\":{\"selectedType\":\"gemini-api-key\"}}} // http://x"}, want: []string{reads, key, trusts}},
		{name: "broken settings", env: keyed, files: map[string]string{user: "{"}, want: []string{
			"failed config usage/config: " + user + " is not JSON: every start is refused",
		}},
		{name: "untrusted", env: keyed[:1], want: []string{reads, key, doesNot + "gemini does not trust /src/repo"}},
		{name: "trust denied by the environment", env: with(keyed, "GEMINI_RESTRICTED_MODE=true"), want: []string{
			reads, key, doesNot + "the environment says that /src/repo is not trusted",
		}},
		{name: "trust switched off", env: keyed[:1], files: map[string]string{user: `{"security":{"folderTrust":{"enabled":false}}}`}, want: []string{
			reads, key, "ok trust: folder trust is switched off",
		}},
		{name: "in the list", env: keyed[:1], files: map[string]string{rules: `{"/src":"TRUST_FOLDER","/src/repository":"DO_NOT_TRUST"}`}, want: []string{
			reads, key, "ok trust: gemini trusts /src/repo",
		}},
		{name: "the longest rule", env: keyed[:1], files: map[string]string{rules: `{"/src":"TRUST_FOLDER","/src/repo":"DO_NOT_TRUST"}`}, want: []string{
			reads, key, doesNot + "gemini's trust list says no to /src/repo",
		}},
		{name: "by a sibling", env: keyed[:1], files: map[string]string{rules: `{"/src/other":"TRUST_PARENT"}`}, want: []string{
			reads, key, "ok trust: gemini trusts /src/repo",
		}},
		{name: "broken list", env: keyed[:1], files: map[string]string{rules: `[`}, want: []string{
			reads, key, "failed config usage/config: " + rules + " is not JSON: every start is refused",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := providers.Machine{Home: "/home/dev", Cwd: "/src/repo", Env: providers.Lookup(tt.env)}
			p := provider{}
			seen := providers.Seen{Files: conformance.SeenTexts(tt.files)}
			conformance.Findings(t, p, m, seen, tt.want)
		})
	}
}

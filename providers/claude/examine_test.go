package claude

import (
	"io/fs"
	"testing"

	"agentrun/conformance"
	"agentrun/providers"
)

func TestDiagnose(t *testing.T) {
	const (
		config   = "/home/dev/.claude.json"
		settings = "/home/dev/.claude/settings.json"
		elseways = "/etc/claude/.claude.json"
	)
	in := providers.Answer{Stdout: `{"loggedIn":true,"authMethod":"api_key","apiProvider":"firstParty"}`}
	file := func(path, text string) map[string]providers.SeenFile {
		return map[string]providers.SeenFile{path: {Data: []byte(text)}}
	}
	tests := []struct {
		name  string
		env   []string
		root  bool
		files map[string]providers.SeenFile
		auth  providers.Answer
		want  []string
	}{
		{name: "ready", files: file(config, "{}"), auth: in, want: []string{
			"ok config: the configuration can be read", "ok login: logged in by api key",
		}},
		{name: "cloud", auth: providers.Answer{Stdout: `{"loggedIn":true,"authMethod":"third_party","apiProvider":"bedrock"}`}, want: []string{
			"ok config: the configuration can be read", "ok login: logged in by third party (bedrock)",
		}},
		{name: "no login", auth: providers.Answer{Code: 1, Stdout: `{"loggedIn":false,"authMethod":"none"}`}, want: []string{
			"ok config: the configuration can be read", "failed login auth/not_logged_in: not logged in",
		}},
		{name: "a release that does not tell", auth: providers.Answer{Code: 1, Stderr: "error: unknown command 'auth'"}, want: []string{
			"ok config: the configuration can be read", "warning login: this claude does not tell whether it is logged in",
		}},
		{name: "broken config", files: file(config, "{broken"), auth: in, want: []string{
			"failed config usage/config: " + config + " is not JSON: every start is refused", "ok login: logged in by api key",
		}},
		{name: "broken config elsewhere", env: []string{"CLAUDE_CONFIG_DIR=/etc/claude"}, files: file(elseways, "{broken"), auth: in, want: []string{
			"failed config usage/config: " + elseways + " is not JSON: every start is refused", "ok login: logged in by api key",
		}},
		{name: "broken settings", files: file(settings, "{,}"), auth: in, want: []string{
			"warning config: " + settings + " is not JSON", "ok login: logged in by api key",
		}},
		{name: "unreadable config", files: map[string]providers.SeenFile{config: {Err: fs.ErrPermission}}, auth: in, want: []string{
			"failed config usage/config: " + config + " is not JSON: every start is refused", "ok login: logged in by api key",
		}},
		{name: "superuser", root: true, auth: in, want: []string{
			"ok config: the configuration can be read", "ok login: logged in by api key", "warning access: claude refuses full access to the superuser",
		}},
		{name: "superuser in a sandbox", root: true, env: []string{"IS_SANDBOX=1"}, auth: in, want: []string{
			"ok config: the configuration can be read", "ok login: logged in by api key",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := providers.Machine{Home: "/home/dev", Cwd: "/repo", Root: tt.root, Env: providers.Lookup(tt.env)}
			p := provider{}
			looks := p.Looks(m)
			seen := providers.Seen{Files: tt.files, Answers: map[string]providers.Answer{looks.Questions[0].Name: tt.auth}}
			conformance.Findings(t, p, m, seen, tt.want)
		})
	}
}

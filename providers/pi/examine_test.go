package pi

import (
	"testing"

	"agentrun/conformance"
	"agentrun/providers"
)

func TestDiagnose(t *testing.T) {
	const (
		reads  = "ok config: the configuration can be read"
		rights = "ok sandbox: pi has none: its tools run with your rights, and --access only chooses which it is offered"
		models = "provider   model   context  max-out  thinking  images\nanthropic  one     1M  128K  yes  yes\nanthropic  two  1M  8K  no  no\nopenai  three  1M  8K  no  no\n"
		none   = "No models available. Use /login to log into a provider via OAuth or API key. See:\n  /docs/providers.md"
	)
	home := []string{"HOME=/home/dev"}
	tests := []struct {
		name  string
		env   []string
		files map[string]string
		said  providers.Answer
		want  []string
	}{
		{name: "ready", env: home, said: providers.Answer{Stdout: models}, want: []string{reads, "ok login: logged in to anthropic, openai", rights}},
		{name: "ready, 0.73.1", env: home, said: providers.Answer{Stderr: models}, want: []string{reads, "ok login: logged in to anthropic, openai", rights}},
		{name: "no login", env: home, said: providers.Answer{Stdout: none, Stderr: "Warning: " + none}, want: []string{
			reads, "failed login auth/not_logged_in: not logged in to any model provider", rights,
		}},
		{name: "no answer", env: home, said: providers.Answer{Code: -1}, want: []string{
			reads, "warning login: this pi does not tell which models it can use", rights,
		}},
		{name: "no HOME", said: providers.Answer{Stdout: models}, want: []string{
			"warning config: HOME is empty: pi keeps its files in .pi/agent of the working directory", "ok login: logged in to anthropic, openai", rights,
		}},
		{
			name: "broken models", env: []string{"PI_CODING_AGENT_DIR=/srv/pi"}, files: map[string]string{"/srv/pi/models.json": "{"}, said: providers.Answer{Stdout: models},
			want: []string{
				"warning config: /srv/pi/models.json is not JSON: pi goes on as if it were empty", "ok login: logged in to anthropic, openai", rights,
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := providers.Lookup(tt.env)
			m := providers.Machine{Home: env("HOME"), Cwd: "/src/repo", Env: env}
			p := provider{}
			seen := providers.Seen{Files: conformance.SeenTexts(tt.files), Answers: map[string]providers.Answer{askModels: tt.said}}
			conformance.Findings(t, p, m, seen, tt.want)
		})
	}
}

func TestNode(t *testing.T) {
	for version, want := range map[string]string{"": "22.19", "0.73.1": "20.6", "1.6.0": "22.19"} {
		p := provider{}
		got := p.Looks(providers.Machine{Version: version, Env: providers.Lookup(nil)}).Node
		if got != want {
			t.Errorf("pi %q needs Node.js %s, want %s", version, got, want)
		}
	}
}

package config_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/config"
)

func schema() config.Schema {
	return config.Schema{
		Keys: []config.Key{
			{Name: "model", Kind: config.Text, Reach: config.Shared},
			{Name: "access", Kind: config.Text, Choices: []string{"read-only", "edit", "full"}, Reach: config.Shared, Only: "read-only"},
			{Name: "timeout", Kind: config.Duration, Reach: config.Tighten},
			{Name: "max-cost", Kind: config.Number, Reach: config.Tighten},
			{Name: "max-turns", Kind: config.Int, Reach: config.Tighten},
			{Name: "deny-tool", Kind: config.List, Reach: config.Tighten},
			{Name: "strict", Kind: config.Bool, Reach: config.Shared, Only: "true"},
			{Name: "bin", Kind: config.Text},
			{Name: "env", Kind: config.List},
		},
		Fields: map[string][]config.Key{
			"claude": {{Name: "permission_mode", Kind: config.Text, Choices: []string{"plan", "default"}}},
			"pi":     {{Name: "offline", Kind: config.Bool}},
		},
		Events: []string{"before_run", "after_run"}, HookTimeout: 30 * time.Second,
		Nearest: func(word string, candidates []string) string {
			for _, c := range candidates {
				if word != "" && c[:1] == word[:1] {
					return c
				}
			}
			return ""
		},
	}
}

func parse(t *testing.T, repository bool, text string) *config.File {
	t.Helper()
	name := "config.toml"
	if repository {
		name = ".agentrun.toml"
	}
	f, err := config.Parse(name, []byte(text), repository, schema())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const userFile = `
[defaults]
timeout = "1h"
max_cost = 2
deny-tool = ["WebFetch"]
model = "small"

[providers.claude]
bin = "/opt/claude"
model = "opus"
fields = {permission-mode = "plan"}

[profiles.review]
provider = "claude"
access = "edit"
max-turns = 20

[aliases]
cc = "claude"
`

const repositoryFile = `
[defaults]
timeout = "2h"
max-cost = 1.5
deny-tool = ["Bash(rm *)"]
model = "team"
strict = true

[profiles.review]
access = "read-only"
model = "hidden"

[profiles.quick]
provider = "pi"
timeout = "5m"

[aliases]
cc = "pi"
q = "pi"
`

// show writes settings as `name=values @line`, with what they beat.
func show(settings []config.Setting) string {
	var b strings.Builder
	for _, s := range settings {
		b.WriteString(s.Name + "=" + strings.Join(s.Values, "|") + " " + s.Origin.String())
		for _, o := range s.Over {
			b.WriteString(" over " + o.String())
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestSettings(t *testing.T) {
	files := config.Files{User: parse(t, false, userFile), Repository: parse(t, true, repositoryFile)}
	tests := []struct{ name, provider, profile, want string }{
		{"a provider without a section", "pi", "", `
deny-tool=WebFetch|Bash(rm *) .agentrun.toml:5:1 over config.toml:5:1
max-cost=1.5 .agentrun.toml:4:1 over config.toml:4:1
model=team .agentrun.toml:6:1 over config.toml:6:1
strict=true .agentrun.toml:7:1
timeout=1h config.toml:3:1 over .agentrun.toml:3:1
`},
		{"a profile of both files is the user's", "claude", "review", `
access=edit config.toml:15:1
bin=/opt/claude config.toml:9:1
deny-tool=WebFetch|Bash(rm *) .agentrun.toml:5:1 over config.toml:5:1
fields.permission_mode=plan config.toml:11:11
max-cost=1.5 .agentrun.toml:4:1 over config.toml:4:1
max-turns=20 config.toml:16:1
model=opus config.toml:10:1 over .agentrun.toml:6:1 over config.toml:6:1
strict=true .agentrun.toml:7:1
timeout=1h config.toml:3:1 over .agentrun.toml:3:1
`},
		{"a lower limit of the repository holds", "pi", "quick", `
deny-tool=WebFetch|Bash(rm *) .agentrun.toml:5:1 over config.toml:5:1
max-cost=1.5 .agentrun.toml:4:1 over config.toml:4:1
model=team .agentrun.toml:6:1 over config.toml:6:1
strict=true .agentrun.toml:7:1
timeout=5m .agentrun.toml:15:1 over .agentrun.toml:3:1 over config.toml:3:1
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, "\n"+show(files.Settings(schema(), tt.provider, tt.profile))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	files := config.Files{User: parse(t, false, userFile), Repository: parse(t, true, repositoryFile)}
	if p, ok := files.Profile("quick"); !ok || p.Provider != "pi" || !p.Origin.Repository {
		t.Errorf("profile quick: %+v, %v", p, ok)
	}
	if p, ok := files.Profile("review"); !ok || p.Provider != "claude" || p.Origin.Repository {
		t.Errorf("profile review: %+v, %v", p, ok)
	}
	if _, ok := files.Profile("none"); ok {
		t.Error("a profile that is in no file")
	}
	if got := files.Aliases(); got["cc"].Provider != "claude" || got["q"].Provider != "pi" {
		t.Errorf("aliases: %v", got)
	}
	if got := (config.Files{}).Settings(schema(), "pi", ""); len(got) != 0 {
		t.Errorf("settings of no file: %v", got)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name, text string
		repository bool
		want       string // FILE:LINE:COLUMN left out
		hint       string
	}{
		{"syntax", "[defaults]\nmodel = small\n", false, "2:9: ", "TOML"},
		{"twice", "[defaults]\nmodel = 'a'\nmodel = 'b'\n", false, "3:1: ", "TOML"},
		{"no section", "model = 'a'\n", false, `1:1: "model" stands in no section`, "[defaults]"},
		{"unknown section", "[default]\nmodel = 'a'\n", false, `1:2: unknown section "default"`, "did you mean defaults?"},
		{"array of tables", "[[profiles]]\nmodel = 'a'\n", false, `1:3: "profiles" is a section`, "[profiles.NAME]"},
		{"unknown setting", "[defaults]\nmodell = 'a'\n", false, `2:1: unknown setting "modell"`, "did you mean model?"},
		{"setting with parts", "[defaults]\nmodel.x = 'a'\n", false, `2:7: model wants a text in quotes`, ""},
		{"unknown provider", "[providers.clod]\nmodel = 'a'\n", false, `1:12: unknown provider "clod"`, "did you mean claude?"},
		{"unknown field", "[providers.claude.fields]\nperm = 'a'\n", false, `2:1: claude has no field "perm"`, "did you mean permission_mode?"},
		{"field of a profile", "[profiles.x]\nfields.perm = 'a'\nprovider = 'claude'\n", false, `2:8: claude has no field "perm"`, "permission_mode"},
		{"fields of no provider", "[defaults.fields]\nx = 1\n", false, `2:1: fields belong to a provider`, "[providers.NAME.fields]"},
		{"choice", "[defaults]\naccess = 'ful'\n", false, `2:1: access: "ful" is none of read-only, edit, full`, "did you mean full?"},
		{"number as text", "[defaults]\nmax-turns = '3'\n", false, `2:1: max-turns wants a whole number of at least 0, without quotes, found the text "3"`, ""},
		{"negative", "[defaults]\nmax-turns = -3\n", false, `found -3`, ""},
		{"time without unit", "[defaults]\ntimeout = 30\n", false, `timeout wants a time in quotes, like "90s" or "10m", found 30`, ""},
		{"text for a list", "[defaults]\nenv = 'A=b'\n", false, `env wants a list of texts, like ["one", "two"], found the text`, ""},
		{"list for a text", "[defaults]\nmodel = ['a']\n", false, `model wants a text in quotes, found a list`, ""},
		{"numbers in a list", "[defaults]\nenv = [1]\n", false, `env wants a list of texts`, ""},
		{"date", "[defaults]\nmodel = 2026-01-02\n", false, `found a date or time`, ""},
		{"alias of nobody", "[aliases]\nx = 'nobody'\n", false, `2:1: unknown provider "nobody"`, "claude, pi"},
		{"alias of a provider's name", "[aliases]\npi = 'claude'\n", false, `2:1: "pi" is the name of a provider`, ""},

		{"hooks as a section", "[hooks]\nevent = 'before_run'\n", false, `1:2: hooks is a list of tables`, "[[hooks]]"},
		{"hooks as a section by number", "[hooks.7]\nevent = 'before_run'\n", false, `1:2: hooks is a list of tables`, "[[hooks]]"},
		{"hooks as a list of texts", "hooks = ['x']\n", false, `1:1: hooks is a list of tables`, "[[hooks]]"},
		{"hook without a command", "[[hooks]]\nevent = 'after_run'\n\n", false, `1:3: the hook has no command`, "command = ["},
		{"hook without an event", "[[hooks]]\nevent = 'after_run'\ncommand = ['x']\n[[hooks]]\ncommand = ['x']\n", false, `4:3: the hook has no event`, "before_run, after_run"},
		{"hook with nothing", "[[hooks]]\n", false, `1:3: the hook has no event`, ""},
		{"hook with an unknown key", "[[hooks]]\nevents = 'after_run'\n", false, `2:1: unknown key "events" of a hook`, "did you mean event?"},
		{"hook of an unknown event", "[[hooks]]\nevent = ['after_run', 'aft']\n", false, `2:1: event: "aft" is none of before_run, after_run`, "did you mean after_run?"},
		{"hook of an unknown provider", "[[hooks]]\nprovider = 'clod'\n", false, `2:1: provider: "clod" is none of claude, pi`, "did you mean claude?"},
		{"hook with a line for a command", "[[hooks]]\ncommand = 'a b'\n", false, `2:1: command wants a list of texts`, ""},
		{"hook with an empty command", "[[hooks]]\ncommand = []\n", false, `2:1: command wants a list of texts`, ""},
		{"hook with an empty program", "[[hooks]]\ncommand = ['', 'x']\n", false, `2:1: command begins with the program`, ""},
		{"hook with an empty tool", "[[hooks]]\ntool = ''\n", false, `2:1: tool wants a text in quotes, or a list of such`, ""},
		{"hook without a limit", "[[hooks]]\ntimeout = '0s'\n", false, `2:1: timeout wants more than 0`, ""},
		{"hook with a number for a time", "[[hooks]]\ntimeout = 5\n", false, `2:1: timeout wants a time in quotes`, ""},
		{"hook that allows when it fails", "[[hooks]]\non_failure = 'allow'\n", false, `2:1: on_failure: "allow" is none of block, proceed`, ""},
		{"hook with a table", "[[hooks]]\ncommand = ['x']\n[hooks.event]\nx = 1\n", false, `event wants a text in quotes, or a list of such, found`, ""},
		{"hook with a table of no name", "[[hooks]]\ncommand = ['x']\n[hooks.more]\nx = 1\n", false, `1:3: unknown key "more" of a hook`, ""},

		{"repository: hooks", "[defaults]\nmodel = 'a'\n[[hooks]]\nevent = 'after_run'\n", true, `3:3: a repository's file cannot set hooks`, "config path"},
		{"repository: hooks in a line", "hooks = [{event = 'after_run', command = ['x']}]\n", true, `1:1: a repository's file cannot set hooks`, ""},
		{"repository: hooks that are none", "hooks = 1\n", true, `1:1: a repository's file cannot set hooks`, ""},
		{"repository: no hooks", "hooks = []\n", true, `1:1: a repository's file cannot set hooks`, ""},
		{"repository: program", "[providers.claude]\nbin = 'x'\n", true, `2:1: a repository's file cannot set bin`, "type --bin"},
		{"repository: environment", "[defaults]\nenv = ['A=b']\n", true, `cannot set env`, "config path"},
		{"repository: field", "[providers.claude.fields]\npermission_mode = 'plan'\n", true, `cannot set fields.permission_mode`, "--set permission_mode=VALUE"},
		{"repository: field of a profile", "[profiles.x.fields]\nanything = 'plan'\n", true, `cannot set fields.anything`, ""},
		{"repository: more access", "[profiles.x]\naccess = 'edit'\n", true, `2:1: a repository's file can set access to read-only alone`, "type --access"},
		{"repository: less strict", "[defaults]\nstrict = false\n", true, `can set strict to true alone`, ""},
		{"repository: a flag as a model", "[defaults]\nmodel = '--yolo'\n", true, `2:1: a repository's file cannot give model a value that looks like a flag`, "type --model"},
		{"repository: a flag in a list", "[defaults]\ndeny-tool = ['a', ' -x']\n", true, `2:1: a repository's file cannot give deny-tool`, ""},
		{"repository: a line break", "[defaults]\nmodel = \"a\\nb\"\n", true, `looks like a flag`, ""},
		{"repository: no limit", "[defaults]\ntimeout = '0s'\n", true, `cannot lift a limit: timeout = 0s`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Parse("f.toml", []byte(tt.text), tt.repository, schema())
			var bad *config.Error
			if !errors.As(err, &bad) {
				t.Fatalf("error %v", err)
			}
			if !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "f.toml:") {
				t.Errorf("error %q, want %q", err, tt.want)
			}
			if !strings.Contains(bad.Hint, tt.hint) {
				t.Errorf("hint %q, want %q", bad.Hint, tt.hint)
			}
		})
	}
}

func TestHooks(t *testing.T) {
	user := parse(t, false, `
[[hooks]]
event = "after_run"
command = ["notify-send", "done", ""]

[defaults]
model = "small"

[[hooks]]
event = ["before_run", "after_run"]
command = ["~/bin/guard"]
provider = "pi"
tool = ["bash", "mcp__*"]
timeout = "2m"
on-failure = "proceed"
`)
	at := func(line int) config.Origin {
		return config.Origin{File: "config.toml", Line: line, Column: 3, Section: "hooks"}
	}
	want := []config.Hook{
		{Events: []string{"after_run"}, Command: []string{"notify-send", "done", ""}, Timeout: 30 * time.Second, Origin: at(2)},
		{
			Events: []string{"before_run", "after_run"}, Command: []string{"~/bin/guard"}, Providers: []string{"pi"},
			Tools: []string{"bash", "mcp__*"}, Timeout: 2 * time.Minute, OnFailure: "proceed", Origin: at(9),
		},
	}
	if diff := cmp.Diff(want, (config.Files{User: user}).Hooks()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	inline := parse(t, false, `hooks = [{event = "after_run", command = ["x"]}, {event = "before_run", command = ["y"]}]`)
	if got := (config.Files{User: inline}).Hooks(); len(got) != 2 || got[1].Command[0] != "y" || got[1].Origin.Line != 1 {
		t.Errorf("hooks in a line: %+v", got)
	}
	if got := (config.Files{User: parse(t, false, "hooks = []")}).Hooks(); len(got) != 0 {
		t.Errorf("no hooks: %+v", got)
	}
}

// FuzzParse: whatever the file, there is an answer; and nothing that only the
// user may set comes from a repository.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{userFile, repositoryFile, "[defaults.x]", "[[a]]", "\xff", "a.b.c={d=[{}]}", "[profiles.'']\n'' = 1", "[defaults]\ndeny-tool = []", "[[hooks]]\nevent='after_run'\n[hooks.x]", "hooks=[{a=1}]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := config.Parse("f.toml", []byte(text), true, schema())
		if err != nil {
			var bad *config.Error
			if !errors.As(err, &bad) || bad.Origin.Line < 1 || bad.Origin.Column < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, s := range (config.Files{Repository: file}).Settings(schema(), "claude", "review") {
			if len(s.Values) > 0 && strings.HasPrefix(s.Values[0], "-") || s.Name == "bin" || s.Name == "env" || strings.HasPrefix(s.Name, "fields.") || s.Name == "access" && s.Values[0] != "read-only" {
				t.Errorf("%s = %q from a repository", s.Name, s.Values)
			}
		}
	})
}

package policy_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/policy"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want, hint string }{
		{"syntax", "[[rules]]\naction = allow\n", "p.toml:2:10: ", "TOML"},
		{"empty", "", "p.toml:1:1: the policy is empty", "[[rules]]"},
		{"unknown top key", "defalt = 'deny'\n", `p.toml:1:1: unknown key "defalt"`, "did you mean default?"},
		{"default", "default = 'no'\n", `p.toml:1:1: default: "no" is none of allow, deny, ask`, ""},
		{"default twice", "default = ['deny', 'ask']\n", `p.toml:1:1: default is one of`, ""},
		{"one rule", "[rules]\naction = 'deny'\n", `p.toml:1:2: rules is a list of rules`, "[[rules]]"},
		{"rules of no tables", "rules = [1]\n", `p.toml:1:1: rules is a list of rules`, "[[rules]]"},
		{"no action", "[[rules]]\ntool = 'x'\n", `p.toml:1:3: the rule has no action`, "allow, deny or ask"},
		{"action", "[[rules]]\ntool = 'x'\naction = 'alow'\n", `p.toml:3:1: action: "alow" is none of`, "did you mean allow?"},
		{"unknown key", "[[rules]]\naction = 'deny'\n\n[[rules]]\naction = 'deny'\nkond = 'x'\n", `p.toml:6:1: unknown key "kond"`, "did you mean kind?"},
		{"inline rules", "rules = [\n  {action = 'deny'},\n  {action = 'deny', toll = 'x'},\n]\n", `p.toml:3:21: unknown key "toll"`, "did you mean tool?"},
		{"kind", "[[rules]]\naction = 'deny'\nkind = ['read', 'exce']\n", `p.toml:3:1: kind: "exce" is none of`, "did you mean exec?"},
		{"provider", "[[rules]]\naction = 'deny'\nprovider = 'clod'\n", `provider: "clod" is none of claude, pi`, "did you mean claude?"},
		{"number", "[[rules]]\naction = 'deny'\ntool = 1\n", `p.toml:3:1: tool wants a text in quotes, or a list of such`, ""},
		{"empty list", "[[rules]]\naction = 'deny'\ntool = []\n", `tool wants a text in quotes`, ""},
		{"empty text", "[[rules]]\naction = 'deny'\nargs = ''\n", `args wants a text in quotes`, ""},
		{"empty name", "[[rules]]\naction = 'deny'\nname = ''\n", `name wants a text in quotes`, ""},
		{"table", "[[rules]]\naction = 'deny'\n[rules.args]\nx = 'y'\n", `p.toml:3:8: args wants a text`, ""},
		{"pattern", "[[rules]]\naction = 'deny'\npattern = '('\n", `p.toml:3:1: pattern: missing closing )`, "regexp/syntax"},
		{"field alone", "[[rules]]\naction = 'deny'\nfield = 'url'\n", `p.toml:3:1: field says what args or pattern is about`, ""},
		{"path up", "[[rules]]\naction = 'deny'\npath = 'a/../b'\n", `p.toml:3:1: path: "a/../b" leads up`, "absolute"},
		{"stars in a name", "[[rules]]\naction = 'deny'\npath = 'a**'\n", `has a ** beside other characters`, "src/**/*.go"},
		{"another's home", "[[rules]]\naction = 'deny'\npath = '~dev/x'\n", `is no path below the home`, "~/"},
		{"depth", "[[rules]]\naction = 'deny'\ndepth = -1\n", `p.toml:3:1: depth wants a whole number`, ""},
		{"depths down to none", "[[rules]]\naction = 'deny'\nmin-depth = 1\nmax-depth = 0\n", `p.toml:1:3: min-depth is over max-depth`, ""},
		{"depths", "[[rules]]\naction = 'deny'\nmin-depth = 2\nmax-depth = 1\n", `p.toml:1:3: min-depth is over max-depth`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := policy.Parse("p.toml", []byte(c.text), vocabulary())
			var bad *policy.Error
			if !errors.As(err, &bad) {
				t.Fatalf("error %v", err)
			}
			if !strings.HasPrefix(err.Error(), "p.toml:") || !strings.Contains(err.Error(), c.want) || !strings.Contains(bad.Hint, c.hint) {
				t.Errorf("error %q, hint %q", err, bad.Hint)
			}
		})
	}
}

// The smallest files that say something.
func TestSmall(t *testing.T) {
	for text, want := range map[string]policy.Action{
		"default = 'deny'\n": policy.Deny, "default = 'allow'": policy.Allow, "[[rules]]\naction = 'deny'\ntool = 'x'\n": policy.Ask,
		"[[rules]]\naction = 'deny'\ntool = 'x'\nmin-depth = 1\nmax-depth = 1\n": policy.Ask,
	} {
		if got := parse(t, text).Default; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	p := parse(t, "[[rules]]\naction = 'deny'\ntool = 'x'\n[[rules]]\naction = 'deny'\n")
	if w := p.Warnings(); len(w) != 0 {
		t.Errorf("a last rule without a condition: %v", w)
	}
	for _, condition := range []string{"min-depth = 1", "max-depth = 0", "depth = 0", "pattern = 'x'", "kind = 'exec'"} {
		p = parse(t, "[[rules]]\naction = 'deny'\n"+condition+"\n[[rules]]\naction = 'allow'\n")
		if w := p.Warnings(); len(w) != 0 {
			t.Errorf("%s is no condition: %v", condition, w)
		}
	}
	p = parse(t, "[[rules]]\naction = 'deny'\n[[rules]]\naction = 'allow'\nmax-depth = 0\n")
	if w := p.Warnings(); len(w) != 1 || w[0].Place.Line != 3 {
		t.Errorf("a rule behind one without a condition: %v", w)
	}
}

// FuzzParse: whatever the file, there is an answer, and an error has a place.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"default = 'deny'\n[[rules]]\naction = 'allow'\nargs = ['a *', 'b']\n", "rules = [{action = 'deny'}]", "[rules.x]", "[[rules]]\n[rules.y.z]\na=1",
		"rules = [[1], {}]", "[[rules.x]]", "\xff", "[[rules]]\naction = 'deny'\npath = ['~/a', '**/b', '\\\\']",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := policy.Parse("p.toml", []byte(text), vocabulary())
		if err != nil {
			var bad *policy.Error
			if !errors.As(err, &bad) || bad.Place.Line < 1 || bad.Place.Column < 1 {
				t.Fatalf("error %v", err)
			}
			return
		}
		for _, r := range p.Rules {
			if r.Action == "" || r.Place.Line < 1 {
				t.Errorf("rule %+v", r)
			}
		}
		p.Warnings()
	})
}

// FuzzAllow: a command that is allowed as a whole has no part that is not, and
// nothing that could hide one.
func FuzzAllow(f *testing.F) {
	for _, seed := range []string{"git log", "git log; rm", `git "a;b" 'c|d'`, "git $(x)", "git > x", "bash -lc 'git log'", `git \; x`, "git 2>&1 | git", "git 'a'\\''b'"} {
		f.Add(seed)
	}
	p, err := policy.Parse("p.toml", []byte("default = 'deny'\n[[rules]]\naction = 'allow'\nargs = 'git *'\n"), vocabulary())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, command string) {
		input, err := ndjson.Marshal(map[string]string{"command": command})
		if err != nil {
			t.Fatal(err)
		}
		if p.Decide(policy.Call{Tool: "Bash", Input: input}, world()).Action != policy.Allow {
			return
		}
		if strings.ContainsAny(command, `'"\`) {
			return // quotes hide operators, and it is said elsewhere which
		}
		plain := regexp.MustCompile(`[<>]&\d`).ReplaceAllString(command, "")
		for _, part := range strings.FieldsFunc(plain, func(r rune) bool { return strings.ContainsRune(";|&\n", r) }) {
			if part = strings.TrimSpace(part); part != "" && part != "git" && !strings.HasPrefix(part, "git ") {
				t.Errorf("%q is allowed with the part %q", command, part)
			}
		}
		if strings.ContainsAny(command, "`()") {
			t.Errorf("%q is allowed", command)
		}
	})
}

// TestDocs: the policy in the documentation is one.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```toml\n")
	text, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no policy")
	}
	p := parse(t, text)
	if d := p.Decide(policy.Call{Tool: "Bash", Command: "go test ./... && git status"}, world()); d.Action != policy.Allow {
		t.Errorf("%+v", d)
	}
	if d := p.Decide(policy.Call{Tool: "Read", Paths: []string{"~/.ssh/id"}}, world()); d.Reason != "secrets stay unread" {
		t.Errorf("%+v", d)
	}
}

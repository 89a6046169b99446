package policy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/policy"
)

func vocabulary() policy.Vocabulary {
	return policy.Vocabulary{Providers: []string{"claude", "pi"}, Nearest: func(word string, candidates []string) string {
		for _, c := range candidates {
			if word != "" && c[:1] == word[:1] {
				return c
			}
		}
		return ""
	}}
}

func parse(t *testing.T, text string) *policy.Policy {
	t.Helper()
	p, err := policy.Parse("p.toml", []byte(text), vocabulary())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// world has a link in the workspace that leads out of it.
func world() policy.World {
	return policy.World{
		Workspace: "/repo", Also: []string{"/more"}, Home: "/home/dev",
		Resolve: func(path string) string {
			path = strings.ReplaceAll(path, "/repo/link/..", "/etc") // as the system does it
			return strings.ReplaceAll(path, "/repo/link", "/etc/deep")
		},
	}
}

func object(t *testing.T, pairs ...string) ndjson.RawMessage {
	t.Helper()
	fields := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		fields[pairs[i]] = pairs[i+1]
	}
	raw, err := ndjson.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// TestCommands: what one rule about a shell command says of it, as an allowing
// and as a denying rule.
func TestCommands(t *testing.T) {
	const (
		both    = "allow deny"
		neither = ""
		deny    = "deny"
	)
	for _, c := range []struct{ condition, command, fits string }{
		{`args = "git *"`, "git status", both},
		{`args = "git *"`, "git", both},
		{`args = "git *"`, "gitk", neither},
		{`args = "git *"`, " ", neither},
		{`args = "git status"`, "git status", both},
		{`args = "git status"`, "git status -s", neither},
		{`args = "git status"`, "rm x", neither},
		{"args = \"*\"\npattern = '^git'", "git log", both},
		{"args = \"*\"\npattern = '^git'", "rm x", neither},
		{"args = \"*\"\npattern = '^git'", "git log > x", deny},
		{`args = "git *"`, `git commit -m "a; b | c > d (e)"`, both},
		{`args = "git *"`, `git commit -m 'a $(b)'`, both},
		{`args = "git *"`, "git log 2>&1", both},
		{`args = "git *"`, "git log 2>/dev/null", both},
		{`args = "git *"`, "git log && git status; git diff | git apply", both},
		{`args = "git *"`, "git log; rm -rf /", deny},
		{`args = "git *"`, "git log & rm -rf /", deny},
		{`args = "git *"`, "git log\nrm -rf /", deny},
		{`args = "git *"`, "git log || rm -rf /", deny},
		{`args = "git *"`, "git log | sh", deny},
		{`args = "git *"`, "git log > ~/.bashrc", deny},
		{`args = "git *"`, "git log >/dev/null2", deny},
		{`args = "git *"`, "git log &> x", deny},
		{`args = "git *"`, "git log $(rm -rf /)", deny},
		{`args = "git *"`, "git log `rm -rf /`", deny},
		{`args = "git *"`, `git log "$(rm -rf /)"`, deny},
		{`args = "git *"`, "git diff <(rm -rf /)", deny},
		{`args = "git *"`, "(git log)", deny},
		{`args = "git *"`, `git log "open`, deny},
		{`args = "git *"`, `git log $'\'; rm'`, deny},
		{`args = "git *"`, `git log $'\''; rm -rf /; echo \'`, deny},
		{`args = "git *"`, "git () (rm -rf /); git log", deny},
		{`args = "git *"`, "git log #'\nrm -rf /\n#'", deny},
		{`args = "git *"`, "git log a#b", both},
		{`args = "git *"`, "git log $HOME ${X}", both},
		{`args = "git *"`, "git log $", both},
		{`args = "git *"`, `git log "$" ")"`, both},
		{`args = "git *"`, "git log \\\n--oneline", both},
		{`args = "git *"`, "PATH=/evil git log", deny},
		{`args = "git *"`, "/bin/bash -lc 'git log'", both},
		{`args = "git *"`, "/bin/bash -lc 'git log; rm x'", deny},
		{`args = "git *"`, "bash -c 'git log' x", neither},
		{`args = "rm *"`, "sudo -n rm -rf /", deny},
		{`args = "rm *"`, "FOO=1 timeout 5s rm -rf /", deny},
		{`args = "rm *"`, `r'm' -rf /`, deny},
		{`args = "rm *"`, `\rm -rf /`, deny},
		{`args = "rm *"`, `echo "$(rm -rf /)"`, deny},
		{`args = "rm -rf /"`, `echo "$(rm -rf /) x"`, deny},
		{`args = "rm -rf /"`, "echo `rm -rf /` x", deny},
		{`args = "rm *"`, "if true; then rm x; fi", deny},
		{`args = "rm *"`, "echo rm", neither},
		{`args = "*"`, "anything > x; $(goes)", both},
		{`args = "make && make install"`, "make && make install", both},
		{`args = "make && make *"`, "make && make install", deny},
		{`args = 'ls \*'`, "ls *", both},
		{`args = 'ls \*'`, "ls a", neither},
		{`args = "ls ?"`, "ls é", both},
		{`args = ["ls", "cat *"]`, "ls && cat x", both},
		{`pattern = '^go (test|vet)( |$)'`, "go test ./...", both},
		{`pattern = '^go (test|vet)( |$)'`, "go vet && rm x", deny},
		{`pattern = '^go (test|vet)( |$)'`, "go build", neither},
		{"args = \"go *\"\npattern = 'test'", "go test", both},
		{"args = \"go *\"\npattern = 'test'", "go build", neither},
	} {
		var fits []string
		for _, action := range []string{"allow", "deny"} {
			p := parse(t, fmt.Sprintf("default = \"ask\"\n[[rules]]\naction = %q\n%s\n", action, c.condition))
			d := p.Decide(policy.Call{Tool: "Bash", Command: c.command}, world())
			if string(d.Action) == action {
				fits = append(fits, action)
			}
			if got := p.Decide(policy.Call{Tool: "Bash", Input: object(t, "command", c.command)}, world()); got != d {
				t.Errorf("%s: %s: the command in the input: %+v, told: %+v", c.condition, c.command, got, d)
			}
		}
		if got := strings.Join(fits, " "); got != c.fits {
			t.Errorf("%s: %s: fits %q, want %q", c.condition, c.command, got, c.fits)
		}
	}
}

// TestPaths is the same about paths.
func TestPaths(t *testing.T) {
	for _, c := range []struct{ condition, path, fits string }{
		{`path = "inside"`, "a.go", "allow deny"},
		{`path = "inside"`, "/repo", "allow deny"},
		{`path = "inside"`, "/more/x", "allow deny"},
		{`path = "inside"`, "/repository/x", ""},
		{`path = "inside"`, "../x", ""},
		{`path = "inside"`, "link/x", ""},
		{`path = "inside"`, "link/../x", ""},
		{`path = "outside"`, "link/x", "allow deny"},
		{`path = "outside"`, "a.go", ""},
		{`path = "outside"`, "~/x", "allow deny"},
		{`path = "./inside"`, "inside", "allow deny"},
		{`path = "**/.env"`, ".env", "allow deny"},
		{`path = "**/.env"`, "/etc/.env", "allow deny"},
		{`path = "**/.env"`, "x.env", ""},
		{`path = "*.go"`, "a.go", "allow deny"},
		{`path = "*.go"`, "a/b.go", ""},
		{`path = "src/**/*.go"`, "src/a.go", "allow deny"},
		{`path = "src/**/*.go"`, "src/a/b/c.go", "allow deny"},
		{`path = "src/**"`, "src", "allow deny"},
		{`path = "src/**"`, "src2", ""},
		{`path = "src/?"`, "src//b", "allow deny"},
		{`path = "src/?"`, "src/a/b", ""},
		{`path = "/etc/**"`, "link/x", "allow deny"},
		{`path = "link/**"`, "link/x", "deny"}, // it leads elsewhere
		{`path = "~/.ssh/**"`, "/home/dev/.ssh/id", "allow deny"},
		{`path = "~/.ssh/**"`, "~/.ssh/id", "allow deny"},
		{`path = 'a\*b'`, "a*b", "allow deny"},
		{`path = 'a\*b'`, "axb", ""},
		{`path = ["*.go", "*.md"]`, "a.md", "allow deny"},
	} {
		var fits []string
		for _, action := range []string{"allow", "deny"} {
			p := parse(t, fmt.Sprintf("[[rules]]\naction = %q\n%s\n", action, c.condition))
			if d := p.Decide(policy.Call{Tool: "Read", Input: object(t, "file_path", c.path)}, world()); string(d.Action) == action {
				fits = append(fits, action)
			}
		}
		if got := strings.Join(fits, " "); got != c.fits {
			t.Errorf("%s: %s: fits %q, want %q", c.condition, c.path, got, c.fits)
		}
	}
}

func TestDecide(t *testing.T) {
	p := parse(t, `
default = "deny"

[[rules]]
name = "secrets"
action = "deny"
path = ["**/.env", "~/.ssh/**"]
reason = "secrets stay unread"

[[rules]]
action = "ask"
provider = "pi"
kind = "exec"

[[rules]]
action = "deny"
tool = ["Bash", "mcp__*"]
min-depth = 1

[[rules]]
action = "allow"
kind = ["read", "write"]
path = "inside"

[[rules]]
action = "allow"
tool = "WebFetch"
field = "url"
args = "https://go.dev/*"

[[rules]]
action = "allow"
tool = "mcp__db"
field = "query.kind"
pattern = "^select$"

[[rules]]
action = "allow"
tool = "Task"
depth = 0

[[rules]]
action = "allow"
args = "make *"
`)
	for _, c := range []struct {
		call policy.Call
		want string
	}{
		{policy.Call{Tool: "Read", Input: object(t, "file_path", "/repo/.env")}, "deny secrets: secrets stay unread"},
		{policy.Call{Tool: "Read", Paths: []string{"a.go", ".env"}}, "deny secrets: secrets stay unread"},
		{policy.Call{Tool: "Read", Input: object(t, "file_path", "a.go")}, "allow 4: the policy says allow: kind read, path /repo/a.go"},
		{policy.Call{Tool: "Read", Paths: []string{"a.go", "/etc/x"}}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "Read"}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "read", Input: object(t, "path", "a.go")}, "allow 4: the policy says allow: kind read, path /repo/a.go"},
		{policy.Call{Tool: "READ", Input: object(t, "path", "a.go")}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "Grep", Input: object(t, "pattern", "/etc")}, "allow 4: the policy says allow: kind read, path /repo"},
		{policy.Call{Tool: "Glob", Input: object(t, "pattern", "/etc/*")}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "Glob", Input: object(t, "pattern", "../*")}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "file_change", Input: ndjson.RawMessage(`{"changes":[{"path":"a"},{"path":"/b"}]}`)}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "file_change", Input: ndjson.RawMessage(`{"changes":[{"path":"a"},{"path":"b"}]}`)}, "allow 4: the policy says allow: kind write, all paths"},
		{policy.Call{Tool: "bash", Provider: "pi", Command: "ls"}, "ask 2: the policy says ask: provider pi, kind exec"},
		{policy.Call{Tool: "unheard_of", Provider: "pi", Command: "ls"}, "ask 2: the policy says ask: provider pi, kind exec"},
		{policy.Call{Tool: "unheard_of", Provider: "pi", Input: ndjson.RawMessage(`{"command":["ls","-l"]}`)}, "ask 2: the policy says ask: provider pi, kind exec"},
		{policy.Call{Tool: "Bash", Command: "ls"}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "Bash", Command: "ls", Depth: 1}, "deny 3: the policy says deny: depth 1, tool Bash"},
		{policy.Call{Tool: "mcp__x", Depth: 2}, "deny 3: the policy says deny: depth 2, tool mcp__x"},
		{policy.Call{Tool: "PowerShell", Command: "make x"}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "Bash", Command: "make x"}, "allow 8: the policy says allow: args"},
		{policy.Call{Tool: "WebFetch", Input: object(t, "url", "https://go.dev/x")}, `allow 5: the policy says allow: tool WebFetch, input field url = "https://go.dev/x"`},
		{policy.Call{Tool: "WebFetch", Input: object(t, "url", "https://go.dev.evil/x")}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "WebFetch"}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "mcp__db", Input: ndjson.RawMessage(`{"query":{"kind":"select"}}`)}, `allow 6: the policy says allow: tool mcp__db, input field query.kind = "select"`},
		{policy.Call{Tool: "mcp__db", Input: ndjson.RawMessage(`{"query":{"kind":["select"]}}`)}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "mcp__db", Input: ndjson.RawMessage(`{"query":"kind"}`)}, "deny default: the policy says deny: no rule fits"},
		{policy.Call{Tool: "StructuredOutput", Depth: 9}, "allow answer: it only hands over the answer"},
		{policy.Call{Tool: "Task"}, "allow 7: the policy says allow: depth 0, tool Task"},
		{policy.Call{Tool: "Task", Depth: 1}, "deny default: the policy says deny: no rule fits"},
	} {
		d := p.Decide(c.call, world())
		if got := fmt.Sprintf("%s %s: %s", d.Action, d.Label(), d.Reason); got != c.want {
			t.Errorf("%+v:\n got %s\nwant %s", c.call, got, c.want)
		}
	}
}

func TestFoldCase(t *testing.T) {
	p := parse(t, "[[rules]]\naction = 'deny'\npath = '**/.env'\n[[rules]]\naction = 'allow'\npath = 'inside'\n")
	for _, fold := range []bool{false, true} {
		w := world()
		w.FoldCase = fold
		want := map[bool]policy.Action{false: policy.Ask, true: policy.Deny}[fold]
		if d := p.Decide(policy.Call{Tool: "Read", Paths: []string{"/REPO/.ENV"}}, w); d.Action != want {
			t.Errorf("fold %v: %+v", fold, d)
		}
	}
}

func TestExplain(t *testing.T) {
	p := parse(t, "[[rules]]\nname = 'a'\naction = 'allow'\ntool = 'Read'\n\n[[rules]]\naction = 'allow'\nargs = 'git *'\n\n[[rules]]\naction = 'deny'\n")
	got := p.Explain(policy.Call{Tool: "Bash", Command: "git log > x"}, world())
	want := policy.Explanation{
		Decision: policy.Decision{Action: policy.Deny, Rule: 3, Reason: "the policy says deny: it has no condition"},
		Kind:     policy.Exec, Parts: []string{"git log > x"}, Opaque: "it redirects",
		Steps: []policy.Step{
			{1, "a", policy.Allow, policy.Place{File: "p.toml", Line: 1, Column: 3}, false, "tool Bash"},
			{2, "", policy.Allow, policy.Place{File: "p.toml", Line: 6, Column: 3}, false, "an allowed command must be plain, and it redirects"},
			{3, "", policy.Deny, policy.Place{File: "p.toml", Line: 10, Column: 3}, true, "it has no condition"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

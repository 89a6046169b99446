//go:build real

package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/stream"
)

// TestRealPolicy: every vendor with a two-way mode that lets its tools run is held
// to the same rules, and each decision is in the stream.
func TestRealPolicy(t *testing.T) {
	const written = "written-by-mock.txt"
	vendors := slices.DeleteFunc(realVendors(t), func(v vendor) bool { return !converses(v) })
	each(t, vendors, func(t *testing.T, v vendor) {
		t.Helper()
		for _, c := range []struct {
			name, scenario, rules string
			flags                 []string
			status                int
			action, by            string // of the decision
			written               bool
		}{
			{"a command is allowed", "tool", "default = 'deny'\n[[rules]]\naction = 'allow'\nkind = 'exec'\nargs = 'echo *'\n", nil, 0, "accept", "policy", false},
			{"a command is denied", "tool", "default = 'allow'\n[[rules]]\naction = 'deny'\nkind = 'exec'\nargs = 'echo *'\n", nil, 0, "decline", "policy", false},
			{"a file is allowed", "denied-tool", "default = 'deny'\n[[rules]]\naction = 'allow'\nkind = 'write'\npath = 'inside'\n", nil, 0, "accept", "policy", true},
			{"a file is denied", "denied-tool", "default = 'allow'\n[[rules]]\naction = 'deny'\npath = '**/*.txt'\n", nil, 0, "decline", "policy", false},
			{"a file is denied, access edit", "denied-tool", "default = 'deny'\n", []string{"--access", "edit"}, 0, "decline", "policy", false},
			{"a command is denied, full access", "tool", "default = 'deny'\n", v.shell, 0, "decline", "policy", false},
			{"nobody is asked", "denied-tool", "default = 'ask'\n", nil, 0, "decline", "nobody", false},
			{"strict", "denied-tool", "default = 'deny'\n", []string{"--strict"}, providers.Permission.ExitStatus(), "decline", "policy", false},
		} {
			t.Run(c.name, func(t *testing.T) {
				w := newWorld(t)
				rules := filepath.Join(w.home, "rules.toml")
				if err := os.WriteFile(rules, []byte(c.rules), 0o600); err != nil {
					t.Fatal(err)
				}
				out := w.stream(v.args(c.scenario, helloPrompt, append(c.flags, "--timeout", "90s", "--policy", rules)...)...)
				same(t, "exit status", c.status, out.status)
				same(t, "decisions", c.action+" by "+c.by, strings.Join(decisions(out.chunks), ", "))
				_, err := os.Stat(filepath.Join(w.cwd, written))
				same(t, "written", c.written, err == nil)
			})
		}
	})
}

// TestRealPolicyNested: the calls of pi's codemode are those of the main conversation.
func TestRealPolicyNested(t *testing.T) {
	const (
		script = `{"turns": [{"parts": [{"name": "codemode", "input": {"code": "text((await tools.bash({command: 'echo nested'})).output)"}}]},
			{"parts": [{"text": "It said {{tool_output}}"}]}]}`
		rules = "default = 'deny'\n[[rules]]\naction = 'allow'\ndepth = 0\n"
	)
	vendors := slices.DeleteFunc(realVendors(t), func(v vendor) bool { return v.name != "pi" })
	each(t, vendors, func(t *testing.T, v vendor) {
		t.Helper()
		w := newWorld(t)
		w.write("script.json", script)
		w.write("rules.toml", rules)
		out := w.stream(v.args(filepath.Join(w.cwd, "script.json"), helloPrompt, "--allow-tool", "+codemode", "--policy", filepath.Join(w.cwd, "rules.toml"))...)
		same(t, "exit status", 0, out.status)
		same(t, "decisions", "accept by policy, accept by policy", strings.Join(decisions(out.chunks), ", "))
		if got := listen(out.chunks).text.String(); !strings.HasSuffix(got, "\nnested\n") {
			t.Errorf("text: %q", got)
		}
	})
}

// converses reports whether the vendor has a two-way mode that asks about tools.
func converses(v vendor) bool {
	return slices.ContainsFunc(all.Providers(), func(p providers.Provider) bool {
		c, ok := p.(providers.Converser)
		return ok && p.About().Name == v.provider && slices.Contains(c.Live().Asks, stream.AskToolPermission)
	})
}

// decisions are what the notices of a policy say.
func decisions(chunks []stream.Chunk) []string {
	var list []string
	for _, c := range chunks {
		if c.Metadata == nil || c.Metadata.Notice != stream.NoticePolicy {
			continue
		}
		var d struct{ Action, By string }
		if err := ndjson.Unmarshal(c.Metadata.Data, &d); err != nil {
			d.Action = err.Error()
		}
		list = append(list, d.Action+" by "+d.By)
	}
	return list
}

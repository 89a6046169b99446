package acp

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"gemini --acp":            {"gemini", "--acp"},
		"  a\tb\n":                {"a", "b"},
		`a 'b c' "d e" f\ g`:      {"a", "b c", "d e", "f g"},
		`a "" ''`:                 {"a", "", ""},
		`a "b\"c\\d\e" '\'`:       {"a", `b"c\d\e`, `\`},
		`a$HOME "*" ~ ;`:          {"a$HOME", "*", "~", ";"},
		`["a b", "c"]`:            {"a b", "c"},
		`[ -x`:                    {"[", "-x"},
		"":                        nil,
		"über 'snö'":              {"über", "snö"},
		`"/opt/my agent/run" "x"`: {"/opt/my agent/run", "x"},
	} {
		got, err := split(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
	for _, line := range []string{`a 'b`, `a "b`, `a \`} {
		if got, err := split(line); err == nil {
			t.Errorf("%q: %q, no error", line, got)
		}
	}
}

func request(t *testing.T, fields map[string]string) providers.Request {
	t.Helper()
	r := providers.Request{Fields: New().NewFields(), Set: map[string]bool{}, Cwd: "/repo"}
	for name, value := range fields {
		if err := providers.SetField(r.Fields, name, value); err != nil {
			t.Fatal(err)
		}
		r.Set[name] = true
	}
	return r
}

func TestCommand(t *testing.T) {
	r := request(t, map[string]string{"command": "agent --acp 'x y'"})
	r.VendorArgs = []string{"-v"}
	got, err := provider{}.LiveCommand(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(providers.Command{Args: []string{"--acp", "x y", "-v"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if name, err := (provider{}).Program(r); name != "agent" || err != nil {
		t.Errorf("the program is %q, %v", name, err)
	}
	for _, fields := range []map[string]string{
		{},
		{"command": " "},
		{"command": "''"},
		{"command": "a 'b"},
		{"command": "a", "model": ""},
		{"command": "a", "mode": " "},
		{"command": "a", "mcp_config": `{"servers":{}}`},
		{"command": "a", "mcp_config": `{"mcpServers":{"x":{}}}`},
		{"command": "a", "image": "a.png"},
	} {
		_, err := provider{}.LiveCommand(request(t, fields))
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Usage {
			t.Errorf("%v: %v", fields, err)
		}
	}
}

func TestServers(t *testing.T) {
	got, err := readServers([]string{
		`{"mcpServers":{"b":{"command":"node","args":["s.js"],"env":{"B":"2","A":"1"}},"a":{"url":"http://127.0.0.1/mcp","headers":{"X":"y"}}}}`,
		`{"mcpServers":{"c":{"type":"sse","url":"http://127.0.0.1/sse"},"d":{"command":"x"}}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Server{
		{Type: "http", Name: "a", URL: "http://127.0.0.1/mcp", Headers: []Pair{{"X", "y"}}},
		{Name: "b", Command: "node", Args: []string{"s.js"}, Env: []Pair{{"A", "1"}, {"B", "2"}}},
		{Type: "sse", Name: "c", URL: "http://127.0.0.1/sse", Headers: []Pair{}},
		{Name: "d", Command: "x", Args: []string{}, Env: []Pair{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

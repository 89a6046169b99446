package cmd_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// obey carries out the workflow commands in what a step printed, as GitHub's
// runner finds them: "::name …::" at the beginning of a line and "##[name …]"
// anywhere. It compares as a culture may that ignores what cannot be seen.
func (j *job) obey(output string) {
	stopped := ""
	for line := range strings.FieldsFuncSeq(output, func(r rune) bool { return r == '\n' || r == '\r' }) {
		name, data := workflowCommand(line, stopped)
		switch {
		case name == "":
		case stopped != "":
			if name == stopped {
				stopped = ""
			}
		case name == "stop-commands":
			stopped = data
		case name == "add-mask":
			j.masks = append(j.masks, data)
		default:
			j.commands = append(j.commands, name)
		}
	}
	if stopped != "" {
		j.commands = append(j.commands, "commands stay stopped")
	}
}

// workflowCommand finds a command of the runner's, or the token that resumes them.
func workflowCommand(line, token string) (name, data string) {
	seen := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Mn) || r != '\t' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, line)
	known := []string{
		"add-mask", "add-matcher", "add-path", "debug", "echo", "endgroup", "error", "group", "notice", "remove-matcher",
		"save-state", "set-env", "set-output", "stop-commands", "warning", token,
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(seen), "::"); ok {
		if info, data, ok := strings.Cut(rest, "::"); ok {
			name, _, _ := strings.Cut(info, " ")
			if name != "" && slices.Contains(known, name) {
				return name, data
			}
		}
	}
	if _, rest, ok := strings.Cut(seen, "##["); ok {
		if info, data, ok := strings.Cut(rest, "]"); ok {
			name, _, _ := strings.Cut(info, " ")
			if name != "" && slices.Contains(known, name) {
				return name, data
			}
		}
	}
	return "", ""
}

func contents(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func load(t *testing.T, name string) map[string]any {
	t.Helper()
	v, err := parseYAML(contents(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("%s: no map", name)
	}
	return m
}

func branch(m map[string]any, key string) map[string]any {
	inner, _ := m[key].(map[string]any)
	return inner
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

func table(m map[string]any, key string) map[string]string {
	out := map[string]string{}
	for k, v := range branch(m, key) {
		out[k], _ = v.(string)
	}
	return out
}

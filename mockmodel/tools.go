package mockmodel

import (
	"path/filepath"
	"strings"

	"agentrun/ndjson"
)

// form is how one CLI wants a kind of tool call.
type form struct {
	tool  string
	input func(arg, content string) object
}

// one makes the input of a tool that takes its argument under a key.
func one(key string) func(string, string) object {
	return func(arg, _ string) object { return object{key: arg} }
}

func shellForms() []form {
	return []form{
		{"Bash", func(arg, _ string) object { return object{"command": arg, "description": "Run a command"} }},
		{"exec_command", func(arg, _ string) object { return object{"cmd": arg, "yield_time_ms": 30000} }},
		{"shell_command", one("command")},
		{"shell", func(arg, _ string) object { return object{"command": []string{"bash", "-c", arg}} }},
		{"run_shell_command", func(arg, _ string) object { return object{"command": arg, "description": "Run a command"} }},
		{"bash", one("command")},
	}
}

func readForms() []form {
	return []form{{"Read", one("file_path")}, {"read_file", one("file_path")}, {"read", one("path")}}
}

func writeForms() []form {
	in := func(key string) func(string, string) object {
		return func(arg, content string) object { return object{key: arg, "content": content} }
	}
	return []form{{"Write", in("file_path")}, {"write_file", in("file_path")}, {"write", in("path")}}
}

func agentForms() []form {
	return []form{{"Agent", func(arg, _ string) object {
		return object{"description": "Part of the work", "prompt": arg, "subagent_type": "general-purpose"}
	}}}
}

// call maps a part that calls a tool onto what the CLI offers. A CLI without
// such a tool is asked for the same by its shell; one without a shell gets ok false.
func (q ask) call(p Part) (name string, input any, ok bool) {
	switch {
	case p.Name != "":
		if p.Input == nil {
			return p.Name, object{}, true
		}
		return p.Name, p.Input, true
	case p.Read != "":
		return q.pick(readForms(), p.Read, "", "cat "+quote(p.Read))
	case p.Write != nil:
		dir := "mkdir -p " + quote(filepath.Dir(p.Write.Path)) + " && "
		return q.pick(writeForms(), p.Write.Path, p.Write.Content,
			dir+"printf %s "+quote(p.Write.Content)+" > "+quote(p.Write.Path))
	case p.Agent != "":
		return q.pick(agentForms(), p.Agent, "", "echo "+quote(p.Agent))
	}
	return q.pick(shellForms(), p.Shell, "", "")
}

func (q ask) pick(forms []form, arg, content, shell string) (string, any, bool) {
	for _, f := range forms {
		if q.offers(f.tool) {
			return f.tool, f.input(arg, content), true
		}
	}
	if shell == "" {
		return "", nil, false
	}
	return q.pick(shellForms(), shell, "", "")
}

// quote quotes s for a POSIX shell.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// compact renders a tool's input.
func compact(input any) string {
	b, err := ndjson.Marshal(input)
	if err != nil {
		return "{}"
	}
	return string(b)
}

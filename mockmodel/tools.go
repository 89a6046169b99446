package mockmodel

import (
	"path/filepath"
	"strings"

	"agentrun/ndjson"
)

// dialect is the set of tools that one CLI is known for. A CLI without a tool of
// some kind is asked for the same by its shell.
type dialect struct {
	shell, read, write, agent []form
}

// form is how a CLI wants one kind of tool call: the tool's name, and its input,
// which is a string for a tool of free text.
type form struct {
	tool  string
	input func(arg, content string) any
}

// at makes the input of a tool that takes its one argument under a key.
func at(key string) func(arg, content string) any {
	return func(arg, _ string) any { return object{key: arg} }
}

// file makes the input of a tool that writes a file.
func file(key string) func(arg, content string) any {
	return func(arg, content string) any { return object{key: arg, "content": content} }
}

// claudeTools are those of claude 2.1.332.
func claudeTools() dialect {
	return dialect{
		shell: []form{{"Bash", at("command")}},
		read:  []form{{"Read", at("file_path")}},
		write: []form{{"Write", file("file_path")}},
		agent: []form{{"Agent", func(arg, _ string) any {
			return object{"description": "Part of the work", "prompt": arg, "subagent_type": "general-purpose"}
		}}},
	}
}

// codexTools are those of codex 0.171.0; which shell there is depends on the model.
func codexTools() dialect {
	return dialect{
		shell: []form{
			{"exec_command", func(arg, _ string) any { return object{"cmd": arg, "yield_time_ms": 30000} }},
			{"shell_command", at("command")},
			{"shell", func(arg, _ string) any { return object{"command": []string{"bash", "-c", arg}} }},
		},
		write: []form{{"apply_patch", func(arg, content string) any {
			lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
			return "*** Begin Patch\n*** Add File: " + arg + "\n+" + strings.Join(lines, "\n+") + "\n*** End Patch\n"
		}}},
	}
}

// geminiTools are those of gemini 0.61.0.
func geminiTools() dialect {
	return dialect{
		shell: []form{{"run_shell_command", at("command")}},
		read:  []form{{"read_file", at("file_path")}},
		write: []form{{"write_file", file("file_path")}},
		agent: []form{{"invoke_agent", func(arg, _ string) any { return object{"agent_name": "generalist", "prompt": arg} }}},
	}
}

// piTools are those of pi 1.6.0 and 0.73.1.
func piTools() dialect {
	return dialect{
		shell: []form{{"bash", at("command")}},
		read:  []form{{"read", at("path")}},
		write: []form{{"write", file("path")}},
	}
}

// call maps a part that calls a tool onto what the CLI offers. A tool that the
// CLI is known for is called even when this request does not offer it, as models
// do: the CLI then refuses it.
func (q ask) call(p Part) (name string, input any) {
	switch {
	case p.Name != "":
		if p.Input == nil {
			return p.Name, object{}
		}
		return p.Name, p.Input
	case p.Read != "":
		return q.pick(q.native.read, p.Read, "", "cat "+quote(p.Read))
	case p.Write != nil:
		dir := "mkdir -p " + quote(filepath.Dir(p.Write.Path)) + " && "
		return q.pick(q.native.write, p.Write.Path, p.Write.Content,
			dir+"printf %s "+quote(p.Write.Content)+" > "+quote(p.Write.Path))
	case p.Agent != "":
		return q.pick(q.native.agent, p.Agent, "", "echo "+quote(p.Agent))
	}
	return q.pick(q.native.shell, p.Shell, "", "")
}

func (q ask) pick(forms []form, arg, content, shell string) (string, any) {
	for _, f := range forms {
		if q.offers(f.tool) {
			return f.tool, f.input(arg, content)
		}
	}
	if len(forms) == 0 {
		return q.pick(q.native.shell, shell, "", "")
	}
	return forms[0].tool, forms[0].input(arg, content)
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

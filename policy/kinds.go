package policy

import "slices"

// The kinds of tools.
const (
	Exec  = "exec"  // runs a command or a script
	Read  = "read"  // files or directories, and changes nothing
	Write = "write" // changes files
	Net   = "net"   // talks to other machines
	Other = "other" // all else: subagents, plans, MCP servers
)

func kinds() []string { return []string{Exec, Read, Write, Net, Other} }

// Kind says what a tool of that name does: those of Claude Code 2.1.332, Codex 0.15x,
// Gemini CLI 0.6x, pi 0.8x, and the kinds of the Agent Client Protocol, which has no
// names. A name that nobody knows is other.
func Kind(tool string) string {
	for kind, tools := range map[string][]string{
		Exec: {
			"Bash", "BashOutput", "KillShell", "PowerShell", "Monitor",
			"command_execution", "commandExecution", "shell", "local_shell", "exec_command", "unified_exec", "write_stdin",
			"run_shell_command", "bash", "codemode", "execute",
		},
		Read: {
			"Read", "Glob", "Grep", "LS", "NotebookRead",
			"view_image", "imageView",
			"read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content",
			"read", "grep", "find", "ls", "search",
		},
		Write: {
			"Write", "Edit", "MultiEdit", "NotebookEdit",
			"file_change", "fileChange", "apply_patch",
			"write_file", "replace", "write", "edit", "delete", "move",
		},
		Net: {"WebFetch", "WebSearch", "web_search", "webSearch", "web_fetch", "google_web_search", "fetch"},
	} {
		if slices.Contains(tools, tool) {
			return kind
		}
	}
	return Other
}

// answers reports whether a tool does nothing but hand over the answer that a
// schema was asked for (Claude Code 2.1.332).
func answers(tool string) bool { return tool == "StructuredOutput" }

// searches reports whether a tool looks into the working directory when it is given none.
func searches(tool string) bool {
	return slices.Contains([]string{
		"Glob", "Grep", "LS", "list_directory", "glob", "grep_search", "search_file_content", "grep", "find", "ls", "search",
	}, tool)
}

// globs reports whether a tool's pattern is one of paths.
func globs(tool string) bool { return slices.Contains([]string{"Glob", "glob", "find"}, tool) }

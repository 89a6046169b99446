package render

import (
	"fmt"
	"strings"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// The styles of talk.
const (
	plain  = ""
	dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	reset  = "\x1b[0m"
)

// oneLine is text on one line, without runs of blanks.
func oneLine(s string) string {
	return strings.Join(strings.Fields(providers.Plain(s)), " ")
}

// fit cuts a line to a width in columns.
func fit(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	head, _ := cut(s, width-1)
	return head + "…"
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}

// describe is a tool call on one line: its name and its most telling input.
func describe(c stream.Chunk) string {
	var input map[string]any
	if ndjson.Unmarshal(c.ToolInput, &input) != nil {
		return c.ToolName
	}
	for _, key := range []string{"command", "cmd", "file_path", "path", "pattern", "query", "url", "description", "prompt"} {
		if s, ok := input[key].(string); ok && s != "" {
			return c.ToolName + " " + oneLine(bare(s))
		}
	}
	if paths := changed(input["changes"]); paths != "" {
		return c.ToolName + " " + oneLine(paths)
	}
	return c.ToolName
}

// bare is a command without the shell that codex wraps it in.
func bare(command string) string {
	shell, script, found := strings.Cut(command, " -lc ")
	if !found || !strings.HasSuffix(shell, "sh") || strings.Contains(shell, " ") {
		return command
	}
	if inner := strings.Trim(script, "'"); !strings.Contains(inner, "'") && script == "'"+inner+"'" {
		return inner
	}
	return script
}

// changed is the files of a list of changes, as codex's file_change has it.
func changed(list any) string {
	var paths []string
	changes, _ := list.([]any)
	for _, one := range changes {
		change, _ := one.(map[string]any)
		if path, ok := change["path"].(string); ok {
			paths = append(paths, path)
		}
	}
	return strings.Join(paths, ", ")
}

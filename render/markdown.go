package render

import (
	"fmt"
	"io"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// Markdown writes one chunk of a stored stream for people; notices are left
// out, and so is what would drive a terminal.
func Markdown(w io.Writer, c stream.Chunk) error {
	_, err := io.WriteString(w, providers.Plain(markdownOf(c)))
	return err
}

func markdownOf(c stream.Chunk) string {
	switch c.Type {
	case stream.Text:
		return fmt.Sprintf("%s\n\n", strings.TrimRight(c.Content, "\n"))
	case stream.Thinking:
		return fmt.Sprintf("> %s\n\n", strings.ReplaceAll(strings.TrimSpace(c.Content), "\n", "\n> "))
	case stream.ToolUse:
		return fmt.Sprintf("**%s**\n\n%s", describe(c), fenced("json", string(c.ToolInput)))
	case stream.ToolResult:
		word := "result"
		if c.IsError {
			word = "failed"
		}
		return fmt.Sprintf("%s:\n\n%s", word, fenced("", c.OutputText()))
	case stream.System, stream.Result:
	case stream.Error:
		return fmt.Sprintf("**error**: %s\n\n", c.Content)
	}
	return ""
}

// fenced is a code block whose fence is longer than any in it.
func fenced(language, text string) string {
	text = providers.Plain(text) // first: what it leaves out could hide a fence
	if text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n\n"
}

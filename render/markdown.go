package render

import (
	"fmt"
	"io"
	"strings"

	"agentrun/stream"
)

// Markdown writes one chunk of a stored stream for people; notices are left out.
func Markdown(w io.Writer, c stream.Chunk) error {
	var err error
	switch c.Type {
	case stream.Text:
		_, err = fmt.Fprintf(w, "%s\n\n", strings.TrimRight(c.Content, "\n"))
	case stream.Thinking:
		_, err = fmt.Fprintf(w, "> %s\n\n", strings.ReplaceAll(strings.TrimSpace(c.Content), "\n", "\n> "))
	case stream.ToolUse:
		_, err = fmt.Fprintf(w, "**%s**\n\n%s", describe(c), fenced("json", string(c.ToolInput)))
	case stream.ToolResult:
		word := "result"
		if c.IsError {
			word = "failed"
		}
		_, err = fmt.Fprintf(w, "%s:\n\n%s", word, fenced("", outputText(c)))
	case stream.System, stream.Result:
	case stream.Error:
		_, err = fmt.Fprintf(w, "**error**: %s\n\n", c.Content)
	}
	return err
}

// fenced is a code block whose fence is longer than any in it.
func fenced(language, text string) string {
	if text == "" {
		return ""
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n\n"
}

package logs

import "strings"

// The texts are JSON already: with its escapes, without quotes around it.

// pieces returns a message as the model streams it, a few words at a time.
func (l *log) pieces() []string {
	prose := []string{
		"The tests ", "pass now. ", "I changed ", "`main.go` so that ", "the reader ", "stops at the ", "end of the line, ",
		"and the **größte** ", "part of the work ", "is done.\\n\\n", "Next: ", "- run `go test ./...`\\n", "- look at the ",
		"failing case ", "in \\\"parser_test.go\\\"", " once more; ", "it seems that ", "the buffer is ", "too small — ",
		"ここは ", "fine. ", "```go\\nfunc main() {\\n\\tfmt.Println(\\\"hi\\\")\\n}\\n```\\n", "Let me ", "check ", "that ", "first. ",
	}
	list := make([]string, 8+l.dice.IntN(56))
	for i := range list {
		list[i] = prose[l.dice.IntN(len(prose))]
	}
	return list
}

func join(pieces []string) string { return strings.Join(pieces, "") }

// output is what a tool printed: mostly short, sometimes a file.
func (l *log) output() string {
	switch n := l.dice.IntN(100); {
	case l.long():
		return l.text(l.size.Line)
	case n < 60:
		return l.text(80 + l.dice.IntN(800))
	case n < 97:
		return l.text(1000 + l.dice.IntN(5000))
	default:
		return l.text(20_000 + l.dice.IntN(40_000))
	}
}

// text is about n bytes of source code and terminal output.
func (l *log) text(n int) string {
	lines := []string{
		"     1\\tpackage main\\n", "     2\\t\\n", "\\tif err != nil {\\n\\t\\treturn fmt.Errorf(\\\"read %s: %w\\\", name, err)\\n\\t}\\n",
		"ok  \\texample.com/parser\\t0.412s\\n", "--- FAIL: TestReader (0.00s)\\n", "src/components/Button.tsx:12:5 error Unexpected any\\n",
		"drwxr-xr-x  5 dev dev  4096 Mar  3 10:12 internal\\n", "<div class=\\\"row\\\">&nbsp;</div>\\n", "// größer als vorher\\n",
		"\\u001b[32mPASS\\u001b[0m all 214 tests\\n", "The quick brown fox jumps over the lazy dog and runs into the forest again.\\n",
		"const path = 'C:\\\\\\\\Users\\\\\\\\dev';\\n",
	}
	var sb strings.Builder
	sb.Grow(n + 100)
	for sb.Len() < n {
		sb.WriteString(lines[l.dice.IntN(len(lines))])
	}
	return sb.String()
}

// command is a tool call's command line.
func (l *log) command() string {
	commands := []string{
		"go test ./...", "ls -la internal/", "sed -n '1,120p' parser/reader.go", "git diff --stat HEAD~1",
		"grep -rn \\\"TODO\\\" --include='*.go' . | head -20", "npm run lint 2>&1 | tail -40",
	}
	return commands[l.dice.IntN(len(commands))]
}

package gemini

import (
	"fmt"
	"path/filepath"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// stdinLimit is what the CLI reads of stdin; the rest is dropped with a
// warning that nobody sees (0.61.0, readStdin.ts).
const stdinLimit = 8 << 20

// prompt is what goes to stdin: the prompt byte for byte, but for what the CLI
// would take for a command or a file. Neither can be switched off, nor escaped
// without a trace, so both escapes are told.
func prompt(r providers.Request, f *fields) (string, []stream.Chunk) {
	text := r.Prompt
	var told []stream.Chunk
	if r.Fenced(fenceAt) {
		escaped, n := escapeAt(text)
		if n > 0 {
			told = append(told, stream.Notice(stream.NoticeFence, fmt.Sprintf("%s: put a backslash before %d @ of the prompt, or gemini replaces what follows by files", fenceAt, n)))
		}
		text = escaped
	}
	if r.Fenced(fenceSlash) && isSlash(text) {
		text = "\n" + text
		told = append(told, stream.Notice(stream.NoticeFence, fenceSlash+": put a newline before the prompt's first slash, or gemini takes it for a command"))
	}
	for i, name := range f.Image {
		text += "\n\n@" + imagePath(r.Dir, i, name)
	}
	return text, told
}

// isSlash says what the CLI takes for a command (isSlashCommand, 0.61.0).
func isSlash(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") && !strings.HasPrefix(text, "/*")
}

// escapeAt puts a backslash before every @ that the CLI's pattern of file
// references matches, and counts them. The CLI then keeps the text as it is,
// backslash included. Such a reference need not exist as it stands: the CLI
// searches the workspace for names that contain it.
func escapeAt(text string) (string, int) {
	if !strings.Contains(text, "@") {
		return text, 0
	}
	var b strings.Builder
	n := 0
	for i := range len(text) {
		if text[i] == '@' && (i == 0 || text[i-1] != '\\') && beginsPath(text[i+1:]) {
			b.WriteByte('\\')
			n++
		}
		b.WriteByte(text[i])
	}
	return b.String(), n
}

// beginsPath reports whether the CLI's pattern of a path matches at the
// beginning of rest: AT_COMMAND_PATH_REGEX_SOURCE of 0.61.0.
func beginsPath(rest string) bool {
	const blanks, ends = " \t\n\r", " \t\n\r,;!?()[]{}"
	switch {
	case rest == "":
		return false
	case rest[0] == '.':
		return len(rest) > 1 && !strings.ContainsRune(blanks, rune(rest[1]))
	}
	return !strings.ContainsRune(ends, rune(rest[0]))
}

// imagePath is where an image of the request lies during the run. The copy keeps
// the grant small: only the folder of copies joins the workspace.
func imagePath(dir string, i int, name string) string {
	return fmt.Sprintf("%s/images/%d%s", dir, i+1, strings.ToLower(filepath.Ext(name)))
}

// addImages writes the copies and makes them readable.
func addImages(r providers.Request, f *fields, c *providers.Command) {
	if len(f.Image) == 0 {
		return
	}
	for i, name := range f.Image {
		file := strings.TrimPrefix(imagePath(r.Dir, i, name), r.Dir+"/")
		c.Files = append(c.Files, providers.File{Name: file, Content: r.Contents[name]})
	}
	c.Args = append(c.Args, "--include-directories", r.Dir+"/images")
}

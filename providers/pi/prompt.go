package pi

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// marker stands for the prompt on stdin when the run's own extension puts the prompt in.
const marker = "agentrun-prompt"

// The names of the run's private files.
const (
	promptFile    = "prompt.txt"
	extensionFile = "prompt.mjs"
)

// longestTail bounds the blanks that go by argv.
const longestTail = 4096

// prompt is how the words of a prompt reach pi.
type prompt struct {
	stdin string
	tail  string   // blanks behind it, as the word after -p
	args  []string // flags that the way needs
	files []providers.File
}

func checkPrompt(r providers.Request) error {
	if strings.TrimFunc(r.Prompt, jsBlank) == "" {
		return providers.Errorf(providers.Usage, "empty_prompt", "the prompt is empty: pi would do nothing")
	}
	return checkText(r.Prompt)
}

func checkText(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	return providers.Errorf(providers.Usage, "", "the prompt is not valid UTF-8: pi would replace its bad bytes").
		WithHint("convert it first, for example with iconv")
}

// carry finds the way on which the prompt arrives byte for byte. stdin is
// trimmed by pi, joined with the files' text and then with the first word of
// argv, and taken for a command if the whole begins with a slash; an extension
// that hears of the input sees it after commands and before templates.
func carry(r providers.Request, f *fields) prompt {
	core := strings.TrimLeftFunc(r.Prompt, jsBlank)
	lead := len(r.Prompt) - len(core)
	core = strings.TrimRightFunc(core, jsBlank)
	tail := r.Prompt[lead+len(core):]
	slash := guardsSlash(r, f)
	if !r.Fenced(fenceTrim) {
		lead, tail = 0, ""
	}
	files := len(f.Image)+len(f.File) > 0
	switch {
	case slash || lead > 0 || tail != "" && (files || len(tail) > longestTail):
		whole := r.Prompt
		if !r.Fenced(fenceTrim) {
			whole = core
		}
		return byExtension(r.Dir, whole, slash)
	default:
		return prompt{stdin: core, tail: tail}
	}
}

// guardsSlash reports whether the prompt would be a command, and must not be.
func guardsSlash(r providers.Request, f *fields) bool {
	slash := strings.HasPrefix(strings.TrimLeftFunc(r.Prompt, jsBlank), "/")
	return slash && guards(r, f)
}

// guards reports whether words that begin with a slash are to be words.
func guards(r providers.Request, f *fields) bool {
	return r.Fenced(fenceSlash) && len(f.PromptTemplate)+len(f.Skill) == 0
}

func byExtension(dir, text string, slash bool) prompt {
	p := prompt{
		stdin: marker,
		args:  []string{"--extension", dir + "/" + extensionFile},
		files: []providers.File{
			{Name: promptFile, Content: []byte(text)},
			{Name: extensionFile, Content: []byte(extension(dir + "/" + promptFile))},
		},
	}
	if slash && strings.HasPrefix(text, "/") {
		p.args = append(p.args, "--no-prompt-templates")
		if strings.HasPrefix(text, "/skill:") {
			p.args = append(p.args, "--no-skills")
		}
	}
	return p
}

// extension is the source of a pi extension that puts the prompt in for the marker, once.
func extension(path string) string {
	return `import { readFileSync } from "node:fs";
export default function (pi) {
  let prompt = readFileSync(` + string(ndjson.Encode(path)) + `, "utf8");
  pi.on("input", (event) => {
    if (prompt === undefined || !event.text.startsWith("` + marker + `")) return undefined;
    const text = prompt + event.text.slice(` + "\"" + marker + "\"" + `.length);
    prompt = undefined;
    return { action: "transform", text, images: event.images };
  });
}
`
}

func slashNotice() stream.Chunk {
	return stream.Chunk{
		Type:     stream.System,
		Content:  "the prompt begins with /: it goes to the model as text, not to pi as a command (--no-fence " + fenceSlash + " lets pi run it)",
		Metadata: &stream.Metadata{Notice: stream.NoticeFence},
	}
}

// jsBlank reports whether JavaScript's trim cuts the rune.
func jsBlank(r rune) bool {
	return r == '\uFEFF' || r != '\u0085' && unicode.IsSpace(r)
}

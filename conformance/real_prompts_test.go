//go:build real

package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/stream"
)

// sentPrompt is a prompt, and what of it reaches the model: the same, but for
// the vendors in but. A change is never silent: a fence notice tells it.
type sentPrompt struct {
	name, prompt string
	but          map[string]string
}

func prompts() []sentPrompt {
	const at = "@notes.txt and mail@notes.txt: keep them"
	return []sentPrompt{
		{name: "dash", prompt: "--resume \"x\" 'y' $HOME `id` \\n \\\\ %s\nsecond line\ttab 👩\u200d👧 e\u0301 \u2028 end"},
		{name: "subcommand", prompt: "resume"},
		// gemini has no way to keep @ but a backslash, which it leaves in the text.
		{name: "at", prompt: at, but: map[string]string{"gemini": strings.ReplaceAll(at, "@", "\\@")}},
		// gemini has no way to keep a slash from being a command but text before it.
		{name: "slash init", prompt: "/init", but: map[string]string{"gemini": "\n/init"}},
		{name: "slash help", prompt: "/help me", but: map[string]string{"gemini": "\n/help me"}},
		{name: "blanks", prompt: " \t leading, trailing \r\n\n "},
		{name: "big", prompt: noise(1_000_000)},
	}
}

// noise is text of that length without repetition: gemini ends a run whose answer repeats itself.
func noise(length int) string {
	var b strings.Builder
	for sum := sha256.Sum256(nil); b.Len() < length; sum = sha256.Sum256(sum[:]) {
		b.WriteString(hex.EncodeToString(sum[:]) + "\n")
	}
	return b.String()[:length-1] + "."
}

// realPrompts proves from what the model was sent that a prompt arrives byte for byte.
func realPrompts(t *testing.T, vendors []vendor) {
	t.Helper()
	for _, p := range prompts() {
		t.Run(p.name, func(t *testing.T) {
			each(t, vendors, p.check)
		})
	}
}

func (p sentPrompt) check(t *testing.T, v vendor) {
	t.Helper()
	w := newWorld(t)
	w.write("notes.txt", "the content of the notes\n")
	log := filepath.Join(w.tmp, "log")
	args := v.args("say", p.prompt, "--mock-log", log)
	if len(p.prompt) > 100_000 { // too long for our own argv
		w.in = strings.NewReader(p.prompt)
		args = args[:len(args)-2]
	}
	out := w.stream(args...)
	want, changed := p.but[v.name]
	if !changed {
		want = p.prompt
	}
	if out.status != 0 {
		t.Fatalf("exit status %d: %.2000s\n%.2000s", out.status, out.stderr, out.stdout)
	}
	if !said(t, log, want) {
		t.Errorf("the model was not sent %.200q but %q", want, like(sent(t, log), p.prompt))
	}
	for _, s := range sent(t, log) {
		if strings.Contains(s, "the content of the notes") {
			t.Errorf("a file was put into the prompt: %.300q", s)
		}
	}
	if told := listen(out.chunks).notices[stream.NoticeFence] > 0; changed && !told {
		t.Error("the prompt was changed and nobody was told")
	}
	if len(out.stdout) == 0 {
		t.Error("no output")
	}
}

// like lists what resembles the prompt.
func like(sent []string, prompt string) []string {
	core := strings.TrimSpace(prompt)
	core = core[:min(8, len(core))]
	var found []string
	for _, s := range sent {
		if i := strings.Index(s, core); i >= 0 {
			found = append(found, s[max(0, i-20):min(len(s), i+len(prompt)+20, i+200)])
		}
	}
	return found
}

// splitLines lists the lines of data that are not empty.
func splitLines(data []byte) [][]byte {
	var lines [][]byte
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

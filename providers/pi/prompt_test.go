package pi

import (
	"slices"
	"strings"
	"testing"

	"agentrun/providers"
)

// TestPromptWays says how prompts travel: plainly by stdin, with their last
// blanks as a word, or by the run's extension.
func TestPromptWays(t *testing.T) {
	for _, tt := range []struct {
		name, prompt string
		set, noFence []string
		stdin, tail  string
		whole        string // in the extension's file
		flags        string
		notices      int
	}{
		{name: "plain", prompt: "hello", stdin: "hello"},
		{name: "dash", prompt: "-x --mode rpc", stdin: "-x --mode rpc"},
		{name: "at", prompt: "@a.txt", stdin: "@a.txt"},
		{name: "long", prompt: strings.Repeat("x", 1<<20), stdin: strings.Repeat("x", 1<<20)},
		{name: "last newline", prompt: "hello\n", stdin: "hello", tail: "\n"},
		{name: "next line is no blank to pi", prompt: "\u0085hello\u0085", stdin: "\u0085hello\u0085"},
		{name: "first blanks", prompt: " hello", whole: " hello"},
		{name: "byte order mark", prompt: "\ufeffhello", whole: "\ufeffhello"},
		{name: "many last blanks", prompt: "hello" + strings.Repeat("\n", 5000), whole: "hello" + strings.Repeat("\n", 5000)},
		{name: "last newline and a file", prompt: "hello\n", set: []string{"image=/i.png"}, whole: "hello\n"},
		{name: "slash", prompt: "/mcp", whole: "/mcp", flags: "--no-prompt-templates", notices: 1},
		{name: "skill", prompt: "/skill:x\n", whole: "/skill:x\n", flags: "--no-prompt-templates --no-skills", notices: 1},
		{name: "slash behind a blank", prompt: " /mcp", whole: " /mcp", notices: 1},
		{name: "slash wanted", prompt: "/mcp", noFence: []string{fenceSlash}, stdin: "/mcp"},
		{name: "template given", prompt: "/t a", set: []string{"prompt_template=/t.md"}, stdin: "/t a"},
		{name: "blanks unwanted", prompt: " hello\n", noFence: []string{fenceTrim}, stdin: "hello"},
		{name: "slash, blanks unwanted", prompt: " /mcp\n", noFence: []string{fenceTrim}, whole: "/mcp", flags: "--no-prompt-templates", notices: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, tt.prompt, tt.set...)
			for _, f := range tt.noFence {
				r.NoFence[f] = true
			}
			cmd, err := New().Command(r)
			if err != nil {
				t.Fatal(err)
			}
			if tt.whole != "" {
				tt.stdin = marker
			}
			if got := string(cmd.Stdin); got != tt.stdin {
				t.Errorf("stdin is %.40q, want %.40q", got, tt.stdin)
			}
			if got := wordBehind(cmd.Args, "-p"); got != tt.tail {
				t.Errorf("the word behind -p is %q, want %q", got, tt.tail)
			}
			if tt.flags != "" && !strings.Contains(strings.Join(cmd.Args, " "), "--extension /run/prompt.mjs "+tt.flags+" -p") {
				t.Errorf("argv %q has no %q", cmd.Args, tt.flags)
			}
			if len(cmd.Notices) != tt.notices {
				t.Errorf("%d notices, want %d", len(cmd.Notices), tt.notices)
			}
			checkWhole(t, cmd.Files, tt.whole)
		})
	}
}

func wordBehind(args []string, flag string) string {
	if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) && !strings.HasPrefix(args[i+1], "@") {
		return args[i+1]
	}
	return ""
}

func checkWhole(t *testing.T, files []providers.File, whole string) {
	t.Helper()
	if whole == "" {
		if len(files) > 0 {
			t.Errorf("unwanted files: %d", len(files))
		}
		return
	}
	if len(files) != 2 || files[0].Name != promptFile || files[1].Name != extensionFile {
		t.Fatalf("the run has %d files, want the prompt and the extension", len(files))
	}
	if got := string(files[0].Content); got != whole {
		t.Errorf("the prompt's file has %.40q, want %.40q", got, whole)
	}
}

package pi

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

func TestLiveCommand(t *testing.T) {
	for _, c := range []struct {
		name string
		set  []string
		edit func(*providers.Request)
		want string
		gate string // "", words or asks
	}{
		{"defaults", nil, nil, "--mode rpc --no-prompt-templates --extension /run/live.mjs", "words"},
		{"asking", nil, func(r *providers.Request) { r.Asks = true }, "--mode rpc --no-prompt-templates --extension /run/live.mjs", "asks"},
		{"no fence", nil, func(r *providers.Request) { r.NoFence[fenceSlash] = true }, "--mode rpc", ""},
		{"skills are wanted", []string{"skill=/s"}, nil, "--mode rpc --skill /s", ""},
		{"skills are wanted, asking", []string{"skill=/s"}, func(r *providers.Request) { r.Asks = true }, "--mode rpc --skill /s --extension /run/live.mjs", "asks"},
		{
			"fields",
			[]string{"model=a/b", "access=read-only", "resume=0197-id", "no_prompt_templates=true", "extension=/e.ts", "trust=no"},
			nil,
			"--mode rpc --model a/b --session 0197-id --extension /e.ts --no-prompt-templates --no-approve --tools read,grep,find,ls --no-mcp --extension /run/live.mjs",
			"words",
		},
		{"vendor arguments", nil, func(r *providers.Request) { r.VendorArgs = []string{"--use-theme", "x"} }, "--mode rpc --no-prompt-templates --extension /run/live.mjs --use-theme x", "words"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := request(t, "", c.set...)
			if c.edit != nil {
				c.edit(&r)
			}
			got, err := New().(providers.Converser).LiveCommand(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Fields(c.want), got.Args); diff != "" {
				t.Errorf("args (-want +got):\n%s", diff)
			}
			gate := ""
			for _, f := range got.Files {
				gate = "words"
				if strings.Contains(string(f.Content), "tool_call") {
					gate = "asks"
				}
			}
			if gate != c.gate || got.Stdin != nil {
				t.Errorf("the extension has %q, want %q; stdin %q", gate, c.gate, got.Stdin)
			}
		})
	}
}

func TestLiveCommandRefuses(t *testing.T) {
	for _, c := range []struct {
		prompt string
		set    string
		words  string
	}{
		{"hello", "", "without a prompt"},
		{"", "image=/repo/i.png", "image: in a live session"},
		{"", "file=/repo/a.txt", "file: in a live session"},
		{"", "provider=x", "provider needs model"},
		{"", "allow_tool=Bash", "pi has no tool"},
	} {
		set := []string{}
		if c.set != "" {
			set = append(set, c.set)
		}
		_, err := New().(providers.Converser).LiveCommand(request(t, c.prompt, set...))
		var e *providers.Error
		if !errors.As(err, &e) || !strings.Contains(e.Message, c.words) {
			t.Errorf("%q %q: got %v, want %q", c.prompt, c.set, err, c.words)
		}
	}
}

package pi

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// request makes a request of fields as --set takes them.
func request(t *testing.T, prompt string, set ...string) providers.Request {
	t.Helper()
	r := providers.Request{
		Prompt: prompt, Fields: New().NewFields(), Set: map[string]bool{}, Cwd: "/repo", Dir: "/run",
		Env: func(string) string { return "" }, NoFence: map[string]bool{},
		Contents: map[string][]byte{
			"/s.jsonl":     []byte(`{"type":"session","cwd":"/repo"}` + "\n{}\n"),
			"/other.jsonl": []byte(`{"type":"session","cwd":"/elsewhere"}`),
			"/junk.jsonl":  []byte("junk"),
		},
	}
	for _, s := range set {
		name, value, _ := strings.Cut(s, "=")
		if err := providers.SetField(r.Fields, name, value); err != nil {
			t.Fatal(err)
		}
		r.Set[name] = true
	}
	return r
}

func TestCommandDefaults(t *testing.T) {
	got, err := New().Command(request(t, "hello"))
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Command{
		Args: []string{"--mode", "json", "-p"}, Stdin: []byte("hello"),
		SetEnv: []string{"PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestCommandEverything(t *testing.T) {
	r := request(t, "hello",
		"model=openai/gpt-5", "provider=openai", "effort=high", "access=edit", "allow_tool=mytool", "allow_tool=mcp__x__*",
		"deny_tool=web", "deny_tool=a,b", "no_mcp=true", "system=You are S.", "append_system=And A.",
		"image=/repo/i.png", "file=/repo/a.txt", "file=/repo/b.txt", "resume=0197-id", "fork=true", "session_id=my-id",
		"session_dir=/sessions", "name=a name", "extension=/e.ts", "extension=/f.ts", "no_extensions=true",
		"skill=/skill", "no_skills=true", "prompt_template=/t.md", "no_prompt_templates=true", "no_context_files=true",
		"trust=no", "offline=true")
	r.VendorArgs = []string{"--use-theme", "dark"}
	got, err := New().Command(r)
	if err != nil {
		t.Fatal(err)
	}
	want := providers.Command{
		Args: []string{
			"--mode", "json", "--model", "openai/gpt-5", "--provider", "openai", "--thinking", "high",
			"--session-id", "my-id", "--session-dir", "/sessions", "--name", "a name",
			"--extension", "/e.ts", "--extension", "/f.ts", "--no-extensions",
			"--skill", "/skill", "--no-skills", "--prompt-template", "/t.md", "--no-prompt-templates", "--no-context-files",
			"--no-approve", "--fork", "0197-id",
			"--tools", "read,grep,find,ls,edit,write,mytool,mcp__x__*", "--exclude-tools", "web,a,b", "--no-mcp",
			"--system-prompt", "/run/system.md", "--append-system-prompt", "/run/append-system.md",
			"-p", "@/repo/i.png", "@/repo/a.txt", "@/repo/b.txt", "--use-theme", "dark",
		},
		Stdin:  []byte("hello"),
		SetEnv: []string{"PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0", "PI_OFFLINE=1"},
		Files: []providers.File{
			{Name: "system.md", Content: []byte("You are S.")},
			{Name: "append-system.md", Content: []byte("And A.")},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCommandArgs compares what the fields make of argv between `--mode json` and the end.
func TestCommandArgs(t *testing.T) {
	for _, tt := range []struct {
		name, version string
		set           []string
		want          string
	}{
		{"resume", "", []string{"resume=abc"}, "--session abc -p"},
		{"fork", "", []string{"resume=abc", "fork=true"}, "--fork abc -p"},
		{"session file", "", []string{"session_file=/s.jsonl"}, "--session /s.jsonl -p"},
		{"fork of another directory's file", "", []string{"session_file=/other.jsonl", "fork=true"}, "--fork /other.jsonl -p"},
		{"continue", "", []string{"continue=true"}, "--continue -p"},
		{"ephemeral with an id", "", []string{"ephemeral=true", "session_id=x"}, "--session-id x --no-session -p"},
		{"read-only", "", []string{"access=read-only"}, "--tools read,grep,find,ls --no-mcp -p"},
		{"read-only before --no-mcp", "1.0.3", []string{"access=read-only"}, "--tools read,grep,find,ls -p"},
		{"full", "", []string{"access=full"}, "--tools +read,+bash,+edit,+write -p"},
		{"full before +NAME", "1.0.4", []string{"access=full"}, "-p"},
		{"full and changes", "", []string{"access=full", "allow_tool=+codemode"}, "--tools +codemode -p"},
		{"an MCP tool allowed", "", []string{"access=read-only", "allow_tool=mcp__a__b"}, "--tools read,grep,find,ls,mcp__a__b -p"},
		{"tools alone", "", []string{"allow_tool=read", "allow_tool=bash"}, "--tools read,bash -p"},
		{"trust", "", []string{"trust=yes"}, "--approve -p"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := request(t, "hello", tt.set...)
			r.Version = tt.version
			cmd, err := New().Command(r)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(cmd.Args, " "); got != "--mode json "+tt.want {
				t.Errorf("argv %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCommandRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, version, prompt string
		set                   []string
		vendor                []string
		want                  providers.Class
		says                  string
	}{
		{name: "empty prompt", prompt: " \n\ufeff", want: providers.Usage, says: "empty"},
		{name: "bad UTF-8", prompt: "a\xff", want: providers.Usage, says: "UTF-8"},
		{name: "empty model", set: []string{"model="}, want: providers.Usage, says: "model"},
		{name: "provider alone", set: []string{"provider=x"}, want: providers.Usage, says: "needs model"},
		{name: "two sessions", set: []string{"resume=a", "continue=true"}, want: providers.Usage, says: "exclude"},
		{name: "resume without keeping", set: []string{"resume=a", "ephemeral=true"}, want: providers.Usage, says: "exclude"},
		{name: "resume a path", set: []string{"resume=/a/b.jsonl"}, want: providers.Usage, says: "path"},
		{name: "fork of nothing", set: []string{"fork=true"}, want: providers.Usage, says: "fork needs"},
		{name: "fork the newest", set: []string{"fork=true", "continue=true"}, want: providers.Usage, says: "newest"},
		{name: "id of a resumed session", set: []string{"resume=a", "session_id=b"}, want: providers.Usage, says: "fork"},
		{name: "bad id", set: []string{"session_id=-a"}, want: providers.Usage, says: "session_id"},
		{name: "not a session", set: []string{"session_file=/junk.jsonl"}, want: providers.Usage, says: "not a pi session"},
		{name: "session of elsewhere", set: []string{"session_file=/other.jsonl"}, want: providers.Usage, says: "/elsewhere"},
		{name: "directory of no session", set: []string{"ephemeral=true", "session_dir=/d"}, want: providers.Usage, says: "session_dir"},
		{name: "mixed tools", set: []string{"allow_tool=read,+bash"}, want: providers.Usage, says: "+NAME"},
		{name: "changes to a set", set: []string{"access=edit", "allow_tool=+bash"}, want: providers.Usage, says: "access edit"},
		{name: "no tools and access", set: []string{"no_tools=true", "access=full"}, want: providers.Usage, says: "exclude"},
		{name: "no tools and some", set: []string{"no_tools=true", "allow_tool=read"}, want: providers.Usage, says: "exclude"},
		{name: "no builtin tools and access", set: []string{"no_builtin_tools=true", "access=edit"}, want: providers.Usage, says: "exclude"},
		{name: "another vendor's tool name", set: []string{"deny_tool=Bash"}, want: providers.Usage, says: `no tool "Bash"`},
		{name: "another mode", vendor: []string{"--mode"}, want: providers.Usage, says: "--mode"},
		{name: "session picker", vendor: []string{"-r"}, want: providers.Usage, says: "-r"},
		{name: "old pi and ids", version: "0.73.1", set: []string{"session_id=a"}, want: providers.Unsupported, says: "0.76.0"},
		{name: "old pi and deny", version: "0.73.1", set: []string{"deny_tool=bash"}, want: providers.Unsupported, says: "0.77.0"},
		{name: "old pi and max", version: "0.73.1", set: []string{"effort=max"}, want: providers.Unsupported, says: "0.80.6"},
		{name: "old pi and changes", version: "1.0.4", set: []string{"allow_tool=+bash"}, want: providers.Unsupported, says: "1.1.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.prompt == "" {
				tt.prompt = "hello"
			}
			r := request(t, tt.prompt, tt.set...)
			r.Version, r.VendorArgs = tt.version, tt.vendor
			_, err := New().Command(r)
			var e *providers.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an error of class %s", err, tt.want)
			}
			if e.Class != tt.want || !strings.Contains(e.Message, tt.says) {
				t.Errorf("got %s: %s; want %s: …%s…", e.Class, e.Message, tt.want, tt.says)
			}
		})
	}
}

func TestFieldsAreCommonOrOwn(t *testing.T) {
	flags := map[string]string{}
	for _, f := range providers.FieldsOf(New().NewFields()) {
		if f.Help == "" || f.Argv == "" && f.Maps == "" {
			t.Errorf("field %s says not what it is for or becomes", f.Name)
		}
		if f.Flag != "" {
			flags[f.Name] = f.Type
		}
	}
	want := map[string]string{
		"model": "string", "effort": "string", "access": "string", "allow_tool": "list", "deny_tool": "list",
		"system": "string", "append_system": "string", "image": "list", "resume": "string", "continue": "bool",
		"fork": "bool", "ephemeral": "bool",
	}
	if diff := cmp.Diff(want, flags); diff != "" {
		t.Errorf("common flags (-want +got):\n%s", diff)
	}
}

//go:build real

package gemini_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/conformance"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/gemini"
	"agentrun/stream"
)

// real is one place where the real CLI runs: a repository, a home, a model.
type real struct {
	t               *testing.T
	bin, repo, home string
	model           *mockmodel.Server
}

// ask is one run.
type ask struct {
	prompt  string
	fields  map[string]any
	noFence string
	content map[string][]byte
}

// answer is what came of it.
type answer struct {
	chunks   []stream.Chunk
	out      providers.Outcome
	dir      string
	requests []request
	stderr   string
}

// request is what the tests look at in a request to the model.
type request struct {
	Contents []struct {
		Role  string
		Parts []struct {
			Text       string
			InlineData *struct{ MimeType, Data string }
		}
	}
	SystemInstruction struct{ Parts []struct{ Text string } }
	GenerationConfig  struct {
		ThinkingConfig struct {
			ThinkingBudget *int
			ThinkingLevel  string
		}
	}
	Tools []struct{ FunctionDeclarations []struct{ Name string } }
}

// newReal finds the pinned CLI.
func newReal(t *testing.T, script string) *real {
	t.Helper()
	bin, err := filepath.Abs("../../.tools/vendors/gemini/bin/gemini")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("scripts/vendor gemini has not been run: %v", err)
	}
	s, err := mockmodel.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	model, err := mockmodel.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	return &real{t: t, bin: bin, repo: t.TempDir(), home: t.TempDir(), model: model}
}

// prepare makes the adapter's command and writes its files.
func (r *real) prepare(a ask) (providers.Request, providers.Command, []string) {
	r.t.Helper()
	p := gemini.New()
	loop := p.Loopback(providers.Loopback{URL: r.model.URL(), Home: r.home, Dir: r.t.TempDir()})
	req := providers.Request{
		Prompt: a.prompt, Fields: p.NewFields(), Set: map[string]bool{}, Contents: a.content, Cwd: r.repo, Dir: r.t.TempDir(),
		Env: providers.Lookup(loop.Env), VendorArgs: loop.Args, NoFence: map[string]bool{a.noFence: true}, Root: os.Getuid() == 0,
	}
	for name, value := range a.fields {
		r.set(req, name, value)
	}
	cmd, err := p.Command(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(r.home, loop.Files)
	r.write(req.Dir, cmd.Files)
	env, _ := providers.Environment(append([]string{"PATH=" + os.Getenv("PATH")}, loop.Env...), nil, cmd.SetEnv) //nolint:forbidigo // to find node
	return req, cmd, env
}

// run starts exactly what the adapter says and maps what comes.
func (r *real) run(a ask) answer {
	r.t.Helper()
	req, cmd, env := r.prepare(a)
	got := answer{dir: req.Dir}
	before := len(r.model.Requests())
	stdout, exit := r.start(cmd, env)
	got.stderr = exit.Stderr
	got.out = providers.Normalize(gemini.New(), req, providers.Options{}, bytes.NewReader(stdout), providers.Recorded{Exit: exit}, func(c stream.Chunk) error {
		got.chunks = append(got.chunks, c)
		return nil
	})
	for _, m := range r.model.Requests()[before:] {
		var body request
		if err := ndjson.Unmarshal(m.Body, &body); err != nil {
			r.t.Fatalf("%s: %v", m.Path, err)
		}
		got.requests = append(got.requests, body)
	}
	return got
}

func (r *real) set(req providers.Request, name string, value any) {
	r.t.Helper()
	values, ok := value.([]string)
	if !ok {
		values = []string{value.(string)}
	}
	for _, v := range values {
		if err := providers.SetField(req.Fields, name, v); err != nil {
			r.t.Fatal(err)
		}
	}
	req.Set[name] = true
}

func (r *real) write(dir string, files []providers.File) {
	r.t.Helper()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			r.t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// child is the CLI, not yet started, and where its stderr goes.
func (r *real) child(c providers.Command, env []string) (*exec.Cmd, *bytes.Buffer) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Minute)
	r.t.Cleanup(cancel)
	var stderr bytes.Buffer
	child := exec.CommandContext(ctx, r.bin, c.Args...) //nolint:forbidigo // the bare CLI is what is tested
	child.Dir, child.Env, child.Stdin, child.Stderr, child.WaitDelay = r.repo, env, bytes.NewReader(c.Stdin), &stderr, 5*time.Second
	return child, &stderr
}

func (r *real) start(c providers.Command, env []string) ([]byte, providers.Exit) {
	r.t.Helper()
	out, err := os.Create(filepath.Join(r.t.TempDir(), "stdout"))
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	child, stderr := r.child(c, env)
	child.Stdout = out
	if exit := (*exec.ExitError)(nil); errors.As(child.Run(), &exit) && exit.ExitCode() < 0 {
		r.t.Fatalf("gemini did not end by itself: %v\n%s", exit, stderr.String())
	}
	data, err := os.ReadFile(out.Name())
	if err != nil {
		r.t.Fatal(err)
	}
	return data, providers.Exit{Code: child.ProcessState.ExitCode(), Stderr: stderr.String()}
}

// asked is the text of the last user message of the first request, without the
// CLI's own context.
func (a answer) asked() string {
	if len(a.requests) == 0 {
		return "(no request)"
	}
	contents := a.requests[0].Contents
	var text strings.Builder
	for _, p := range contents[len(contents)-1].Parts {
		if !strings.HasPrefix(p.Text, "<session_context>") {
			text.WriteString(p.Text)
		}
	}
	return text.String()
}

// tool returns the result of the first tool call.
func (a answer) tool(t *testing.T) stream.Chunk {
	t.Helper()
	for _, c := range a.chunks {
		if c.Type == stream.ToolResult {
			return c
		}
	}
	t.Fatalf("no tool result; error %v, stderr %s", a.out.Err, a.stderr)
	return stream.Chunk{}
}

const saying = `{"turns":[{"parts":[{"text":"Hello."}]}]}`

func TestRealPromptArrives(t *testing.T) {
	r := newReal(t, saying)
	r.write(r.repo, []providers.File{{Name: "README.md", Content: []byte("FILE CONTENT")}, {Name: "src/types/node.ts"}})
	for _, c := range []struct{ name, prompt, fence, want string }{
		{"plain", "say hi", "", "say hi"},
		{"dash", "--help me", "", "--help me"},
		{"blanks", " \t\n say hi \n\n", "", " \t\n say hi \n\n"},
		{"quotes and shell", "a \"b\" 'c' $HOME `id` \\ \\@x !{id} {{args}}", "", "a \"b\" 'c' $HOME `id` \\ \\@x !{id} {{args}}"},
		{"unicode", "\ufeffé \u2028 🇫🇷 \x01\r\n", "", "\ufeffé \u2028 🇫🇷 \x01\r\n"},
		{"comment", "// not a command", "", "// not a command"},
		{"path", "/tmp/x is a path", "", "\n/tmp/x is a path"},
		{"command", "/init", "", "\n/init"},
		{"command, not fenced", "/nosuchcommand x", "slash-commands", "/nosuchcommand x"},
		{"file", "see @README.md and foo@bar.com", "", `see \@README.md and foo\@bar.com`},
		{"file in the middle", "@src @@types/node a@README.md @ . @. @,", "", `\@src \@\@types/node a\@README.md @ . @. @,`},
		{"a part of a name", "use @types/node", "", `use \@types/node`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := r.run(ask{prompt: c.prompt, noFence: c.fence})
			if text := got.asked(); text != c.want {
				t.Errorf("the model was asked %q, want %q", text, c.want)
			}
			if got.out.Err != nil || got.out.Final != "Hello." {
				t.Errorf("final %q, error %v", got.out.Final, got.out.Err)
			}
		})
	}
}

// The hazard itself: were it gone, the fence would be, too.
func TestRealAtFilesHazard(t *testing.T) {
	r := newReal(t, saying)
	r.write(r.repo, []providers.File{{Name: "README.md", Content: []byte("FILE CONTENT")}})
	got := r.run(ask{prompt: "see @README.md and foo@bar.com", noFence: "at-files"})
	if text := got.asked(); !strings.Contains(text, "FILE CONTENT") || !strings.Contains(text, "foo @bar.com") {
		t.Errorf("the model was asked %q", text)
	}
}

func TestRealPlanEscape(t *testing.T) {
	r := newReal(t, `{"turns":[{"parts":[{"name":"enter_plan_mode","input":{"reason":"x"}}]},{"parts":[{"text":"Done."}]}]}`)
	if got := r.run(ask{prompt: "go"}).tool(t); !got.IsError {
		t.Errorf("enter_plan_mode ran: %s", got.ToolOutput)
	}
	if got := r.run(ask{prompt: "go", noFence: "plan-escape"}).tool(t); got.IsError {
		t.Errorf("without the fence, enter_plan_mode failed: %s", got.ToolOutput)
	}
	if got := r.run(ask{prompt: "go", fields: map[string]any{"approval_mode": "plan"}}).tool(t); !got.IsError {
		t.Errorf("in plan mode, enter_plan_mode ran: %s", got.ToolOutput)
	}
}

func TestRealAccess(t *testing.T) {
	r := newReal(t, `{"turns":[{"parts":[{"text":"Hello."}]}],"when":[
		{"match":"WRITE","turns":[{"parts":[{"write":{"path":"out.txt","content":"x"}}]},{"parts":[{"text":"Done."}]}]},
		{"match":"SHELL","turns":[{"parts":[{"shell":"echo one"}]},{"parts":[{"text":"Done."}]}]}]}`)
	for _, c := range []struct {
		name, prompt string
		fields       map[string]any
		denied       bool
	}{
		{"default writes", "WRITE", nil, true},
		{"read-only writes", "WRITE", map[string]any{"access": "read-only"}, true},
		{"edit writes", "WRITE", map[string]any{"access": "edit"}, false},
		{"edit runs", "SHELL", map[string]any{"access": "edit"}, true},
		{"full runs", "SHELL", map[string]any{"access": "full"}, false},
		{"default, echo allowed", "SHELL", map[string]any{"allow_tool": []string{"run_shell_command(echo)"}}, false},
		{"default, ls allowed", "SHELL", map[string]any{"allow_tool": []string{"run_shell_command(ls)"}}, true},
		{"read-only, echo allowed", "SHELL", map[string]any{"access": "read-only", "allow_tool": []string{"run_shell_command(echo)"}}, false},
		{"full, echo denied", "SHELL", map[string]any{"access": "full", "deny_tool": []string{"run_shell_command(echo)"}}, true},
		{"full, shell denied", "SHELL", map[string]any{"access": "full", "deny_tool": []string{"run_shell_command"}}, true},
		{"denied beats allowed", "SHELL", map[string]any{"deny_tool": []string{"run_shell_command"}, "allow_tool": []string{"run_shell_command"}}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := r.run(ask{prompt: c.prompt, fields: c.fields}).tool(t)
			if denied := got.Metadata != nil && got.Metadata.Denied; denied != c.denied || got.IsError != c.denied {
				t.Errorf("denied %v, error %v, want %v: %s", denied, got.IsError, c.denied, got.ToolOutput)
			}
		})
	}
}

func TestRealFields(t *testing.T) {
	r := newReal(t, `{"turns":[{"parts":[{"shell":"echo {{turn}}"}]}],"when":[{"match":"SAY","turns":[{"parts":[{"text":"Hello."}]}]}]}`)
	first := func(t *testing.T, got answer) request {
		t.Helper()
		if len(got.requests) == 0 {
			t.Fatalf("no request: %v\n%s", got.out.Err, got.stderr)
		}
		return got.requests[0]
	}
	t.Run("system", func(t *testing.T) {
		q := first(t, r.run(ask{prompt: "SAY", fields: map[string]any{"system": "You are TERSE."}}))
		if len(q.SystemInstruction.Parts) == 0 || !strings.Contains(q.SystemInstruction.Parts[0].Text, "You are TERSE.") {
			t.Errorf("system instruction: %+v", q.SystemInstruction)
		}
	})
	t.Run("effort", func(t *testing.T) {
		q := first(t, r.run(ask{prompt: "SAY", fields: map[string]any{"ephemeral": "true", "model": "gemini-3-flash-preview", "effort": "low"}}))
		if q.GenerationConfig.ThinkingConfig.ThinkingLevel != "LOW" {
			t.Errorf("thinking: %+v", q.GenerationConfig.ThinkingConfig)
		}
	})
	t.Run("thinking budget", func(t *testing.T) {
		q := first(t, r.run(ask{prompt: "SAY", fields: map[string]any{"ephemeral": "true", "model": "gemini-2.5-flash", "thinking_budget": "512"}}))
		if n := q.GenerationConfig.ThinkingConfig.ThinkingBudget; n == nil || *n != 512 {
			t.Errorf("thinking: %v", n)
		}
	})
	t.Run("max_turns", func(t *testing.T) {
		got := r.run(ask{prompt: "go", fields: map[string]any{"ephemeral": "true", "access": "full", "max_turns": "2"}})
		if got.out.Err == nil || got.out.Err.Reason != providers.ReasonMaxTurns || len(got.requests) != 2 {
			t.Errorf("%d requests, error %v", len(got.requests), got.out.Err)
		}
	})
	t.Run("image", func(t *testing.T) {
		png, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
		got := r.run(ask{prompt: "SAY what foo@bar.com shows", fields: map[string]any{"image": []string{"a/b.PNG"}}, content: map[string][]byte{"a/b.PNG": png}})
		parts := first(t, got).Contents
		found := false
		for _, p := range parts[len(parts)-1].Parts {
			found = found || p.InlineData != nil && p.InlineData.MimeType == "image/png"
		}
		if !found || !strings.HasPrefix(got.asked(), `SAY what foo\@bar.com shows`) {
			t.Errorf("image %v, asked %q", found, got.asked())
		}
	})
}

func TestRealSession(t *testing.T) {
	r := newReal(t, saying)
	const id = "0f0e0d0c-1111-4222-8333-444455556666"
	if got := r.run(ask{prompt: "FIRST", fields: map[string]any{"session_id": id}}); got.out.Facts.SessionID != id || got.out.Err != nil {
		t.Fatalf("session %q, error %v", got.out.Facts.SessionID, got.out.Err)
	}
	got := r.run(ask{prompt: "SECOND", fields: map[string]any{"resume": id}})
	text, _ := ndjson.Marshal(got.requests)
	if got.out.Facts.SessionID != id || got.out.Err != nil || !bytes.Contains(text, []byte("FIRST")) {
		t.Errorf("session %q, error %v, asked %s", got.out.Facts.SessionID, got.out.Err, text)
	}
	got = r.run(ask{prompt: "THIRD", fields: map[string]any{"ephemeral": "true"}})
	if _, err := os.Stat(filepath.Join(got.dir, "gemini/.gemini/tmp")); err != nil || got.out.Err != nil {
		t.Errorf("the ephemeral session is not in its private home: %v, error %v", err, got.out.Err)
	}
	for name, want := range map[string]string{"resume": "11111111-1111-4222-8333-444455556666", "continue": "true"} {
		other := &real{t: t, bin: r.bin, repo: t.TempDir(), home: r.home, model: r.model}
		got := other.run(ask{prompt: "go", fields: map[string]any{name: want}})
		conformance.WantOutcome(t, got.out, providers.Session, providers.ReasonNotFound)
	}
}

func TestRealErrorDumps(t *testing.T) {
	r := newReal(t, `{"turns":[{"error":{"status":400,"message":"no good"}}]}`)
	got := r.run(ask{prompt: "go"})
	dumps, _ := filepath.Glob(filepath.Join(got.dir, "tmp/gemini-client-error-*.json"))
	if len(dumps) == 0 || got.out.Err == nil || got.out.Err.Reason != providers.ReasonRequest {
		t.Errorf("dumps %v, error %v\n%s", dumps, got.out.Err, got.stderr)
	}
}

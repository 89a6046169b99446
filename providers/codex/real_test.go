//go:build real

package codex_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/codex"
	"agentrun/stream"
)

// real runs the pinned CLI against a model server on this machine, with what
// Command and Loopback say and nothing else.
type real struct {
	bin, version, home, cwd string
	server                  *mockmodel.Server
	url                     string // instead of the server's, when not empty
}

func newReal(t *testing.T, script mockmodel.Script) *real {
	t.Helper()
	about := codex.New().About().Binary
	bin, err := filepath.Abs("../../.tools/vendors/codex/bin/codex")
	if err != nil {
		t.Fatal(err)
	}
	if other := os.Getenv(about.Env); other != "" { //nolint:forbidigo // to try another version
		bin = other
	}
	version, err := exec.CommandContext(t.Context(), bin, about.VersionArgs...).Output() //nolint:forbidigo // the bare CLI is what is tested
	if err != nil {
		t.Fatalf("has scripts/vendor codex been run? %v", err)
	}
	s, err := mockmodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	words := strings.Fields(string(version))
	return &real{bin: bin, version: words[len(words)-1], home: t.TempDir(), cwd: t.TempDir(), server: s}
}

func scenario(t *testing.T, name string) mockmodel.Script {
	t.Helper()
	script, ok := mockmodel.Scenario(name)
	if !ok {
		t.Fatalf("no scenario %s", name)
	}
	return script
}

// script makes a script of turns that say something each.
func script(t *testing.T, turns string) mockmodel.Script {
	t.Helper()
	s, err := mockmodel.Parse([]byte(`{"turns":` + turns + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (c *real) run(t *testing.T, r providers.Request) ([]stream.Chunk, providers.Outcome) {
	t.Helper()
	r.Cwd, r.Dir, r.Version = c.cwd, t.TempDir(), c.version
	url := c.server.URL()
	if c.url != "" {
		url = c.url
	}
	l := codex.New().Loopback(providers.Loopback{URL: url, Home: c.home, Dir: t.TempDir()})
	r.VendorArgs = append(l.Args, r.VendorArgs...)
	command := command(t, r)
	write(t, c.home, l.Files)
	write(t, r.Dir, command.Files)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, c.bin, command.Args...) //nolint:forbidigo // the bare CLI is what is tested
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.cwd, bytes.NewReader(command.Stdin), &stdout, &stderr
	cmd.Env = append(l.Env, "PATH="+os.Getenv("PATH")) //nolint:forbidigo // to find node
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	exit := providers.Exit{Code: cmd.ProcessState.ExitCode(), Stderr: stderr.String()}
	opts := providers.Options{}
	var chunks []stream.Chunk
	out := providers.Normalize(codex.New(), r, opts, &stdout, providers.Recorded{Exit: exit}, func(ch stream.Chunk) error {
		chunks = append(chunks, ch)
		return nil
	})
	if t.Failed() || testing.Verbose() {
		t.Logf("stderr: %s", exit.Stderr)
	}
	return chunks, out
}

func write(t *testing.T, dir string, files []providers.File) {
	t.Helper()
	for _, f := range files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// asked returns the texts of the messages of a role in the newest model request.
func (c *real) asked(t *testing.T, role string) []string {
	t.Helper()
	received := c.server.Requests()
	if len(received) == 0 {
		t.Fatal("the model was not asked")
	}
	var body struct {
		Instructions string `json:"instructions"`
		Input        []struct {
			Role    string `json:"role"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		} `json:"input"`
	}
	if err := ndjson.Unmarshal(received[len(received)-1].Body, &body); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, m := range body.Input {
		if m.Role != role {
			continue
		}
		for _, part := range m.Content {
			texts = append(texts, part.Text)
		}
	}
	if role == "instructions" {
		texts = append(texts, body.Instructions)
	}
	return texts
}

// A prompt arrives byte for byte, whatever it looks like.
func TestRealPrompt(t *testing.T) {
	c := newReal(t, script(t, `[{"parts":[{"text":"ok"}]}]`))
	for _, prompt := range []string{
		"-", "--help", "@file", "/model", "resume", "  lead and tail \t\r\n\n", "\ufeffmark", "\ufeff\ufeffmarks",
		"a\x00b \x1b[31m \u2028 \"'`$HOME 😀", strings.Repeat("long ", 60_000),
	} {
		_, out := c.run(t, request(t, prompt))
		if out.Err != nil {
			t.Fatalf("%.40q: %v", prompt, out.Err)
		}
		texts := c.asked(t, "user")
		if got := texts[len(texts)-1]; got != prompt {
			t.Errorf("sent %.60q, arrived %.60q", prompt, got)
		}
	}
}

func TestRealRuns(t *testing.T) {
	tests := []struct {
		scenario string
		set      []string
		want     string // "ok", or class/reason
		final    string
	}{
		{"say", nil, "ok", "You said: hi"},
		{"tool", nil, "ok", "The command said: mock tool output\n"},
		{"parallel-tools", nil, "ok", "All three are done."},
		{"unicode", nil, "ok", "Grüße, 世界! \u0645\u0631\u062d\u0628\u0627 e\u0301 👩\u200d👩\u200d👧 \u2028\u2029 \u0000\u001b[31m \\n \"quoted\" </script> \uFEFF🦊"},
		{"429-once", nil, "ok", "You said: hi"},
		{"stream-cut-once", nil, "ok", "You said: hi"},
		{"empty", nil, "agent/empty_answer", ""},
		{"refusal", nil, "refusal/", ""},
		{"401", nil, "auth/bad_key", ""},
		{"403", nil, "auth/forbidden", ""},
		{"429", nil, "quota/rate_limit", ""},
		{"500", nil, "unavailable/server", ""},
		{"overloaded", nil, "unavailable/overloaded", ""},
		{"stream-cut", nil, "unavailable/network", ""},
		{"context", nil, "context/", ""},
		{"max-tokens", nil, "limit/output_truncated", ""},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			chunks, out := newReal(t, scenario(t, tt.scenario)).run(t, request(t, "hi", tt.set...))
			got := "ok"
			if out.Err != nil {
				got = string(out.Err.Class) + "/" + out.Err.Reason
			}
			if got != tt.want {
				t.Errorf("want %s, got %s: %v", tt.want, got, out.Err)
			}
			if out.Err == nil && out.Final != tt.final {
				t.Errorf("final: want %q, got %q", tt.final, out.Final)
			}
			if t.Failed() {
				t.Logf("%s", strings.Join(brief(chunks), "\n"))
			}
		})
	}
}

// Settings arrive as they were given, although they pass through TOML.
func TestRealSettings(t *testing.T) {
	c := newReal(t, script(t, `[{"parts":[{"text":"ok"}]}]`))
	const odd = "a \"b\" 'c' \\d\nnext\ttab \x01 \x7f é 😀 \u2028 #{}[]=,"
	_, out := c.run(t, request(t, "hi", "model=gpt-6-sol", "append_system="+odd, "system=Base: "+odd))
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	if body := c.server.Requests()[0].Body; !bytes.Contains(body, []byte(`"model":"gpt-6-sol"`)) {
		t.Errorf("another model was asked: %.200s", body)
	}
	if texts := c.asked(t, "developer"); !slices.Contains(texts, odd) {
		t.Errorf("append_system is not among %q", texts)
	}
	if texts := append(c.asked(t, "instructions"), c.asked(t, "developer")...); !slices.Contains(texts, "Base: "+odd) {
		t.Errorf("system is not among %.300q", texts)
	}
}

// codex takes the whole request's argv, and answers by the schema.
func TestRealEverything(t *testing.T) {
	c := newReal(t, script(t, `[{"parts":[{"answer_json":{"n":1}}]}]`))
	r := request(
		t, "hi", "model=gpt-5.5", "effort=high", "reasoning_summary=detailed", "verbosity=low", "service_tier=fast",
		"access=edit", "network=true", "add_dir="+t.TempDir(), "web_search=disabled", "no_shell=true", "tool_env=core", "hide_secrets=true",
		"system=Be brief.", "append_system=Please.", "no_project_doc=true", "plan=true",
		`schema={"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}`,
		`mcp_config={"mcpServers":{"off":{"command":"/bin/true","enabled":false,"env":{"A":"\"1\""}}}}`, "mcp_approve=true", "mcp_required=true",
		"ephemeral=true", "skip_git_repo_check=true", "ignore_user_config=true", "ignore_rules=true", "strict_config=true",
		"enable=goals", "disable=apps", "config=hide_agent_reasoning=true",
	)
	chunks, out := c.run(t, r)
	if out.Err != nil {
		t.Fatalf("%v\n%s", out.Err, strings.Join(brief(chunks), "\n"))
	}
	if got := string(out.Terminal.Metadata.StructuredOutput); got != `{"n":1}` {
		t.Errorf("structured output %s", got)
	}
	for _, ch := range chunks {
		if ch.Type == stream.System && ch.Metadata.Notice == stream.NoticeWarning {
			t.Errorf("codex warns: %s", ch.Content)
		}
	}
}

func TestRealSessions(t *testing.T) {
	c := newReal(t, script(t, `[{"parts":[{"text":"ok"}]}]`))
	_, first := c.run(t, request(t, "one"))
	if first.Err != nil || first.Facts.SessionID == "" {
		t.Fatalf("no first thread: %v", first.Err)
	}
	id := first.Facts.SessionID
	_, second := c.run(t, request(t, "two", "resume="+id))
	if second.Err != nil || second.Facts.SessionID != id {
		t.Errorf("resume: thread %s, want %s: %v", second.Facts.SessionID, id, second.Err)
	}
	if texts := c.asked(t, "user"); !slices.Contains(texts, "one") || !slices.Contains(texts, "two") {
		t.Errorf("the model was asked %.200q", texts)
	}
	one, two := first.Terminal.Metadata.Usage, second.Terminal.Metadata.Usage
	if one.Scope != stream.ScopeRun || two.Scope != stream.ScopeSession || *two.InputTokens <= *one.InputTokens {
		t.Errorf("usage: first %+v, second %+v", *one.InputTokens, *two.InputTokens)
	}
	_, third := c.run(t, request(t, "three", "continue=true"))
	if third.Err != nil || third.Facts.SessionID != id {
		t.Errorf("continue: thread %s, want %s: %v", third.Facts.SessionID, id, third.Err)
	}
	_, fork := c.run(t, request(t, "four", "resume="+id, "fork=true"))
	if fork.Err != nil || fork.Facts.SessionID == id || !slices.Contains(c.asked(t, "user"), "one") {
		t.Errorf("fork: thread %s of %s: %v", fork.Facts.SessionID, id, fork.Err)
	}
	_, none := c.run(t, request(t, "five", "resume="+thread))
	conformance.WantOutcome(t, none, providers.Session, providers.ReasonNotFound)
}

// The fences, up and down.
func TestRealReconnects(t *testing.T) {
	c := newReal(t, script(t, `[{"parts":[{"text":"ok"}]}]`))
	c.url = "http://127.0.0.1:1"
	_, out := c.run(t, request(t, "hi"))
	conformance.WantOutcome(t, out, providers.Unavailable, providers.ReasonNetwork)
}

func TestRealSandboxIsStated(t *testing.T) {
	for _, fence := range []bool{true, false} {
		c := newReal(t, script(t, `[{"parts":[{"shell":"echo data > written.txt"}]},{"parts":[{"text":"done"}]}]`))
		r := request(t, "hi")
		r.NoFence["stated-sandbox"] = !fence
		r.VendorArgs = []string{"-c", `projects={"` + c.cwd + `"={trust_level="trusted"}}`}
		if _, out := c.run(t, r); out.Err != nil {
			t.Fatal(out.Err)
		}
		_, err := os.Stat(filepath.Join(c.cwd, "written.txt"))
		if wrote := err == nil; wrote == fence {
			t.Errorf("fence %v: a command in a trusted folder wrote: %v", fence, wrote)
		}
	}
}

func TestRealRepeats(t *testing.T) {
	for _, fence := range []bool{true, false} {
		c := newReal(t, script(t, `[{"parts":[{"text":"Said."},{"think":"hm"},{"cut":true,"times":1}]},{"parts":[{"text":"Said."}]}]`))
		r := request(t, "hi")
		r.NoFence["repeated-text"] = !fence
		chunks, out := c.run(t, r)
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		var texts []string
		for _, ch := range chunks {
			if ch.Type == stream.Text {
				texts = append(texts, ch.Content)
			}
		}
		want := []string{"Said."}
		if !fence {
			want = append(want, "Said.")
		}
		if diff := cmp.Diff(want, texts); diff != "" {
			t.Errorf("fence %v -want +got:\n%s", fence, diff)
		}
	}
}

func TestRealDenial(t *testing.T) {
	c := newReal(t, scenario(t, "denied-tool"))
	chunks, out := c.run(t, request(t, "hi"))
	if out.Err != nil || len(out.Terminal.Metadata.Denials) != 1 {
		t.Errorf("error %v, denials %+v\n%s", out.Err, out.Terminal.Metadata.Denials, strings.Join(brief(chunks), "\n"))
	}
}

// What is taken from the tools is not there.
func TestRealTools(t *testing.T) {
	for _, hide := range []string{"true", "false"} {
		c := newReal(t, script(t, `[{"parts":[{"shell":"env"}]},{"parts":[{"text":"ok"}]}]`))
		chunks, out := c.run(t, request(t, "hi", "access=full", "hide_secrets="+hide))
		if out.Err != nil {
			t.Fatal(out.Err)
		}
		seen := strings.Contains(strings.Join(brief(chunks), "\n"), "AGENTRUN_MOCK_KEY")
		if want := hide == "false"; seen != want {
			t.Errorf("hide_secrets=%s: a command sees the key: %v", hide, seen)
		}
	}
	c := newReal(t, script(t, `[{"parts":[{"text":"ok"}]}]`))
	c.run(t, request(t, "hi", "no_shell=true", "web_search=disabled"))
	body := string(c.server.Requests()[0].Body)
	for _, tool := range []string{`"exec_command"`, `"web_search"`} {
		if strings.Contains(body, `"name":`+tool) || strings.Contains(body, `"type":`+tool) {
			t.Errorf("the model has the tool %s", tool)
		}
	}
}

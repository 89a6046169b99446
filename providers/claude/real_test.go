//go:build real

package claude

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/conformance"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// realRun is one run of the pinned CLI against the model stand-in.
type realRun struct {
	bin, home, cwd string
	server         *mockmodel.Server
	id             string
}

// realCLI finds the pinned CLI.
func realCLI(t *testing.T, scenario string) *realRun {
	t.Helper()
	bin, err := filepath.Abs("../../.tools/vendors/claude/bin/claude")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("scripts/vendor claude has not been run: %v", err)
	}
	r := &realRun{bin: bin, home: t.TempDir(), cwd: t.TempDir(), id: t.Name()}
	r.serve(t, scenario)
	return r
}

func (r *realRun) serve(t *testing.T, scenario string) {
	t.Helper()
	script, ok := mockmodel.Scenario(scenario)
	if !ok {
		t.Fatalf("no scenario %s", scenario)
	}
	server, err := mockmodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	r.server = server
	t.Cleanup(func() { _ = server.Close() })
}

// run does what the command does: request, argv, environment, Runner.
func (r *realRun) run(t *testing.T, req providers.Request, fields ...string) (providers.Outcome, []stream.Chunk) {
	t.Helper()
	job := r.job(t, New().Command, req, fields...)
	var chunks []stream.Chunk
	out := providers.Run(t.Context(), job, func(c stream.Chunk) error {
		chunks = append(chunks, c)
		return nil
	})
	logLines(t, chunks)
	return out, chunks
}

// job is a run of the CLI in the mode of the command.
func (r *realRun) job(t *testing.T, command func(providers.Request) (providers.Command, error), req providers.Request, fields ...string) providers.Job {
	t.Helper()
	p := New()
	tmp, err := os.MkdirTemp("", "ar") //nolint:usetesting // short: a socket's address lies in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	loop := p.Loopback(providers.Loopback{URL: r.server.URL(), Home: r.home, Dir: tmp})
	env := append([]string{"PATH=" + os.Getenv("PATH")}, loop.Env...) //nolint:forbidigo // the vendor finds its shell
	req.Fields, req.Set = p.NewFields(), map[string]bool{}
	req.Cwd, req.Dir, req.Env = r.cwd, filepath.Join(tmp, "run"), providers.Lookup(env)
	opts := providers.Options{Clocks: providers.DefaultClocks()}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, "=")
		if err := providers.SetField(req.Fields, name, value); err != nil {
			t.Fatal(err)
		}
		req.Set[name] = true
		if name == "resume" {
			opts.ResumeID = value
		}
	}
	opts.Forked = req.Set["fork"]
	c, err := command(req)
	if err != nil {
		t.Fatal(err)
	}
	env, _ = providers.Environment(env, p.About().EnvDrop, c.SetEnv)
	return providers.Job{ID: r.id, Provider: p, Request: req, Options: opts, Command: c, Binary: r.bin, Env: env}
}

func logLines[T any](t *testing.T, lines []T) {
	t.Helper()
	if !t.Failed() && !testing.Verbose() {
		return
	}
	for _, c := range lines {
		line, _ := ndjson.Marshal(c)
		t.Logf("%.400s", line)
	}
}

func count(chunks []stream.Chunk, kind stream.Type) (n int) {
	for _, c := range chunks {
		if c.Type == kind {
			n++
		}
	}
	return n
}

func TestRealOutcomes(t *testing.T) {
	for _, c := range []struct {
		name, scenario string
		fields         []string
		final          string
		class          providers.Class
		reason         string
	}{
		{"say", "say", nil, "You said: say it", "", ""},
		{"tool", "tool", nil, "The command said: mock tool output", "", ""},
		{"parallel tools", "parallel-tools", nil, "", "", ""},
		{"thinking", "think", nil, "", "", ""},
		{"subagent", "subagent", nil, "The subagent has reported.", "", ""},
		{"subagent in the foreground", "subagent", []string{"no_background=true"}, "The main agent is done.", "", ""},
		{"turn limit", "loop", []string{"max_turns=2"}, "", providers.Limit, "max_turns"},
		{"bad key", "401", nil, "", providers.Auth, "bad_key"},
		{"no permission", "403", nil, "", providers.Auth, "forbidden"},
		{"overloaded", "overloaded", nil, "", providers.Unavailable, "overloaded"},
		{"server error", "500", nil, "", providers.Unavailable, "server"},
		{"server error once", "500-once", nil, "", "", ""},
		{"stream cut", "stream-cut", nil, "", providers.Unavailable, "network"},
		{"history too long", "context", nil, "", providers.Context, "prompt_too_long"},
		{"refusal", "refusal", nil, "", providers.Refusal, ""},
		{"output limit", "max-tokens", nil, "", providers.Limit, "output_truncated"},
		{"empty answer", "empty", nil, "", providers.Agent, "empty_answer"},
		{"unknown session", "say", []string{"resume=22222222-2222-4222-8222-222222222222"}, "", providers.Session, "not_found"},
		{"odd characters", "unicode", nil, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, chunks := realCLI(t, c.scenario).run(t, providers.Request{Prompt: "say it"}, c.fields...)
			conformance.WantOutcome(t, out, c.class, c.reason)
			if c.final != "" && out.Final != c.final {
				t.Errorf("final text %q, want %q", out.Final, c.final)
			}
			if uses, results := count(chunks, stream.ToolUse), count(chunks, stream.ToolResult); uses != results && c.class == "" {
				t.Errorf("%d tool calls and %d results", uses, results)
			}
			if out.Facts.SessionID == "" && c.name != "unknown session" {
				t.Error("no session id")
			}
		})
	}
}

// lastUserText is the text of the newest user message that the model got.
func lastUserText(t *testing.T, s *mockmodel.Server) (text string, images int) {
	t.Helper()
	for _, got := range s.Requests() {
		var body struct {
			Messages []struct {
				Role    string  `json:"role"`
				Content []block `json:"content"`
			} `json:"messages"`
		}
		if !strings.HasSuffix(got.Path, "/messages") || ndjson.Unmarshal(got.Body, &body) != nil {
			continue
		}
		for _, m := range body.Messages {
			for _, b := range m.Content {
				switch {
				case m.Role == "user" && b.Type == "text":
					text = b.Text
				case b.Type == "image":
					images++
				}
			}
		}
	}
	return text, images
}

// TestRealPrompts: every prompt reaches the model byte for byte.
func TestRealPrompts(t *testing.T) {
	for name, prompt := range map[string]string{
		"command":     "/context",
		"mention":     "@/etc/hostname and @README.md",
		"dash":        "--help -p",
		"shell":       "!ls",
		"memory":      "# remember this",
		"blanks":      "  two  blanks \n\n\ttab\r\nCRLF ",
		"odd":         "nul\x00 esc\x1b[31m \u2028 \U0001f600 <&> \"quoted\"",
		"a megabyte":  strings.Repeat("word ", 200_000),
		"final blank": "end\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := realCLI(t, "say")
			out, _ := r.run(t, providers.Request{Prompt: prompt})
			conformance.WantOutcome(t, out, "", "")
			if got, _ := lastUserText(t, r.server); got != prompt {
				t.Errorf("the model got %.200q, want %.200q", got, prompt)
			}
		})
	}
}

func TestRealPromptUnfenced(t *testing.T) {
	r := realCLI(t, "say")
	out, _ := r.run(t, providers.Request{Prompt: "/context", NoFence: map[string]bool{fenceVerbatim: true}})
	conformance.WantOutcome(t, out, "", "")
	if !strings.Contains(out.Final, "Context Usage") {
		t.Errorf("the command did not run: %.200q", out.Final)
	}
}

func TestRealDeltas(t *testing.T) {
	r := realCLI(t, "tool")
	whole, _ := r.run(t, providers.Request{Prompt: "say it"})
	pieces, chunks := r.run(t, providers.Request{Prompt: "say it", Deltas: true})
	conformance.WantOutcome(t, pieces, "", "")
	if whole.Final != pieces.Final {
		t.Errorf("pieces join to %q, whole is %q", pieces.Final, whole.Final)
	}
	deltas := 0
	for _, c := range chunks {
		if c.IsDelta {
			deltas++
		}
	}
	if deltas == 0 {
		t.Error("no pieces came")
	}
}

func TestRealSessions(t *testing.T) {
	r := realCLI(t, "say")
	first, _ := r.run(t, providers.Request{Prompt: "first"})
	conformance.WantOutcome(t, first, "", "")
	id := first.Facts.SessionID
	second, _ := r.run(t, providers.Request{Prompt: "second"}, "resume="+id, "append_system=Speak like a lighthouse keeper.")
	conformance.WantOutcome(t, second, "", "")
	if second.Facts.SessionID != id {
		t.Errorf("resumed %s, ran %s", id, second.Facts.SessionID)
	}
	requests := r.server.Requests()
	last := requests[len(requests)-1].Body
	if !bytes.Contains(last, []byte("first")) {
		t.Error("the resumed session lost its history")
	}
	if !bytes.Contains(last, []byte("lighthouse keeper")) {
		t.Error("the resumed session kept the old system prompt")
	}
	fork, _ := r.run(t, providers.Request{Prompt: "third"}, "resume="+id, "fork=true")
	conformance.WantOutcome(t, fork, "", "")
	if fork.Facts.SessionID == id {
		t.Error("the fork has the id of its origin")
	}
	if meta := fork.Terminal.Metadata; meta.CostScope != stream.ScopeSession || meta.Usage.Scope != stream.ScopeRun {
		t.Errorf("cost of scope %q, usage of scope %q", meta.CostScope, meta.Usage.Scope)
	}
}

func TestRealAccess(t *testing.T) {
	for _, c := range []struct {
		access, allow string
		written       bool
	}{
		{"", "", false},
		{"read-only", "Write", false},
		{"edit", "", true},
	} {
		t.Run("access "+c.access, func(t *testing.T) {
			r := realCLI(t, "denied-tool")
			settings := filepath.Join(r.cwd, ".claude", "settings.json")
			if c.allow != "" {
				if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
					t.Fatal(err)
				}
				rules := `{"permissions":{"allow":["Write","Edit","Bash"]}}`
				if err := os.WriteFile(settings, []byte(rules), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var fields []string
			if c.access != "" {
				fields = append(fields, "access="+c.access)
			}
			out, chunks := r.run(t, providers.Request{Prompt: "write"}, fields...)
			conformance.WantOutcome(t, out, "", "")
			_, err := os.Stat(filepath.Join(r.cwd, "written-by-mock.txt"))
			if written := err == nil; written != c.written {
				t.Errorf("written: %v, want %v", written, c.written)
			}
			if c.access == "" && len(out.Terminal.Metadata.Denials) != 1 {
				t.Errorf("denials: %v", out.Terminal.Metadata.Denials)
			}
			if c.access == "read-only" {
				checkReadOnlyTools(t, chunks)
			}
		})
	}
}

func checkReadOnlyTools(t *testing.T, chunks []stream.Chunk) {
	t.Helper()
	for _, c := range chunks {
		if c.Metadata.Notice != stream.NoticeSession {
			continue
		}
		for _, tool := range []string{`"Bash"`, `"Write"`, `"Edit"`, `"NotebookEdit"`, `"Monitor"`} {
			if bytes.Contains(c.Metadata.Data, []byte(tool)) {
				t.Errorf("a read-only run offers %s", tool)
			}
		}
		if !bytes.Contains(c.Metadata.Data, []byte(`"Grep"`)) {
			t.Errorf("a read-only run cannot search: %s", c.Metadata.Data)
		}
		return
	}
	t.Error("no session notice")
}

func TestRealSchema(t *testing.T) {
	schema := `schema={"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}`
	for _, access := range []string{"edit", "read-only"} {
		out, _ := realCLI(t, "schema").run(t, providers.Request{Prompt: "colour?"}, schema, "access="+access)
		conformance.WantOutcome(t, out, "", "")
		if len(out.Terminal.Metadata.StructuredOutput) == 0 {
			t.Errorf("%s: no structured output", access)
		}
	}
	out, _ := realCLI(t, "say").run(t, providers.Request{Prompt: "colour?"}, schema)
	conformance.WantOutcome(t, out, providers.StructuredOutput, "no_value")
}

func TestRealImage(t *testing.T) {
	png, err := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	if err != nil {
		t.Fatal(err)
	}
	r := realCLI(t, "say")
	out, _ := r.run(t, providers.Request{Prompt: "look", Contents: map[string][]byte{"a.png": png}}, "image=a.png")
	conformance.WantOutcome(t, out, "", "")
	// The CLI adds where it keeps the image, as a text of its own.
	if _, images := lastUserText(t, r.server); images != 1 {
		t.Errorf("the model got %d images", images)
	}
}

// TestRealFiles: settings and MCP servers by private file are taken.
func TestRealFiles(t *testing.T) {
	r := realCLI(t, "say")
	out, _ := r.run(t, providers.Request{Prompt: "say it"},
		`settings={"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo no >&2; exit 2"}]}]}}`)
	conformance.WantOutcome(t, out, providers.Permission, "prompt_blocked")
	out, _ = r.run(t, providers.Request{Prompt: "say it"},
		`mcp_config={"mcpServers":{"bad":{"command":"/nonexistent/server"}}}`, "strict_mcp_config=true")
	conformance.WantOutcome(t, out, "", "")
	if got := strings.Join(out.Terminal.Metadata.Warnings, " "); got != "mcp_server_failed: bad" {
		t.Errorf("warnings: %q", got)
	}
	out, _ = r.run(t, providers.Request{Prompt: "say it"}, "system="+strings.Repeat("Be brief. ", 20_000))
	conformance.WantOutcome(t, out, "", "")
	requests := r.server.Requests()
	if n := len(requests[len(requests)-1].Body); n < 200_000 {
		t.Errorf("the long system prompt is missing: the request has %d bytes", n)
	}
}

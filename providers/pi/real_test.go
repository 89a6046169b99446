//go:build real

package pi

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/mockmodel"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// real is an installed pi and the place where it may live.
type real struct {
	bin, version, home, tmp, cwd string
}

// pis finds the pinned CLIs.
func pis(t *testing.T) map[string]real {
	t.Helper()
	found := map[string]real{}
	for dir, version := range map[string]string{"pi": newest, "pi-old": oldest} {
		bin, err := filepath.Abs("../../.tools/vendors/" + dir + "/bin/pi")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(bin); err != nil {
			t.Fatalf("scripts/vendor %s has not been run: %v", dir, err)
		}
		cwd, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		found[version] = real{bin: bin, version: version, home: t.TempDir(), tmp: t.TempDir(), cwd: cwd}
	}
	return found
}

func serve(t *testing.T, scenario string) *mockmodel.Server {
	t.Helper()
	script, ok := mockmodel.Scenario(scenario)
	if !ok {
		t.Fatalf("no scenario %s", scenario)
	}
	return start(t, script)
}

func start(t *testing.T, script mockmodel.Script) *mockmodel.Server {
	t.Helper()
	s, err := mockmodel.Start(script)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // every answer has been given
	return s
}

// run is `agentrun run --mock` without the command.
func (p real) run(t *testing.T, s *mockmodel.Server, r providers.Request) ([]stream.Chunk, providers.Outcome) {
	t.Helper()
	var chunks []stream.Chunk
	out := providers.Run(t.Context(), p.job(t, s, New().Command, r), func(c stream.Chunk) error {
		chunks = append(chunks, c)
		return nil
	})
	return chunks, out
}

// job is a run of the request against the model.
func (p real) job(t *testing.T, s *mockmodel.Server, command func(providers.Request) (providers.Command, error), r providers.Request) providers.Job {
	t.Helper()
	loop := New().Loopback(providers.Loopback{URL: s.URL(), Home: p.home, Dir: p.tmp, Version: p.version})
	for _, f := range loop.Files {
		path := filepath.Join(p.home, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.Version, r.Dir = p.version, filepath.Join(t.TempDir(), "run")
	if r.Cwd == "/repo" {
		r.Cwd = p.cwd
	}
	cmd, err := command(r)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = append(loop.Args, cmd.Args...)
	env := append(append([]string{"PATH=" + os.Getenv("PATH")}, loop.Env...), cmd.SetEnv...) //nolint:forbidigo // to find node
	return providers.Job{
		ID: strings.ReplaceAll(t.Name(), "/", "_"), Provider: New(), Request: r, Command: cmd, Binary: p.bin, Env: env,
		Options: providers.Options{ResumeID: r.Fields.(*fields).Resume, Forked: r.Given("fork")},
	}
}

// body is what pi asked the model, as far as the tests look.
type body struct {
	System []struct {
		Text string `json:"text"`
	} `json:"system"`
	Messages []struct {
		Role    string            `json:"role"`
		Content ndjson.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name string `json:"name"`
	} `json:"tools"`
}

func lastBody(t *testing.T, s *mockmodel.Server) body {
	t.Helper()
	reqs := s.Requests()
	if len(reqs) == 0 {
		t.Fatal("the model was not asked")
	}
	var b body
	if err := ndjson.Unmarshal(reqs[len(reqs)-1].Body, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b body) lastText(t *testing.T) string {
	t.Helper()
	text, ok := plainText(b.Messages[len(b.Messages)-1].Content)
	if !ok {
		t.Fatalf("the last message is no text: %s", b.Messages[len(b.Messages)-1].Content)
	}
	return text
}

// TestRealPrompts: every prompt reaches the model byte for byte.
func TestRealPrompts(t *testing.T) {
	prompts := map[string]string{
		"plain":      "hello",
		"lines":      "a \"b\" $HOME `x` \\n\n\nz",
		"dash":       "-x --mode rpc",
		"at":         "@missing.txt what",
		"command":    "/mcp list",
		"other":      "/etc/hosts is what?",
		"skill":      "/skill:x y",
		"blanks":     "\n\t hello \n\n",
		"newline":    "hello\n",
		"bom":        "\ufeffhello",
		"nul":        "a\x00b \u2028 \U0001F600",
		"bang":       "!ls",
		"long":       strings.Repeat("0123456789abcde\n", 20000) + "end",
		"long slash": "/mcp " + strings.Repeat("0123456789abcde\n", 20000),
	}
	for version, p := range pis(t) {
		s := serve(t, "say")
		for name, prompt := range prompts {
			t.Run(version+"/"+name, func(t *testing.T) {
				_, out := p.run(t, s, request(t, prompt, "ephemeral=true"))
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				if got := lastBody(t, s).lastText(t); got != prompt {
					t.Errorf("the model was asked %.60q (%d bytes), want %.60q (%d bytes)", got, len(got), prompt, len(prompt))
				}
			})
		}
	}
}

// TestRealSlashUnfenced shows the hazard that the fence is against.
func TestRealSlashUnfenced(t *testing.T) {
	p := pis(t)[newest]
	r := request(t, "/mcp")
	r.NoFence[fenceSlash] = true
	s := serve(t, "say")
	_, out := p.run(t, s, r)
	conformance.WantOutcome(t, out, providers.Protocol, providers.ReasonIncomplete)
	if n := len(s.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// TestRealVerdicts runs scenarios of the model through both CLIs.
func TestRealVerdicts(t *testing.T) {
	for _, tt := range []struct {
		scenario string
		class    providers.Class
		reason   string
		oldClass providers.Class
	}{
		{scenario: "say"},
		{scenario: "tool"},
		{scenario: "think"},
		{scenario: "parallel-tools"},
		{scenario: "failing-tool"},
		{scenario: "unicode"},
		{scenario: "huge", oldClass: "any"}, // 0.73.1 prints 250 MB for it
		{scenario: "401", class: providers.Auth, reason: providers.ReasonBadKey, oldClass: providers.Auth},
		{scenario: "403", class: providers.Auth, reason: providers.ReasonForbidden, oldClass: providers.Auth},
		{scenario: "quota", class: providers.Quota, oldClass: providers.Quota},
		{scenario: "context", class: providers.Context, oldClass: providers.Context},
		{scenario: "max-tokens", class: providers.Limit, reason: providers.ReasonTruncated, oldClass: providers.Limit},
		{scenario: "refusal", class: providers.Refusal, oldClass: providers.Agent},
		{scenario: "empty", class: providers.Agent, reason: providers.ReasonEmpty, oldClass: providers.Agent},
		{scenario: "500-once", oldClass: ""},
	} {
		for version, p := range pis(t) {
			want := tt.class
			if version == oldest {
				want = tt.oldClass
			}
			if want == "any" { // not of this version
				continue
			}
			t.Run(tt.scenario+"/"+version, func(t *testing.T) {
				_, out := p.run(t, serve(t, tt.scenario), request(t, "hello", "ephemeral=true"))
				got := classOf(out.Err)
				if got != want {
					t.Fatalf("got class %q (%v), want %q", got, out.Err, want)
				}
				if version == newest && tt.reason != "" && out.Err.Reason != tt.reason {
					t.Errorf("got reason %q, want %q", out.Err.Reason, tt.reason)
				}
				if want == "" && (out.Final == "" || out.Facts.Usage == nil || out.Facts.Model != mockModel) {
					t.Errorf("a success without text, usage or model: %q %+v", out.Final, out.Facts)
				}
			})
		}
	}
}

// TestRealAccess: what the model is offered.
func TestRealAccess(t *testing.T) {
	for _, tt := range []struct {
		set  []string
		want []string
	}{
		{nil, []string{"bash", "edit", "read", "write"}},
		{[]string{"access=read-only"}, []string{"find", "grep", "ls", "read"}},
		{[]string{"access=edit"}, []string{"edit", "find", "grep", "ls", "read", "write"}},
		{[]string{"access=full"}, []string{"bash", "edit", "read", "write"}},
		{[]string{"access=read-only", "allow_tool=bash"}, []string{"bash", "find", "grep", "ls", "read"}},
		{[]string{"no_tools=true"}, nil},
		{[]string{"allow_tool=read"}, []string{"read"}},
	} {
		for version, p := range pis(t) {
			t.Run(version+"/"+strings.Join(tt.set, ","), func(t *testing.T) {
				s := serve(t, "say")
				if _, out := p.run(t, s, request(t, "hello", append(tt.set, "ephemeral=true")...)); out.Err != nil {
					t.Fatal(out.Err)
				}
				var got []string
				for _, tool := range lastBody(t, s).Tools {
					got = append(got, tool.Name)
				}
				slices.Sort(got)
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("tools (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestRealDenied: a tool that was taken away, or that an extension blocks, is told as denied.
func TestRealDenied(t *testing.T) {
	const gate = `export default function (pi) {
  pi.on("tool_call", () => ({ block: true, reason: "not today" }));
}
`
	for _, tt := range []struct {
		name string
		set  []string
		old  bool // 0.73.1 tells
	}{
		{"access", []string{"access=read-only"}, true},
		{"deny", []string{"deny_tool=bash"}, false},
		{"extension", []string{"extension=gate.mjs"}, false},
	} {
		for version, p := range pis(t) {
			if version == oldest && !tt.old {
				continue
			}
			t.Run(tt.name+"/"+version, func(t *testing.T) {
				if err := os.WriteFile(filepath.Join(p.cwd, "gate.mjs"), []byte(gate), 0o600); err != nil {
					t.Fatal(err)
				}
				s := start(t, mockmodel.Script{Turns: []mockmodel.Turn{
					{Parts: []mockmodel.Part{{Name: "bash", Input: ndjson.RawMessage(`{"command":"echo ran"}`)}}},
					{Parts: []mockmodel.Part{{Text: "It was {{tool_output}}."}}},
				}})
				chunks, out := p.run(t, s, request(t, "hello", append(tt.set, "ephemeral=true")...))
				if out.Err != nil {
					t.Fatal(out.Err)
				}
				i := slices.IndexFunc(chunks, func(c stream.Chunk) bool { return c.Type == stream.ToolResult })
				if i < 0 || !chunks[i].IsError || chunks[i].Metadata == nil || !chunks[i].Metadata.Denied {
					t.Errorf("the call was not told as denied: %+v", chunks)
				}
				if n := len(out.Terminal.Metadata.Denials); n != 1 {
					t.Errorf("%d denials in the verdict, want 1", n)
				}
			})
		}
	}
}

// TestRealImage: the model is shown the picture, behind the prompt.
func TestRealImage(t *testing.T) {
	const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	png, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	for version, p := range pis(t) {
		t.Run(version, func(t *testing.T) {
			path := filepath.Join(p.cwd, "i.png")
			if err := os.WriteFile(path, png, 0o600); err != nil {
				t.Fatal(err)
			}
			s := serve(t, "say")
			if _, out := p.run(t, s, request(t, "-what is /this?\n", "image="+path, "ephemeral=true")); out.Err != nil {
				t.Fatal(out.Err)
			}
			b := lastBody(t, s)
			content := string(b.Messages[len(b.Messages)-1].Content)
			if !strings.Contains(content, `"text":"-what is /this?\n<file name=`) || !strings.Contains(content, `"type":"image"`) {
				t.Errorf("the model was asked %.300s", content)
			}
		})
	}
}

// TestRealSystem: system prompts arrive as text, also one that is the name of a file.
func TestRealSystem(t *testing.T) {
	for version, p := range pis(t) {
		t.Run(version, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(p.cwd, "notes.md"), []byte("SECRET"), 0o600); err != nil {
				t.Fatal(err)
			}
			s := serve(t, "say")
			if _, out := p.run(t, s, request(t, "hello", "system=notes.md", "append_system=more\nlines", "ephemeral=true")); out.Err != nil {
				t.Fatal(out.Err)
			}
			var all strings.Builder
			for _, b := range lastBody(t, s).System {
				all.WriteString(b.Text)
			}
			got := all.String()
			if !strings.Contains(got, "notes.md") || !strings.Contains(got, "more\nlines") || strings.Contains(got, "SECRET") {
				t.Errorf("the system prompt is %q", got)
			}
		})
	}
}

// TestRealResume is the round trip that the capability claims.
func TestRealResume(t *testing.T) {
	for version, p := range pis(t) {
		t.Run(version, func(t *testing.T) {
			s := serve(t, "say")
			_, first := p.run(t, s, request(t, "my first words"))
			id := first.Facts.SessionID
			if first.Err != nil || id == "" {
				t.Fatalf("session %q, %v", id, first.Err)
			}
			_, again := p.run(t, s, request(t, "second", "resume="+id))
			if again.Err != nil || again.Facts.SessionID != id {
				t.Fatalf("session %q, want %q; %v", again.Facts.SessionID, id, again.Err)
			}
			remembers(t, lastBody(t, s))

			elsewhere := request(t, "third", "resume="+id)
			elsewhere.Cwd = t.TempDir()
			_, out := p.run(t, s, elsewhere)
			conformance.WantOutcome(t, out, providers.Session, providers.ReasonMismatch)
			fork := request(t, "fourth", "resume="+id, "fork=true")
			fork.Cwd = elsewhere.Cwd
			_, out = p.run(t, s, fork)
			if out.Err != nil || out.Facts.SessionID == id || out.Facts.SessionID == "" {
				t.Fatalf("fork: session %q, %v", out.Facts.SessionID, out.Err)
			}
			remembers(t, lastBody(t, s))

			_, out = p.run(t, s, request(t, "fifth", "resume=00000000-dead-beef"))
			conformance.WantOutcome(t, out, providers.Session, providers.ReasonNotFound)
		})
	}
}

func remembers(t *testing.T, b body) {
	t.Helper()
	text, _ := plainText(b.Messages[0].Content)
	if len(b.Messages) < 3 || text != "my first words" {
		t.Errorf("the model was told %d messages, the first %q", len(b.Messages), text)
	}
}

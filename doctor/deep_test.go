package doctor_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/doctor"
	"agentrun/procs"
	"agentrun/providers"
	"agentrun/stream"
)

// vendor is a stand-in for `agentrun run`: it does as the embedded model says,
// but for what a test makes it do wrong.
type vendor struct {
	t     *testing.T
	dir   string
	wrong func(scenario string, r doctor.Ran) doctor.Ran
	keep  bool // the tool outlives the run
}

func text(s string) stream.Chunk { return stream.Chunk{Type: stream.Text, Content: s} }

func result(session string) stream.Chunk {
	return stream.Chunk{Type: stream.Result, Metadata: &stream.Metadata{SessionID: session}}
}

func failure(class providers.Class) stream.Chunk {
	return stream.Chunk{Type: stream.Error, Content: "no", IsError: true, Metadata: &stream.Metadata{Class: string(class)}}
}

func tool(output string) []stream.Chunk {
	return []stream.Chunk{{Type: stream.ToolUse}, {Type: stream.ToolResult}, text(output), result("s1")}
}

func flag(args []string, name string) string {
	if i := slices.Index(args, name); i >= 0 {
		return args[i+1]
	}
	return ""
}

func (v vendor) run(ctx context.Context, args []string) doctor.Ran {
	scenario := strings.TrimPrefix(args[1], "--mock=")
	prompt := args[len(args)-1]
	if log := flag(args, "--mock-log"); log != "" {
		if err := os.WriteFile(log, []byte(`{"body":"remember-the-wombat"}`), 0o600); err != nil {
			v.t.Error(err)
		}
	}
	var r doctor.Ran
	switch scenario {
	case "say":
		r.Chunks = []stream.Chunk{text("You said: " + prompt), result("s1")}
	case "tool":
		r.Chunks = tool("mock tool output")
	case "failing-tool":
		r.Chunks = tool("cat: x: No such file or directory")
	case "401":
		r = doctor.Ran{Status: 4, Chunks: []stream.Chunk{failure(providers.Auth)}}
	default:
		r = v.wait(ctx)
	}
	if v.wrong != nil {
		r = v.wrong(scenario, r)
	}
	return r
}

// wait has two processes until the run is ended; with keep, one stays for a while.
func (v vendor) wait(ctx context.Context) doctor.Ran {
	script := "sleep 300 & echo $$ >pids; echo $! >>pids; wait"
	if v.keep {
		stays := exec.CommandContext(v.t.Context(), "sleep", "300") //nolint:forbidigo // procs would end it
		if err := stays.Start(); err != nil {
			v.t.Fatal(err)
		}
		v.t.Cleanup(func() {
			_ = stays.Process.Kill()
			_ = stays.Wait()
		})
		script = fmt.Sprintf("echo %d >pids; echo $$ >>pids; wait; sleep 300", stays.Process.Pid)
	}
	_, err := procs.Run(ctx, procs.Spec{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: v.dir}, func(out *procs.Output) error {
		_, err := io.Copy(io.Discard, out)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		v.t.Errorf("the stand-in ended with %v", err)
	}
	return doctor.Ran{Status: 130, Chunks: []stream.Chunk{text("I wait.")}}
}

// failed lists the trials that failed, with their class.
func (v vendor) failed() map[string]string {
	d := doctor.Trials{Report: doctor.Report{Name: "claude"}, Dir: v.dir, Run: v.run}
	bad := map[string]string{}
	for _, f := range d.All(v.t.Context(), func(providers.Finding) {}) {
		if f.Level != providers.LevelOK {
			bad[f.Check] = string(f.Class) + ": " + f.Message
		}
	}
	return bad
}

func TestDeep(t *testing.T) {
	on := func(scenario string, ran doctor.Ran) func(string, doctor.Ran) doctor.Ran {
		return func(s string, r doctor.Ran) doctor.Ran {
			if s == scenario {
				return ran
			}
			return r
		}
	}
	crash := doctor.Ran{Status: 8, Chunks: []stream.Chunk{failure(providers.Process)}}
	tests := []struct {
		name  string
		wrong func(string, doctor.Ran) doctor.Ran
		keep  bool
		want  map[string]string
	}{
		{name: "all well", want: map[string]string{}},
		{name: "another answer", wrong: on("say", doctor.Ran{Chunks: []stream.Chunk{text("no"), result("s1")}}), want: map[string]string{
			"text":   `agent: the answer is "no", without "You said: hello doctor"`,
			"resume": `agent: the answer is "no", without "remember-the-wombat"`,
		}},
		{name: "a crash", wrong: on("tool", crash), want: map[string]string{
			"tool": "process: the run ended with status 8; it failed with process: no",
		}},
		{name: "a tool without a result", wrong: on("failing-tool", doctor.Ran{Chunks: append([]stream.Chunk{{Type: stream.ToolUse}}, text("No such file or directory"), result("s1"))}), want: map[string]string{
			"failing-tool": "agent: 1 tool calls and 0 results in the stream, and not one of each",
		}},
		{name: "a bad key goes well", wrong: on("401", doctor.Ran{Chunks: []stream.Chunk{result("s1")}}), want: map[string]string{
			"auth-error": "agent: a refused key ended with status 0, and not 4",
		}},
		{name: "nothing starts", wrong: func(string, doctor.Ran) doctor.Ran {
			return doctor.Ran{Status: 2, Stderr: "agentrun: error: bad flag\n"}
		}, want: map[string]string{
			"text":         "agent: the run ended with status 2: bad flag",
			"tool":         "agent: the run ended with status 2: bad flag",
			"failing-tool": "agent: the run ended with status 2: bad flag",
			"resume":       "agent: the run ended with status 2: bad flag",
			"auth-error":   "agent: a refused key ended with status 2, and not 4: bad flag",
			"teardown":     `agent: what was said before the end is "": bad flag`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := vendor{t: t, dir: t.TempDir(), wrong: tt.wrong, keep: tt.keep}.failed()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("failed trials (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDeepFindsProcesses(t *testing.T) {
	got := vendor{t: t, dir: t.TempDir(), keep: true}.failed()
	if len(got) != 1 || !strings.Contains(got["teardown"], "processes are left: ") {
		t.Errorf("want teardown alone, got %v", got)
	}
}

// A session that is not the one asked for, or that has forgotten, is no resumed session.
func TestDeepResume(t *testing.T) {
	n := 0
	other := func(scenario string, r doctor.Ran) doctor.Ran {
		if n++; scenario == "say" && n == 5 { // the second run of the trial
			r.Chunks[1] = result("s2")
		}
		return r
	}
	got := vendor{t: t, dir: t.TempDir(), wrong: other}.failed()
	if want := map[string]string{"resume": "agent: session s1 was carried on as s2"}; !cmp.Equal(want, got) {
		t.Errorf("want %v, got %v", want, got)
	}
}

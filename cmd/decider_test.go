package cmd

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
	"agentrun/policy"
	"agentrun/providers"
	"agentrun/stream"
)

func deciderOf(t *testing.T, rules string) *decider {
	t.Helper()
	p, err := policy.Parse("p.toml", []byte(rules), policy.Vocabulary{Providers: providerList(), Nearest: providers.Nearest})
	if err != nil {
		t.Fatal(err)
	}
	return &decider{policy: p, world: policy.World{Workspace: "/repo"}, depths: map[string]int{}, open: map[string]openCall{}}
}

func asking(id, parent string) providers.AgentRequest {
	return providers.AgentRequest{Kind: stream.AskToolPermission, Context: stream.AskContext{
		ToolName: "Bash", ToolID: id, ParentToolID: parent, ToolInput: ndjson.RawMessage(`{"command":"ls"}`),
	}}
}

// TestDepth: how deep a subagent is, from the calls that began it.
func TestDepth(t *testing.T) {
	d := deciderOf(t, "default = 'deny'\n")
	sink := d.watching(func(stream.Chunk) error { return nil })
	for _, c := range [][3]string{
		{"agent-1", "", "Agent"},
		{"agent-2", "agent-1", "Agent"},
		{"agent-3", "agent-2", "Agent"},
		{"script", "", "codemode"},
		{"script-2", "agent-2", "codemode"},
	} {
		if err := sink(stream.Chunk{Type: stream.ToolUse, ToolName: c[2], ToolID: c[0], Metadata: &stream.Metadata{ParentToolID: c[1]}}); err != nil {
			t.Fatal(err)
		}
	}
	background := asking("1", "")
	background.Background = true
	for _, c := range []struct {
		request providers.AgentRequest
		want    int
	}{
		{asking("1", ""), 0},
		{asking("1", "agent-1"), 1},
		{asking("1", "agent-2"), 2},
		{asking("1", "agent-3"), 3},
		{asking("1", "script"), 0},
		{asking("1", "script-2"), 2},
		{background, 1},
	} {
		if got := d.depth(c.request); got != c.want {
			t.Errorf("below %q: depth %d, want %d", c.request.Context.ParentToolID, got, c.want)
		}
	}
}

// TestUnasked: a call that ran without being asked about is told of, once, and no other.
func TestUnasked(t *testing.T) {
	d := deciderOf(t, "default = 'allow'\n[[rules]]\nname = 'no'\naction = 'deny'\nargs = 'ls'\n")
	var got []string
	sink := d.watching(func(c stream.Chunk) error {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Type, c.ToolID, c.Content)))
		return nil
	})
	use := func(id string) stream.Chunk {
		return stream.Chunk{Type: stream.ToolUse, ToolName: "Bash", ToolID: id, ToolInput: ndjson.RawMessage(`{"command":"ls"}`)}
	}
	result := func(id string, denied bool) stream.Chunk {
		return stream.Chunk{Type: stream.ToolResult, ToolName: "Bash", ToolID: id, Metadata: &stream.Metadata{Denied: denied}}
	}
	before := asking("before", "") // asked before the call is told of
	d.decide(before)
	for _, c := range []stream.Chunk{use("before"), result("before", false), use("after")} {
		if err := sink(c); err != nil {
			t.Fatal(err)
		}
	}
	d.decide(asking("after", ""))
	for _, c := range []stream.Chunk{result("after", false), use("denied"), result("denied", true), use("ran"), result("ran", false), result("ran", false)} {
		if err := sink(c); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"tool_use before", "tool_result before", "tool_use after", "tool_result after", "tool_use denied", "tool_result denied",
		"tool_use ran", "system ran Bash ran without being asked about; the policy says deny (rule no)", "tool_result ran", "tool_result ran",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestUnaskedPaths: a call of which only the paths are told is judged by them.
func TestUnaskedPaths(t *testing.T) {
	d := deciderOf(t, "default = 'allow'\n[[rules]]\nname = 'no'\naction = 'deny'\npath = '**/b.txt'\n")
	use := stream.Chunk{
		Type: stream.ToolUse, ToolName: "edit", ToolID: "t",
		Metadata: &stream.Metadata{Data: ndjson.RawMessage(`{"kind":"edit","paths":["/repo/b.txt"]}`)},
	}
	d.began(use)
	notice, told := d.unasked(stream.Chunk{Type: stream.ToolResult, ToolName: "edit", ToolID: "t"})
	if want := "edit ran without being asked about; the policy says deny (rule no)"; !told || notice.Content != want {
		t.Errorf("told %v: %q, want %q", told, notice.Content, want)
	}
}

// TestQuestions: a policy decides on tools and plans, and on nothing else.
func TestQuestions(t *testing.T) {
	d := deciderOf(t, "default = 'allow'\n")
	for kind, want := range map[string]stream.Action{
		stream.AskToolPermission: stream.Accept, stream.AskPlan: stream.Accept, stream.AskQuestion: "", stream.AskAuth: "", "new": "",
	} {
		if got := d.decide(providers.AgentRequest{Kind: kind}); got.Action != want {
			t.Errorf("%s: %+v", kind, got)
		}
	}
}

func TestResolveLinks(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"repo", "out/deep"} {
		if err := os.MkdirAll(filepath.Join(top, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"repo/link": "../out/deep", "repo/gone": "../out/none", "repo/a": "b", "repo/b": "a"} {
		if err := os.Symlink(to, filepath.Join(top, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		"repo":              "repo",
		"repo/new/file":     "repo/new/file",
		"repo/link":         "out/deep",
		"repo/link/new":     "out/deep/new",
		"repo/link/../x":    "out/x",
		"repo/new/../x":     "repo/x",
		"repo/gone":         "out/none",
		"repo/gone/x":       "out/none/x",
		"repo/link/none/..": "out/deep",
	} {
		if got := resolveLinks(top + "/" + path); got != filepath.Join(top, want) {
			t.Errorf("%s: %s, want %s", path, got, filepath.Join(top, want))
		}
	}
	if got := resolveLinks("/no-such/file"); got != "/no-such/file" {
		t.Errorf("below the root: %s", got)
	}
	resolveLinks(top + "/repo/a/x") // a circle ends
}

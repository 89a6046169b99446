package policy

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/ndjson"
)

// Without a home a tilde is a name like any other; links are followed before a .. counts.
func TestSeeWorld(t *testing.T) {
	var asked []string
	world := World{Workspace: "/w", Resolve: func(path string) string {
		asked = append(asked, path)
		return "/real" + path
	}}
	f := see(Call{Tool: "Read", Paths: []string{"~/x", "in/../y"}}, world)
	if diff := cmp.Diff([]string{"/w/~/x", "/w/in/../y"}, asked); diff != "" {
		t.Errorf("links followed of (-want +got):\n%s", diff)
	}
	if want := []place{{"/w/~/x", "/real/w/~/x"}, {"/w/y", "/real/w/y"}}; !slices.Equal(f.paths, want) {
		t.Errorf("got %v, want %v", f.paths, want)
	}
}

// TestSee: what a call is about, whatever the vendor's tool calls it.
func TestSee(t *testing.T) {
	world := World{Workspace: "/w", Home: "/h"}
	type seen struct {
		Kind    string
		Command string // "" is none
		Opaque  string
		Paths   []string // as they are written
	}
	for _, tt := range []struct {
		name string
		call Call
		want seen
	}{
		{"a shell's command", Call{Tool: "Bash", Input: ndjson.RawMessage(`{"command":"ls"}`)}, seen{Kind: Exec, Command: "ls"}},
		{"an argv", Call{Tool: "shell", Input: ndjson.RawMessage(`{"cmd":["bash","-lc","ls 'a b'"]}`)}, seen{Kind: Exec, Command: "ls 'a b'"}},
		{"a command beside the input", Call{Tool: "commandExecution", Command: "ls"}, seen{Kind: Exec, Command: "ls"}},
		{"an unknown tool with a command", Call{Tool: "mystery", Input: ndjson.RawMessage(`{"command":"ls"}`)}, seen{Kind: Exec, Command: "ls"}},
		{"an unknown tool without", Call{Tool: "mystery", Input: ndjson.RawMessage(`{"a":1}`)}, seen{Kind: Other}},
		{"a shell without a command", Call{Tool: "Bash"}, seen{Kind: Exec}},
		{"another shell", Call{Tool: "PowerShell", Input: ndjson.RawMessage(`{"command":"ls"}`)}, seen{Kind: Exec, Command: "ls", Opaque: "it is for another shell"}},
		{"a writer with a word called command", Call{Tool: "Write", Input: ndjson.RawMessage(`{"command":"ls","file_path":"a"}`)}, seen{Kind: Write, Paths: []string{"/w/a"}}},
		{"changes", Call{Tool: "fileChange", Paths: []string{"/x"}, Input: ndjson.RawMessage(`{"changes":[{"path":"a"},{"path":"../b"},{"kind":"add"}]}`)}, seen{Kind: Write, Paths: []string{"/x", "/w/a", "/b"}}},
		{"a search in the workspace", Call{Tool: "Grep", Input: ndjson.RawMessage(`{"pattern":"../x"}`)}, seen{Kind: Read, Paths: []string{"/w"}}},
		{"a search in a folder", Call{Tool: "Grep", Input: ndjson.RawMessage(`{"pattern":"x","path":"~/src"}`)}, seen{Kind: Read, Paths: []string{"/h/src"}}},
		{"files in the workspace", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"src/*/*.go"}`)}, seen{Kind: Read, Paths: []string{"/w"}}},
		{"files of two kinds", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"src/*.{ts,tsx}"}`)}, seen{Kind: Read, Paths: []string{"/w"}}},
		{"files above it, behind a star", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"src/*/../../../etc/*"}`)}, seen{Kind: Read, Paths: []string{"/"}}},
		{"files above it, in braces", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"{../..,src}/etc/*"}`)}, seen{Kind: Read, Paths: []string{"/"}}},
		{"files anywhere, in braces", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"{src,/etc}/*"}`)}, seen{Kind: Read, Paths: []string{"/"}}},
		{"files of the home, in braces", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"{~,src}/*"}`)}, seen{Kind: Read, Paths: []string{"/"}}},
		{"files above it", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"../x/*.go"}`)}, seen{Kind: Read, Paths: []string{"/x"}}},
		{"files of the home", Call{Tool: "Glob", Input: ndjson.RawMessage(`{"pattern":"~/x/*.go"}`)}, seen{Kind: Read, Paths: []string{"/h/x"}}},
		{"files anywhere", Call{Tool: "glob", Input: ndjson.RawMessage(`{"pattern":"/etc/*"}`)}, seen{Kind: Read, Paths: []string{"/etc"}}},
		{"the home", Call{Tool: "LS", Input: ndjson.RawMessage(`{"path":"~"}`)}, seen{Kind: Read, Paths: []string{"/h"}}},
		{"a name that begins like a home", Call{Tool: "Read", Input: ndjson.RawMessage(`{"file_path":"~root/x"}`)}, seen{Kind: Read, Paths: []string{"/w/~root/x"}}},
		{"empty names", Call{Tool: "read_many_files", Input: ndjson.RawMessage(`{"paths":["","a"],"path":""}`)}, seen{Kind: Read, Paths: []string{"/w/a"}}},
		{"the same path twice", Call{Tool: "Read", Paths: []string{"/w/a"}, Input: ndjson.RawMessage(`{"file_path":"a"}`)}, seen{Kind: Read, Paths: []string{"/w/a"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := see(tt.call, world)
			got := seen{Kind: f.kind}
			if f.script != nil {
				got.Command, got.Opaque = f.script.whole, f.script.opaque
			}
			for _, p := range f.paths {
				got.Paths = append(got.Paths, p.written)
				if p.real != p.written {
					t.Errorf("without links %s leads to %s", p.written, p.real)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, fits, not string
	}{
		{"a *", "a", "ab"},
		{"a *", "a b\nc", "ba"},
		{`a\ *`, "a b", "a"},
		{`a\`, `a\`, "a"},
		{`a\?`, "a?", "ab"},
		{"a?", "aé", "a"},
		{"", "", "a"},
	} {
		g := NewGlob(tt.pattern)
		if !g.Fits(tt.fits) || g.Fits(tt.not) {
			t.Errorf("%q: fits %q: %v; fits %q: %v", tt.pattern, tt.fits, g.Fits(tt.fits), tt.not, g.Fits(tt.not))
		}
	}
}

// Where a directory begins and ends, and what a home is that nobody knows.
func TestPlaces(t *testing.T) {
	for _, tt := range []struct {
		pattern, path string
		world         World
		want          bool
	}{
		{"inside", "/w/a", World{Workspace: "/w"}, true},
		{"inside", "/w", World{Workspace: "/w/"}, true},
		{"inside", "/w2", World{Workspace: "/w"}, false},
		{"inside", "/W/a", World{Workspace: "/w"}, false},
		{"inside", "/W/a", World{Workspace: "/w", FoldCase: true}, true},
		{"inside", "/v/a", World{Workspace: "/w", FoldCase: true}, false},
		{"inside", "/any/thing", World{Workspace: "/"}, true},
		{"outside", "/more/a", World{Workspace: "/w", Also: []string{"/more"}}, false},
		{"A.go", "/w/a.go", World{Workspace: "/w"}, false},
		{"A.go", "/w/a.go", World{Workspace: "/w", FoldCase: true}, true},
		{"~/x", "/h/x", World{Workspace: "/w", Home: "/h"}, true},
		{"~/x", "/x", World{Workspace: "/w"}, false},
	} {
		if got := newPathGlob(tt.pattern).fits(tt.path, tt.world); got != tt.want {
			t.Errorf("%s fits %s in %+v: %v", tt.pattern, tt.path, tt.world, got)
		}
	}
}

// A field of the input may hold anything; what is no text is held against its JSON.
func TestFields(t *testing.T) {
	call := Call{Tool: "t", Input: ndjson.RawMessage(`{"n":5,"deep":{"list":["a"]},"url":"https://x"}`)}
	for condition, want := range map[string]Action{
		`field = "n"` + "\n" + `args = "5"`:                 Allow,
		`field = "deep.list"` + "\n" + `args = '["a"]'`:     Allow,
		`field = "deep.none"` + "\n" + `args = "*"`:         Ask,
		`field = "url.deep"` + "\n" + `args = "*"`:          Ask,
		`field = "url"` + "\n" + `pattern = '^https://x$'`:  Allow,
		`field = "url"` + "\n" + `pattern = '^https://xy$'`: Ask,
	} {
		p, err := Parse("p.toml", []byte("[[rules]]\naction = \"allow\"\n"+condition+"\n"), Vocabulary{})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Decide(call, World{Workspace: "/w"}).Action; got != want {
			t.Errorf("%s: %s, want %s", condition, got, want)
		}
	}
}

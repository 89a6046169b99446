package providers

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sample is a typed request with every kind of field.
type sample struct {
	Model    string   `field:"model" argv:"--model" help:"the model"`
	Effort   string   `field:"effort" argv:"--effort" choices:"low high" help:"how much"`
	Fast     bool     `field:"fast" argv:"--fast" since:"2.1.0" help:"be fast"`
	Turns    int      `field:"max_turns" argv:"--turns" help:"how many"`
	Cost     float64  `field:"max_cost" argv:"--cost" help:"how much money"`
	Dirs     []string `field:"add_dir" argv:"--dir" kind:"dir" help:"more"`
	Modes    []string `field:"modes" argv:"--mode" choices:"a b" help:"which"`
	Settings string   `field:"settings" kind:"json" maps:"a file" help:"which"`
	Blobs    []string `field:"blobs" kind:"json" help:"which"`
	Review   string   `field:"review" replaces:"prompt" help:"what"`
	Thread   string   `field:"thread" kind:"id" help:"which"`
	internal string
}

func TestFieldsOf(t *testing.T) {
	want := []Field{
		{Name: "model", Type: "string", Default: "big", Argv: "--model", Flag: "--model", Help: "the model", Choices: []string{}},
		{Name: "effort", Type: "string", Argv: "--effort", Flag: "--effort", Help: "how much", Choices: []string{"low", "high"}},
		{Name: "fast", Type: "bool", Default: "true", Argv: "--fast", Since: "2.1.0", Help: "be fast", Choices: []string{}},
		{Name: "max_turns", Type: "int", Argv: "--turns", Flag: "--max-turns", Help: "how many", Choices: []string{}},
		{Name: "max_cost", Type: "number", Default: "0.5", Argv: "--cost", Flag: "--max-cost", Help: "how much money", Choices: []string{}},
		{Name: "add_dir", Type: "list", Kind: KindDir, Argv: "--dir", Flag: "--add-dir", Help: "more", Choices: []string{}},
		{Name: "modes", Type: "list", Argv: "--mode", Help: "which", Choices: []string{"a", "b"}},
		{Name: "settings", Type: "string", Kind: KindJSON, Maps: "a file", Help: "which", Choices: []string{}},
		{Name: "blobs", Type: "list", Kind: KindJSON, Help: "which", Choices: []string{}},
		{Name: "review", Type: "string", Replaces: "prompt", Help: "what", Choices: []string{}},
		{Name: "thread", Type: "string", Kind: KindID, Help: "which", Choices: []string{}},
	}
	got := FieldsOf(&sample{Model: "big", Fast: true, Cost: 0.5, internal: "x"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	defer func() {
		if recover() == nil {
			t.Error("a field of a type that cannot be set was taken")
		}
	}()
	FieldsOf(&struct {
		Odd map[string]string `field:"odd"`
	}{})
}

func TestSetField(t *testing.T) {
	tests := []struct {
		name, value string
		err, hint   string // "" when it is right
	}{
		{"model", "x y", "", ""},
		{"model", "", "", ""},
		{"model", "a\x00b", "NUL", ""},
		{"modl", "x", "unknown field", `did you mean "model"?`},
		{"max-turns", "3", "unknown field", `did you mean "max_turns"?`},
		{"zzzzzzzzzz", "x", "unknown field", "the fields are: model, effort"},
		{"internal", "x", "unknown field", ""},
		{"effort", "low", "", ""},
		{"effort", "hihg", "none of low, high", `did you mean "high"?`},
		{"effort", "medium-well", "none of low, high", ""},
		{"effort", "", "none of", ""},
		{"fast", "true", "", ""},
		{"fast", "0", "", ""},
		{"fast", "yes", "neither true nor false", ""},
		{"max_turns", "0", "", ""},
		{"max_turns", "-1", "whole number", ""},
		{"max_turns", "1.5", "whole number", ""},
		{"max_turns", "99999999999999999999", "whole number", ""},
		{"max_cost", "1.5", "", ""},
		{"max_cost", "-0.1", "number of at least 0", ""},
		{"max_cost", "NaN", "number of at least 0", ""},
		{"max_cost", "Inf", "number of at least 0", ""},
		{"max_cost", "much", "number of at least 0", ""},
		{"max_cost", "0", "", ""},
		{"max_cost", "1e15", "", ""},
		{"max_cost", "2e15", "number of at least 0", ""},
		{"thread", "a-1", "", ""},
		{"thread", "", "not an id", ""},
		{"thread", "-a", "not an id", ""},
		{"thread", "a b", "not an id", ""},
		{"thread", "a\n", "not an id", ""},
		{"modes", "a", "", ""},
		{"modes", "c", "none of a, b", ""},
		{"settings", `{"a":1}`, "", ""},
		{"settings", `{a}`, "not JSON", ""},
		{"blobs", `[]`, "", ""},
		{"blobs", `[`, "not JSON", ""},
	}
	for _, tt := range tests {
		err := SetField(&sample{}, tt.name, tt.value)
		if tt.err == "" {
			if err != nil {
				t.Errorf("%s=%q: %v", tt.name, tt.value, err)
			}
			continue
		}
		e, ok := errors.AsType[*Error](err)
		if !ok || e.Class != Usage || !strings.Contains(e.Message, tt.err) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s=%q: got %v, want %q with the hint %q", tt.name, tt.value, err, tt.err, tt.hint)
		}
	}
}

func TestArgv(t *testing.T) {
	s := &sample{Model: "default"}
	for _, kv := range [][2]string{
		{"effort", "high"},
		{"fast", "true"},
		{"max_turns", "7"},
		{"max_cost", "0.000001"},
		{"max_cost", "1000000"},
		{"add_dir", "/a"},
		{"add_dir", "/b c"},
		{"settings", "{}"},
	} {
		if err := SetField(s, kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	given := map[string]bool{"effort": true, "fast": true, "max_turns": true, "max_cost": true, "add_dir": true, "settings": true}
	want := []string{"--effort", "high", "--fast", "--turns", "7", "--cost", "1000000", "--dir", "/a", "--dir", "/b c"}
	if diff := cmp.Diff(want, Argv(s, given)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.Fast = false
	if diff := cmp.Diff([]string(nil), Argv(s, map[string]bool{"fast": true})); diff != "" {
		t.Errorf("a false bool (-want +got):\n%s", diff)
	}
	if got := Argv(s, nil); got != nil {
		t.Errorf("nothing given: got %q", got)
	}
}

func TestCheckVersions(t *testing.T) {
	tests := []struct {
		version string
		given   bool
		old     bool
	}{
		{"2.0.9", true, true},
		{"2.1.0-beta", true, false},
		{"2.1.0", true, false},
		{"2.0.9", false, false},
		{"", true, false},
	}
	for _, tt := range tests {
		err := CheckVersions(Request{Fields: &sample{}, Version: tt.version, Set: map[string]bool{"fast": tt.given}})
		e, ok := errors.AsType[*Error](err)
		if ok != tt.old || ok && (e.Class != Unsupported || e.Reason != ReasonTooOld) {
			t.Errorf("%q, given %v: got %v", tt.version, tt.given, err)
		}
	}
}

func TestExclusive(t *testing.T) {
	r := Request{Set: map[string]bool{"a": true, "c": true}}
	if err := Exclusive(r, "a", "b"); err != nil {
		t.Error(err)
	}
	if err := Exclusive(r, "a", "b", "c"); err == nil || err.Error() != "a and c exclude each other" {
		t.Errorf("got %v", err)
	}
	if !r.Given("a") || r.Given("b") {
		t.Error("given fields are mixed up")
	}
}

func TestCommonFlagsNameFieldsOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range CommonFlags() {
		if seen[f.Name] || f.Help == "" || strings.ReplaceAll(f.Name, "-", "_") != f.Field {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
}

func TestNearest(t *testing.T) {
	words := []string{"model", "max_turns", "append_system"}
	tests := map[string]string{
		"modl": "model", "MODEL": "model", "max-turns": "max_turns", "mx_trns": "max_turns",
		"append_sys": "append_system", "amodel": "model", "zebra": "", "": "",
	}
	for word, want := range tests {
		if got := Nearest(word, words); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"ab", 2, "ab"}, {"abc", 2, "ab…"}, {"aé", 2, "a…"}, {"é", 1, "…"}, {"日本", 5, "日…"}, {"x", 0, "…"}, {"", 0, ""},
	} {
		if got := Clip(tt.text, tt.most); got != tt.want {
			t.Errorf("%q, %d bytes: %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}

func TestCompareVersions(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"1.2.3", "1.2.3", 0},
		{"1.2", "1.2.0", 0},
		{"1.10.0", "1.9.9", 1},
		{"0.9", "1", -1},
		{"1.2.3-beta", "1.2.3", 0},
		{"1.x.3", "1.0.3", 0},
		{"", "0.0", 0},
		{"2", "", 1},
	}
	for _, tt := range tests {
		if got := sign(CompareVersions(tt.a, tt.b)); got != tt.want {
			t.Errorf("%q, %q: got %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := sign(CompareVersions(tt.b, tt.a)); got != -tt.want {
			t.Errorf("%q, %q: got %d, want %d", tt.b, tt.a, got, -tt.want)
		}
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

//go:build real

package cmd_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentrun/cmd"
)

// checkup is as much of `agentrun doctor --json` as the tests need.
type checkup struct {
	OK        bool `json:"ok"`
	Providers []struct {
		Name     string    `json:"name"`
		Findings []finding `json:"findings"`
		Deep     []finding `json:"deep"`
	} `json:"providers"`
}

type finding struct {
	Check, Level, Message, Advice, Class, Reason string
}

// pinnedBinary is the CLI that scripts/vendor installed.
func pinnedBinary(t *testing.T, name, program string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../.tools/vendors", name, "bin", program))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run scripts/vendor %s", err, name)
	}
	return path
}

// examine runs the doctor on one pinned CLI in a home of its own.
func examine(t *testing.T, vendor, home string, args, env []string) (checkup, int) {
	t.Helper()
	provider := strings.TrimSuffix(vendor, "-old")
	top := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	status := cmd.Main(append([]string{"doctor", provider, "--json"}, args...), cmd.IO{
		In: strings.NewReader(""), Out: &out, Err: &errs, Cwd: top, Self: self, Root: os.Geteuid() == 0, Now: time.Now,
		CacheDir: filepath.Join(top, "cache"), StateDir: filepath.Join(top, "state"), TempDir: top,
		Env: append([]string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + top,
			"AGENTRUN_" + strings.ToUpper(provider) + "_BIN=" + pinnedBinary(t, vendor, provider),
		}, env...),
	})
	var c checkup
	if err := json.Unmarshal(out.Bytes(), &c); err != nil || len(c.Providers) != 1 {
		t.Fatalf("%v\n%s%s", err, &out, &errs)
	}
	return c, status
}

func level(t *testing.T, list []finding, check string) finding {
	t.Helper()
	for _, f := range list {
		if f.Check == check {
			return f
		}
	}
	t.Errorf("no finding about %s in %+v", check, list)
	return finding{}
}

// TestRealDoctorDeep: all trials go well on each pinned CLI.
func TestRealDoctorDeep(t *testing.T) {
	want := []string{"text", "tool", "failing-tool", "resume", "auth-error", "teardown"}
	for _, vendor := range []string{"claude", "codex", "gemini", "pi", "pi-old"} {
		t.Run(vendor, func(t *testing.T) {
			c, _ := examine(t, vendor, t.TempDir(), []string{"--deep"}, nil)
			var checks []string
			for _, f := range c.Providers[0].Deep {
				checks = append(checks, f.Check)
				if f.Level != "ok" {
					t.Errorf("%+v", f)
				}
			}
			if got := strings.Join(checks, " "); got != strings.Join(want, " ") {
				t.Errorf("trials: %s", got)
			}
		})
	}
}

// TestRealDoctor: what the pinned CLIs answer is understood, with a login and without.
func TestRealDoctor(t *testing.T) {
	tests := []struct {
		vendor, env, file, text string
		ready                   bool
	}{
		{vendor: "claude", env: "ANTHROPIC_API_KEY=sk-none", ready: true},
		{vendor: "claude"},
		{vendor: "codex", env: "CODEX_API_KEY=sk-none", ready: true},
		{vendor: "codex", file: ".codex/auth.json", text: `{"OPENAI_API_KEY":"sk-none"}`, ready: true},
		{vendor: "codex"},
		{vendor: "gemini", env: "GEMINI_API_KEY=none", ready: true},
		{vendor: "gemini"},
		{vendor: "pi", env: "ANTHROPIC_API_KEY=sk-none", ready: true},
		{vendor: "pi"},
		{vendor: "pi-old", env: "OPENAI_API_KEY=sk-none", ready: true},
		{vendor: "pi-old"},
	}
	for _, tt := range tests {
		t.Run(tt.vendor+" "+tt.env+tt.file, func(t *testing.T) {
			home := homeWith(t, tt.file, tt.text)
			c, status := examine(t, tt.vendor, home, nil, []string{tt.env})
			f := level(t, c.Providers[0].Findings, "login")
			if ready := f.Level == "ok"; ready != tt.ready {
				t.Errorf("ready %v, want %v: %+v", ready, tt.ready, f)
			}
			if !tt.ready && (status != 4 || f.Class != "auth" || f.Reason != "not_logged_in" || f.Advice == "") {
				t.Errorf("exit status %d, %+v", status, f)
			}
			if v := level(t, c.Providers[0].Findings, "version"); v.Level != "ok" {
				t.Errorf("%+v", v)
			}
		})
	}
}

// TestRealDoctorTraps: the traps that keep a pinned CLI from working are told.
func TestRealDoctorTraps(t *testing.T) {
	tests := []struct {
		name, vendor, env, file, text, check, reason string
	}{
		{name: "broken .claude.json", vendor: "claude", file: ".claude.json", text: "{broken", check: "config", reason: "config"},
		{name: "broken config.toml", vendor: "codex", file: ".codex/config.toml", text: "model = [", check: "config", reason: "config"},
		{name: "no CODEX_HOME", vendor: "codex", env: "CODEX_HOME=/nowhere/codex", check: "config", reason: "config"},
		{name: "no repository", vendor: "codex", check: "trust", reason: "workspace_untrusted"},
		{name: "broken settings", vendor: "gemini", file: ".gemini/settings.json", text: "{", check: "config", reason: "config"},
		{name: "untrusted", vendor: "gemini", check: "trust", reason: "workspace_untrusted"},
		{name: "endpoint without a kind of login", vendor: "gemini", env: "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1", check: "login", reason: "not_logged_in"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := homeWith(t, tt.file, tt.text)
			c, _ := examine(t, tt.vendor, home, nil, []string{tt.env})
			if f := level(t, c.Providers[0].Findings, tt.check); f.Level != "failed" || f.Reason != tt.reason || f.Advice == "" {
				t.Errorf("%+v", f)
			}
		})
	}
}

// homeWith is a home with one file, or with none.
func homeWith(t *testing.T, name, text string) string {
	t.Helper()
	home := t.TempDir()
	if name == "" {
		return home
	}
	path := filepath.Join(home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

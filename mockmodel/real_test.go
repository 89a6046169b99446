//go:build real

package mockmodel

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// ran is what a CLI printed and how it left.
type ran struct {
	stdout, stderr string
	code           int
}

// vendorBinary finds the pinned CLI.
func vendorBinary(t *testing.T, name string) string {
	t.Helper()
	bin, err := filepath.Abs("../.tools/vendors/" + name + "/bin/" + strings.TrimSuffix(name, "-old"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		t.Fatalf("scripts/vendor %s has not been run: %v", name, err)
	}
	return bin
}

// runCLI runs a CLI with that environment alone.
func runCLI(t *testing.T, dir string, env []string, stdin, bin string, args ...string) ran {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, bin, args...)                                                       //nolint:forbidigo // the bare CLI is what is tested
	cmd.Dir, cmd.Env, cmd.Stdin = dir, append(env, "PATH="+os.Getenv("PATH")), strings.NewReader(stdin) //nolint:forbidigo // to find node
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &stdout, &stderr, 5*time.Second
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatalf("run %s: %v", bin, err)
	}
	return ran{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func runClaude(t *testing.T, s *Server, prompt string, args ...string) ran {
	t.Helper()
	bin := vendorBinary(t, "claude")
	env := []string{
		"HOME=" + t.TempDir(), "CLAUDE_CODE_TMPDIR=" + t.TempDir(), "ANTHROPIC_BASE_URL=" + s.URL(), "ANTHROPIC_API_KEY=mock",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=1",
	}
	args = append([]string{"-p", "--output-format", "stream-json", "--verbose"}, args...)
	return runCLI(t, t.TempDir(), env, prompt, bin, args...)
}

func runCodex(t *testing.T, s *Server, prompt string, args ...string) ran {
	t.Helper()
	bin := vendorBinary(t, "codex")
	home := t.TempDir()
	config := `
model = "gpt-5.5"
model_provider = "mock"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
[model_providers.mock]
name = "mock"
base_url = "` + s.URL() + `/v1"
env_key = "MOCK_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`
	write(t, home, ".codex/config.toml", config)
	work := t.TempDir()
	write(t, work, "schema.json", objectSchema)
	args = append([]string{"exec", "--json", "--skip-git-repo-check"}, append(args, "-")...)
	return runCLI(t, work, []string{"HOME=" + home, "MOCK_KEY=mock"}, prompt, bin, args...)
}

func runGemini(t *testing.T, s *Server, prompt string, args ...string) ran {
	t.Helper()
	bin := vendorBinary(t, "gemini")
	home := t.TempDir()
	write(t, home, ".gemini/settings.json", `{
 "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "sessionRetention": {"enabled": false}, "maxAttempts": 2},
 "privacy": {"usageStatisticsEnabled": false}, "tools": {"shell": {"enableInteractiveShell": false}}}`)
	env := []string{
		"HOME=" + home, "TMPDIR=" + t.TempDir(), "TERM=xterm-256color", "COLORTERM=truecolor", "NO_COLOR=1",
		"GEMINI_API_KEY=mock", "GOOGLE_GEMINI_BASE_URL=" + s.URL(), "GEMINI_TELEMETRY_ENABLED=false",
		"GEMINI_CLI_TRUST_WORKSPACE=true", "GEMINI_CLI_NO_RELAUNCH=true",
	}
	args = append([]string{"-o", "stream-json", "-m", "gemini-2.5-flash"}, args...)
	return runCLI(t, t.TempDir(), env, prompt, bin, args...)
}

func runPi(t *testing.T, name string, s *Server, prompt string, args ...string) ran {
	t.Helper()
	bin := vendorBinary(t, name)
	home := t.TempDir()
	write(t, home, ".pi/agent/models.json", `{"providers": {"mock": {"baseUrl": "`+s.URL()+`", "apiKey": "mock", "api": "anthropic-messages",
 "models": [{"id": "mock-1", "reasoning": true, "input": ["text"], "contextWindow": 200000, "maxTokens": 8000}]}}}`)
	write(t, home, ".pi/agent/settings.json", `{"retry": {"maxRetries": 1, "baseDelayMs": 100}}`)
	args = append([]string{"--mode", "json", "--model", "mock/mock-1", "-p"}, args...)
	return runCLI(t, t.TempDir(), []string{"HOME=" + home, "PI_OFFLINE=1"}, prompt, bin, args...)
}

// write makes a file below a folder.
func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// realCase says what a CLI shows of a scenario: texts of its stdout, and its exit status.
type realCase struct {
	scenario string
	args     []string
	want     []string
	code     int
}

func (c realCase) check(t *testing.T, got ran) {
	t.Helper()
	for _, w := range c.want {
		if !strings.Contains(got.stdout+got.stderr, w) {
			t.Errorf("the output lacks %s", w)
		}
	}
	if got.code != c.code {
		t.Errorf("exit status %d, want %d", got.code, c.code)
	}
	if t.Failed() || testing.Verbose() {
		t.Logf("stdout:\n%s\nstderr:\n%s", brief(got.stdout), brief(got.stderr))
	}
}

// brief shortens the long lines of a log.
func brief(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if len(l) > 700 {
			lines[i] = l[:700] + "…"
		}
	}
	return strings.Join(lines, "\n")
}

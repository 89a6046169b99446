package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// vendor is one installed CLI, named as in scripts/vendors.txt.
type vendor struct{ name, bin string }

func (v vendor) provider() string { return strings.TrimSuffix(v.name, "-old") }

// file is where a recording is stored.
func (v vendor) file(scenario string) string {
	folder := "drift" + strings.TrimPrefix(v.name, v.provider())
	return filepath.Join("providers", v.provider(), "testdata", folder, scenario+".jsonl")
}

// scenario is one behaviour of the embedded model.
type scenario struct {
	name  string
	shell bool     // the CLI may run any command
	args  []string // of agentrun
	only  []string // vendors; none is all
}

func scenarios() []scenario {
	const schema = `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"],"additionalProperties":false}`
	return []scenario{
		{name: "say"},
		{name: "think"},
		{name: "tool", shell: true},
		{name: "failing-tool", shell: true},
		{name: "denied-tool"},
		{name: "schema", args: []string{"--schema", schema}, only: []string{"claude", "codex"}},
		{name: "max-tokens"},
		{name: "refusal"},
		{name: "401"},
		{name: "quota"},
		{name: "context"},
	}
}

func (s scenario) fits(vendor string) bool {
	return len(s.only) == 0 || slices.Contains(s.only, vendor)
}

// stage is where the CLIs run.
type stage struct{ top, agentrun string }

// play runs one scenario, and returns the shape of the CLI's stdout.
func (s *stage) play(ctx context.Context, v vendor, sc scenario) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	home := filepath.Join(s.top, v.name+"-"+sc.name)
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, err
	}
	raw := filepath.Join(s.top, v.name+"-"+sc.name+".raw")
	args := []string{"run", "--mock=" + sc.name, "--bin", v.bin, "--raw", raw, "--timeout", "2m", "--output", "result", "--no-record"}
	if sc.shell {
		args = append(args, v.allowShell()...)
	}
	cmd := exec.CommandContext(ctx, s.agentrun, append(append(args, sc.args...), v.provider(), "hello mock")...)
	cmd.Dir = home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CACHE_HOME=" + filepath.Join(s.top, "cache")}
	var exit *exec.ExitError
	// A scenario may fail: what the CLI prints then is the point.
	if out, err := cmd.CombinedOutput(); err != nil && (!errors.As(err, &exit) || exit.ExitCode() == 2 || exit.ExitCode() > 100) {
		return nil, fmt.Errorf("%w: %.2000s", err, out)
	}
	f, err := os.Open(raw)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return shape(f, s.top)
}

// allowShell: as the superuser claude refuses full access.
func (v vendor) allowShell() []string {
	if v.provider() == "claude" {
		return []string{"--allow-tool", "Bash"}
	}
	return []string{"--access", "full"}
}

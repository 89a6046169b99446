package cmd

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/config"
	"agentrun/hooks"
	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/sessions"
	"agentrun/stream"
	"agentrun/telemetry"
	"agentrun/workspace"
)

// runPlan is a checked command line: everything about a run is decided, nothing is started.
type runPlan struct {
	sys     IO
	flags   *runFlags
	output  string
	job     providers.Job
	changes []string // of the environment, for people
	mock    *mock
	raw     *os.File
	copied  remembering // writes to raw
	dir     *providers.RunDir
	prior   sessions.Record // the run that this one carries on
	config  configured
	origins map[string]config.Origin // of the flags and fields that the configuration set
	fields  [][2]string              // name and value, from the configuration
	model   string                   // that was asked for
	schema  string                   // of the answer, in JSON; "" when none was given
	policy  *decider                 // nil when no policy holds
	hooks   []hooks.Hook             // those that are for this run
	remake  func() error             // makes the command again, of a request that changed
	images  []string                 // of the prompt, where it is a message
	heard   func(stream.LiveInput)   // is told of the inputs of a live session; may be nil
	trace   *telemetry.Run           // nil when nobody asked for telemetry
	chat    *chat                    // the person who talks, nil elsewhere
	ci      markup                   // how a CI system is talked to; nil when there is none
}

// newRunPlan checks everything that can be checked before anything starts.
func newRunPlan(c *cobra.Command, sys IO, f *runFlags, args []string) (*runPlan, error) {
	p := &runPlan{sys: sys, flags: f}
	args, err := p.configure(args)
	if err != nil {
		return nil, err
	}
	provider, err := findProvider(args[0])
	if err != nil {
		return nil, err
	}
	p.job.Provider, p.job.ID = provider, newRunID()
	steps := []func() error{
		p.placeRun,
		func() error { return p.carryOn(c) },
		func() error { return p.applyConfig(c) },
		p.chooseOutput,
		p.chooseLook,
		p.usePolicy,
		p.useHooks,
		func() error { return p.fillFields(c) },
		func() error { return p.askPrompt(args) },
		func() error { return p.findBinary(c.Context()) },
		p.startTelemetry,
		p.buildCommand,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// close gives back what the plan holds.
func (p *runPlan) close() {
	if p.mock != nil {
		p.mock.close()
	}
	if p.raw != nil {
		p.raw.Close()
	}
	if p.dir != nil {
		p.dir.Remove()
	}
}

func findProvider(name string) (providers.Provider, error) {
	for _, p := range all.Providers() {
		if p.About().Name == name {
			return p, nil
		}
	}
	if name == "" {
		return nil, providers.Errorf(providers.Usage, "", "no provider was named").WithHint("the providers are: %s", providerNames())
	}
	err := providers.Errorf(providers.Usage, "", "unknown provider %q", name)
	if near := providers.Nearest(name, providerList()); near != "" {
		return nil, err.WithHint("did you mean %q?", near)
	}
	return nil, err.WithHint("the providers are: %s", providerNames())
}

func providerList() []string {
	var names []string
	for _, p := range all.Providers() {
		names = append(names, p.About().Name)
	}
	return names
}

func providerNames() string { return strings.Join(providerList(), ", ") }

func newRunID() string {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err) // crypto/rand never fails
	}
	return hex.EncodeToString(b[:])
}

// The forms of stdout.
const (
	outputText   = "text"
	outputChunks = "chunks"
	outputResult = "result"
)

func (p *runPlan) chooseOutput() error {
	f := p.flags
	p.output = f.output
	if f.output == "" {
		p.output = outputChunks
		if p.sys.OutTTY && !f.live || f.quiet {
			p.output = outputText
		}
	}
	if err := checkOutput(p.output); err != nil {
		return err
	}
	if f.live && !f.chat && (p.output == outputText || p.output == outputResult) {
		if _, configured := p.origins["output"]; configured { // it is meant for runs
			p.output = outputChunks
			return nil
		}
		return providers.Errorf(providers.Usage, "", "a live session has no --output %s", p.output).
			WithHint("it prints chunks, agent-events or session; `agentrun chat` is a session for a person")
	}
	if f.quiet && p.output != outputText {
		return providers.Errorf(providers.Usage, "", "--quiet prints the final text alone and excludes --output %s", p.output)
	}
	if (f.stamp || f.deltas) && p.output == outputResult {
		return providers.Errorf(providers.Usage, "", "--stamp and --deltas are for a stream; --output result prints one object")
	}
	if f.stamp && isDialect(p.output) {
		return providers.Errorf(providers.Usage, "", "--stamp is for chunks; each event of %s has its id and time", p.output)
	}
	return nil
}

// repository is the directory that --cwd names, or the one where we are.
func repository(sys IO, flag string) (string, error) {
	cwd := cmp.Or(flag, sys.Cwd)
	if cwd == "" {
		return "", providers.Errorf(providers.Usage, "", "the current directory does not exist").WithHint("name one with --cwd")
	}
	dir, err := workspace.Root(sys.Cwd, cwd)
	if err != nil {
		return "", pathError("--cwd", err)
	}
	return dir, nil
}

// placeRun decides on the directory and the private folder.
func (p *runPlan) placeRun() error {
	dir, err := repository(p.sys, p.flags.cwd)
	if err == nil && p.flags.workspace != "" {
		dir, err = workspace.Inside(dir, p.flags.workspace)
		if errors.Is(err, workspace.ErrEscape) {
			return providers.Errorf(providers.Permission, providers.ReasonPathEscape, "--workspace: %w", err).
				WithHint("it lies inside the repository; --cwd names another repository")
		}
		if err != nil {
			return pathError("--workspace", err)
		}
	}
	if err != nil {
		return err
	}
	p.job.Request.Cwd = dir
	p.job.Request.Dir = providers.RunDirPath(runsDir(p.sys), p.job.ID)
	return nil
}

// runsDir is where the private folders of runs lie: below the cache, where every
// folder is the user's own, since some vendors (Gemini CLI 0.60 and newer) use no
// file below a folder that others may write to, as they may to /tmp. A home that
// cannot be written leaves only that.
func runsDir(sys IO) string {
	dir := filepath.Join(sys.CacheDir, "runs")
	if os.MkdirAll(dir, 0o700) == nil {
		return dir
	}
	return filepath.Join(sys.TempDir, fmt.Sprintf("agentrun-%d", os.Geteuid()))
}

// claimDir makes the private folder that placeRun decided on.
func (p *runPlan) claimDir() error {
	if p.dir != nil {
		return nil
	}
	dir, err := providers.ClaimRunDir(filepath.Dir(p.job.Request.Dir), p.job.ID)
	if err != nil {
		return providers.Errorf(providers.Process, "temp", "making the run's private folder: %w", err).
			WithHint("it lies below $XDG_CACHE_HOME, or below $TMPDIR where that cannot be written")
	}
	p.dir = dir
	return nil
}

func (p *runPlan) askPrompt(args []string) error {
	if p.flags.live {
		return nil
	}
	needed := true
	for _, f := range providers.FieldsOf(p.job.Request.Fields) {
		if f.Replaces == "prompt" && p.job.Request.Set[f.Name] {
			needed = false
		}
	}
	prompt, err := readPrompt(p.sys, p.flags, args, needed)
	p.job.Request.Prompt = prompt
	return err
}

// findBinary finds the vendor's program and its version. A dry run needs neither.
func (p *runPlan) findBinary(ctx context.Context) error {
	about := p.job.Provider.About()
	if v := p.flags.vendorVersion; v != "" && (v[0] < '0' || v[0] > '9') {
		return providers.Errorf(providers.Usage, "", "--vendor-version: %q is no version, like 1.2.3", v)
	}
	p.job.Request.Version = p.flags.vendorVersion
	if about.Capabilities.Transport != providers.Subprocess {
		return nil
	}
	program, err := p.program()
	if err != nil {
		return err
	}
	path, err := lookBinary(about, program, p.sys)
	if err != nil {
		if p.flags.dryRun {
			p.job.Binary = cmp.Or(about.Binary.Name, program)
			return nil
		}
		return err
	}
	p.job.Binary = path
	if p.job.Request.Version == "" && len(about.Binary.VersionArgs) > 0 {
		p.job.Request.Version = providers.Version(ctx, about, path, p.sys.Env, p.sys.CacheDir)
	}
	if v := p.job.Request.Version; v != "" && providers.CompareVersions(v, about.Binary.Oldest) < 0 {
		return providers.Errorf(providers.Unsupported, providers.ReasonTooOld, "%s %s is older than %s, the oldest version that agentrun supports", about.Title, v, about.Binary.Oldest).
			WithHint("update it with `%s`", about.Binary.Install)
	}
	return nil
}

// program is the program that the request or its flag names, "" where neither does.
func (p *runPlan) program() (string, error) {
	named, ok := p.job.Provider.(providers.Programmed)
	if p.flags.bin != "" || !ok {
		return p.flags.bin, nil
	}
	return named.Program(p.job.Request)
}

// lookBinary finds a vendor's program: the flag, then the variable, then PATH.
func lookBinary(about providers.About, flag string, sys IO) (string, error) {
	name := flag
	if name == "" {
		name = providers.Lookup(sys.Env)(about.Binary.Env)
	}
	if name == "" {
		name = about.Binary.Name
	}
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return filepath.Abs(path)
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return "", providers.Missing(about, name)
	}
	return "", providers.Unrunnable(about, name, errors.Unwrap(err))
}

// pathError is a path that cannot be used; one that leads out of the repository is a matter of permission.
func pathError(what string, err error) error {
	if errors.Is(err, workspace.ErrEscape) {
		return providers.Errorf(providers.Permission, providers.ReasonPathEscape, "%s: %w", what, err).
			WithHint("type an absolute path to grant it")
	}
	return providers.Errorf(providers.Usage, "path", "%s: %w", what, err)
}

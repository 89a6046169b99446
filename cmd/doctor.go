package cmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"agentrun/doctor"
	"agentrun/providers"
	"agentrun/providers/all"
)

// doctorFlags are the flags of `agentrun doctor`.
type doctorFlags struct {
	json bool
	deep bool
	cwd  string
}

// doctorReport is what `agentrun doctor --json` prints.
type doctorReport struct {
	Agentrun   buildInfo           `json:"agentrun"`
	Cwd        string              `json:"cwd"`
	OK         bool                `json:"ok"` // all providers asked for are usable
	ExitStatus int                 `json:"exit_status"`
	Host       []providers.Finding `json:"host"`
	Providers  []doctor.Report     `json:"providers"`
}

func newDoctor(sys IO) *cobra.Command {
	f := &doctorFlags{}
	c := &cobra.Command{
		Use:   "doctor [PROVIDER...]",
		Short: "Look whether runs would work here, and say what to do",
		Long: `Look at each provider's program, its version, the Node.js it needs, its login and
its configuration, the trust in this directory and the sandbox: without a call to
anyone and without a token. The vendors' own programs are asked where they know best.

Without PROVIDER it looks at all; one that is not installed is a line, not a failure.

--deep also runs each installed program against the embedded model, in a private
home: an answer, a tool, a tool that fails, a resumed session, a refused key, and an
end in the middle of a tool, after which no process may be left.

The exit status is 0 when all providers asked for are usable, else that of the first
failure: what a run would end with.`,
		Example: `  agentrun doctor
  agentrun doctor codex --deep
  agentrun doctor claude gemini --json | jq '.providers[] | select(.usable | not)'`,
		RunE: func(c *cobra.Command, args []string) error {
			d, err := newDoctorRun(sys, f, args)
			if err != nil {
				return err
			}
			signals := catchSignals(c.Context())
			defer signals.stop()
			return signals.or(d.run(signals.ctx))
		},
	}
	fs := c.Flags()
	fs.SortFlags = false
	fs.BoolVar(&f.deep, "deep", false, "run each program against the embedded model")
	fs.BoolVar(&f.json, "json", false, "print one JSON object")
	fs.StringVarP(&f.cwd, "cwd", "C", "", "the `dir` that an agent would work in (default: this one)")
	return c
}

// doctorRun is a checked command line.
type doctorRun struct {
	sys    IO
	flags  *doctorFlags
	list   []providers.Provider
	wanted bool // the providers were named
	cwd    string
	config configured
	broken error // why the configuration cannot be used
}

func newDoctorRun(sys IO, f *doctorFlags, args []string) (*doctorRun, error) {
	d := &doctorRun{sys: sys, flags: f, list: slices.DeleteFunc(all.Providers(), programmed), wanted: len(args) > 0}
	var err error
	if d.cwd, err = repository(sys, f.cwd); err != nil {
		return nil, err
	}
	d.config, d.broken = loadConfig(sys, d.cwd)
	if d.wanted {
		d.list = nil
	}
	for _, name := range args {
		if alias, ok := d.config.files.Aliases()[name]; ok {
			name = alias.Provider
		}
		p, err := findProvider(name)
		if err != nil {
			return nil, err
		}
		if programmed(p) {
			return nil, providers.Errorf(providers.Unsupported, "", "%s has no program of its own to look at", p.About().Title).
				WithHint("each run names the program; try one with `agentrun run %s`", p.About().Name)
		}
		d.list = append(d.list, p)
	}
	return d, nil
}

// programmed reports whether each request names the provider's program.
func programmed(p providers.Provider) bool {
	_, ok := p.(providers.Programmed)
	return ok
}

// run looks, and tells as it goes.
func (d *doctorRun) run(ctx context.Context) error {
	tell := newDoctorText(d.sys.Out)
	if d.flags.json {
		tell = newDoctorText(nil)
	}
	report := doctorReport{Agentrun: build(), Cwd: d.cwd, Providers: []doctor.Report{}}
	report.Host = append(d.host().Examine(), d.settings())
	tell.host(report)
	for _, p := range d.list {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the signal is the status
		}
		r, err := d.examine(ctx, p, tell)
		if err != nil {
			return err
		}
		report.Providers = append(report.Providers, r)
	}
	report.judge()
	if d.flags.json {
		if err := writeJSON(d.sys.Out, report); err != nil {
			return err
		}
	}
	if err := tell.end(report); err != nil {
		return err
	}
	if report.ExitStatus != 0 {
		return exitStatus(report.ExitStatus)
	}
	return nil
}

func (d *doctorRun) host() doctor.Host {
	return doctor.Host{
		StateDir: d.sys.StateDir, CacheDir: d.sys.CacheDir, TempDir: d.sys.TempDir, Self: d.sys.Self,
		Home: providers.Lookup(d.sys.Env)("HOME"),
	}
}

// settings: no run starts with a configuration that cannot be read.
func (d *doctorRun) settings() providers.Finding {
	switch e, ok := errors.AsType[*providers.Error](d.broken); {
	case ok:
		return providers.Broken(providers.CheckConfig, e.Class, e.Reason, "%s", e.Message).Advise("mend it; %s", e.Hint)
	case d.broken != nil:
		return providers.Broken(providers.CheckConfig, providers.Usage, providers.ReasonConfig, "%v", d.broken).Advise("mend it")
	case d.config.files.User == nil && d.config.files.Repository == nil:
		return providers.Fine(providers.CheckConfig, "none; the user's would be %s", d.config.user)
	case d.config.repository != "":
		return providers.Fine(providers.CheckConfig, "%s and %s can be used", d.config.user, d.config.repository)
	}
	return providers.Fine(providers.CheckConfig, "%s can be used", d.config.user)
}

func (d *doctorRun) examine(ctx context.Context, p providers.Provider, tell *doctorText) (doctor.Report, error) {
	about := p.About()
	path, missing := "", error(nil)
	if about.Capabilities.Transport == providers.Subprocess {
		path, missing = lookBinary(about, "", d.sys)
	}
	env, _ := providers.Environment(withoutOurs(d.sys.Env), about.EnvDrop, nil)
	lookup := providers.Lookup(env)
	r := doctor.Examine(ctx, doctor.Subject{
		Provider: p, Binary: path, Missing: missing, Wanted: d.wanted, Env: env,
		CacheDir: d.sys.CacheDir, TempDir: d.sys.TempDir,
		Machine: providers.Machine{Home: lookup("HOME"), Cwd: d.cwd, Root: d.sys.Root, Env: lookup},
	})
	tell.provider(r)
	if !d.flags.deep || !r.Startable() || path == "" {
		return r, nil
	}
	err := d.deep(ctx, p, &r, tell)
	return r, err
}

// deep runs the trials in a private folder.
func (d *doctorRun) deep(ctx context.Context, p providers.Provider, r *doctor.Report, tell *doctorText) error {
	dir, err := os.MkdirTemp(d.sys.TempDir, "agentrun-doctor-")
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return providers.Errorf(providers.Process, "temp", "preparing --deep: %w", err).WithHint("set TMPDIR to a folder that you may write")
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := doctor.Trials{Report: *r, Version: r.Version, Dir: dir, Run: d.runInside}
	if e, ok := p.(providers.Examined); ok {
		t.Shell = e.Looks(providers.Machine{Cwd: dir, Root: d.sys.Root, Version: r.Version, Env: providers.Lookup(nil)}).ShellFlags
	}
	r.Deep = t.All(ctx, tell.finding)
	if _, failed := r.Failure(); failed {
		r.Usable = false
	}
	return nil
}

// judge is the verdict on the whole.
func (r *doctorReport) judge() {
	r.OK = true
	lists := [][]providers.Finding{r.Host}
	for _, p := range r.Providers {
		lists = append(lists, p.Findings, p.Deep)
	}
	for _, list := range lists {
		for _, f := range list {
			if f.Level == providers.LevelFailed && r.OK {
				r.OK, r.ExitStatus = false, f.Class.ExitStatus()
			}
		}
	}
}

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentrun/procs"
	"agentrun/providers"
	"agentrun/sessions"
	"agentrun/stream"
)

const attachLong = `Carry a session on by hand, in the vendor's own terminal interface: what a job
began, a person can finish. ID is a run id or a beginning of it that is unique,
the vendor's session id, or @last.

The interface runs at a terminal of its own that is joined to yours: keys go to
the vendor, Ctrl-C too, and the terminal is given back as it was, whatever
happens. When you leave, no process stays behind. The exit status is the vendor's.

The session is claimed as by a run: while you are in it, no other run writes to
it. ` + "`agentrun resume ID`" + ` carries it on afterwards, with what you did.`

func newAttach(sys IO) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "attach ID",
		Short: "Carry on a run by hand, in the vendor's own interface",
		Long:  attachLong,
		Example: `  agentrun attach @last
  agentrun attach 3f9a --vendor-arg=--model --vendor-arg=opus`,
		Args: oneID,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := newAttachPlan(c, sys, f, args[0])
			if err != nil {
				return err
			}
			defer p.close()
			if f.dryRun {
				p.output = outputChunks
				return p.dryRun()
			}
			return p.attach(c.Context())
		},
	}
	f.registerAttach(c.Flags())
	return c
}

// registerAttach takes those flags of a run that are about its program.
func (f *runFlags) registerAttach(fs *pflag.FlagSet) {
	all := pflag.NewFlagSet("run", pflag.ContinueOnError)
	f.register(all)
	all.Lookup("cwd").Usage = "the `dir` to work in (default: that of the session)"
	for _, name := range []string{
		"cwd", "no-config", "vendor-arg", "bin", "vendor-version", "env", "env-only", "no-fence", "dry-run",
		"grace", "wait", "no-record", "mock", "mock-home", "mock-log",
	} {
		fs.AddFlag(all.Lookup(name))
	}
}

// byHand is a provider whose command is its interface for people.
type byHand struct {
	providers.Provider
	session string
}

// Command is that of the interface.
func (b byHand) Command(r providers.Request) (providers.Command, error) {
	hands, ok := b.Provider.(providers.Interactive)
	if !ok {
		return providers.Command{}, providers.Errorf(providers.Unsupported, "", "%s has no terminal interface that carries a session on", b.About().Title)
	}
	return hands.Interactive(b.session, r)
}

// newAttachPlan is newRunPlan for an interface in place of a run.
func newAttachPlan(c *cobra.Command, sys IO, f *runFlags, id string) (*runPlan, error) {
	rec, err := findRun(sys, id, sessions.Filter{})
	if err != nil {
		return nil, err
	}
	provider, err := findProvider(rec.Provider)
	if err != nil {
		return nil, err
	}
	p := &runPlan{sys: sys, flags: f}
	p.job.ID, p.job.Provider = newRunID(), byHand{provider, rec.SessionID}
	p.job.Request.Fields, p.job.Request.Set = provider.NewFields(), map[string]bool{}
	steps := []func() error{
		p.checkTerminal,
		p.readConfigFiles,
		func() error { return p.takeUp(c, rec) },
		p.placeRun,
		func() error { return p.applyConfig(c) },
		p.fillOptions,
		func() error { return p.findBinary(c.Context()) },
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

func (p *runPlan) checkTerminal() error {
	if p.flags.dryRun || p.sys.InTTY && p.sys.OutTTY {
		return nil
	}
	return providers.Errorf(providers.Usage, "terminal", "`agentrun attach` is for a person at a terminal").
		WithHint("`agentrun resume ID PROMPT` carries a run on without one")
}

// takeUp goes to the place of the session.
func (p *runPlan) takeUp(c *cobra.Command, rec sessions.Record) error {
	if err := p.resumable(rec); err != nil {
		return err
	}
	p.prior = rec
	p.job.Options.ResumeID = rec.SessionID
	if !c.Flags().Changed("cwd") {
		p.flags.cwd = rec.Cwd
	}
	return nil
}

// attach runs the interface and returns how it ended.
func (p *runPlan) attach(ctx context.Context) (status error) {
	in, inOK := p.sys.In.(*os.File)
	out, outOK := p.sys.Out.(*os.File)
	if !inOK || !outOK {
		return p.checkTerminal()
	}
	signals := catchSignals(ctx)
	defer signals.stop()
	record, err := startRecord(signals.ctx, p)
	if err != nil {
		return signals.or(err)
	}
	outcome := providers.Outcome{Facts: providers.Facts{SessionID: p.prior.SessionID, Model: p.prior.Model}}
	defer func() { record.end(outcome, statusOf(status)) }()
	record.chunk(providers.First(p.job.Provider, p.job.Request, p.job.ID, p.job.Binary))
	record.chunk(stream.Chunk{Type: stream.System, Content: "carried on by hand", Metadata: &stream.Metadata{
		Notice: stream.NoticeSession, SessionID: p.prior.SessionID, Model: p.prior.Model,
	}})
	if err := p.prepare(); err != nil {
		return err
	}
	exit, err := procs.Attach(signals.ctx, p.attachSpec(signals), procs.Terminal{In: in, Out: out})
	if logErr := p.mock.writeLog(); logErr != nil {
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: warning: --mock-log: %v\n", logErr)
	}
	outcome.Err = p.attachError(exit, err, signals)
	switch {
	case signals.ctx.Err() != nil:
		return signals.status(providers.Process.ExitStatus())
	case outcome.Err != nil && !exit.Started:
		return outcome.Err
	case exit.Signal != 0:
		return exitStatus(128 + int(exit.Signal))
	case exit.Code != 0:
		return exitStatus(exit.Code)
	}
	return nil
}

// prepare writes the adapter's files, and shows its notices while there is a screen for them.
func (p *runPlan) prepare() error {
	for _, f := range p.job.Command.Files {
		if err := writeFile(filepath.Join(p.job.Request.Dir, filepath.FromSlash(f.Name)), f.Content); err != nil {
			return providers.Errorf(providers.Process, "temp", "preparing the run's private folder: %w", err)
		}
	}
	for _, n := range p.job.Command.Notices {
		_, _ = fmt.Fprintf(p.sys.Err, "agentrun: %s\n", n.Content)
	}
	return nil
}

func (p *runPlan) attachSpec(signals *signals) procs.Spec {
	return procs.Spec{
		Path: p.job.Binary, Args: p.job.Command.Args, Env: p.job.Env, Dir: p.job.Request.Cwd,
		Grace: p.flags.grace, Supervisor: p.job.Supervisor, Hurry: signals.hurry,
		Mark: p.job.Mark(), Cleanup: []string{p.job.Request.Dir}, Hold: p.job.Hold,
	}
}

// attachError is why an interface did not end well, for the record.
func (p *runPlan) attachError(exit procs.Exit, err error, signals *signals) *providers.Error {
	switch {
	case signals.ctx.Err() != nil:
		e := providers.Errorf(providers.Process, "cancelled", "the run was cancelled")
		e.Err = context.Canceled
		return e
	case err != nil && !exit.Started && errors.Is(err, fs.ErrNotExist):
		return providers.Missing(p.job.Provider.About(), p.job.Binary)
	case err != nil:
		return providers.Errorf(providers.Process, "start", "running %s: %w", p.job.Binary, err)
	case exit.Signal != 0:
		return providers.Errorf(providers.Process, providers.ReasonSignal, "the vendor was ended by %s", exit.Signal)
	case exit.Code != 0:
		return providers.Errorf(providers.Agent, "", "the vendor ended with status %d", exit.Code)
	}
	return nil
}

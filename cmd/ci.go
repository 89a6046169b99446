package cmd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentrun/providers"
	"agentrun/render"
	"agentrun/stream"
)

// ciFlags are what a CI job is told of a run, beside the output.
type ciFlags struct {
	system string
	junit  string
}

func (f *ciFlags) register(fs *pflag.FlagSet) {
	fs.StringVar(&f.system, "ci", "", "talk as a CI `system` reads it: github, gitlab, auto (as GITHUB_ACTIONS or GITLAB_CI say) or off (default)")
	fs.StringVar(&f.junit, "junit", "", "write a JUnit report to this `file`: a case for each tool call and one for the verdict")
}

// markup is a CI system's language.
type markup interface {
	Guard(text string) string
	Group(w io.Writer, title, text string) error
}

// choose decides on the CI system; nil is none.
func (f *ciFlags) choose(sys IO) (markup, error) {
	name, env := f.system, providers.Lookup(sys.Env)
	if name == "auto" {
		switch {
		case env("GITHUB_ACTIONS") == "true":
			name = "github"
		case env("GITLAB_CI") == "true":
			name = "gitlab"
		default:
			name = ""
		}
	}
	switch name {
	case "", "off":
		return nil, nil
	case "github":
		return render.GitHub{Token: rand.Text}, nil
	case "gitlab":
		return render.GitLab{Now: sys.Now, Token: rand.Text}, nil
	}
	return nil, providers.Errorf(providers.Usage, "", "--ci: %q is none of off, github, gitlab, auto", name)
}

// chooseLook decides on how the run is told of.
func (p *runPlan) chooseLook() error {
	if err := p.flags.look.check(); err != nil {
		return err
	}
	if err := writable("--junit", p.flags.ci.junit); err != nil {
		p.flags.ci.junit = "" // nobody needs to hear it twice
		return err
	}
	var err error
	p.ci, err = p.flags.ci.choose(p.sys)
	return err
}

// writable refuses a file that could not be written at the end of the run: that is
// late, and the run may have cost money. It leaves everything as it is.
func writable(flag, path string) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = os.Stat(filepath.Dir(path))
	case err == nil && (info.IsDir() || info.Mode().IsRegular()): // anything else may wait for a reader
		var f *os.File
		if f, err = os.OpenFile(path, os.O_WRONLY, 0); err == nil {
			err = f.Close()
		}
	}
	if err != nil {
		return providers.Errorf(providers.Usage, "path", "%s: %w", flag, err)
	}
	return nil
}

// commandFile reports whether a variable names a file by which a step of a
// GitHub job steers the job: that is not for an agent's tools.
func commandFile(kv string) bool {
	name, _, _ := strings.Cut(kv, "=")
	return slices.Contains([]string{"GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"}, name)
}

// mask tells GitHub's runner the secrets that we know. A stderr that is kept
// would keep them, and nobody but the runner has to know.
func (p *runPlan) mask() {
	hub, ok := p.ci.(render.GitHub)
	if ok && !p.sys.ErrStored && providers.Lookup(p.sys.Env)("GITHUB_ACTIONS") == "true" {
		_ = hub.Mask(p.sys.Err, p.job.Options.Redact.Values())
	}
}

// guardOut makes stdout harmless where the runner reads it.
func (p *runPlan) guardOut() io.Writer {
	if _, ok := p.ci.(render.GitHub); ok {
		return render.GuardJSON(p.sys.Out)
	}
	return p.sys.Out
}

// beside is the output o, with text told of it too: for a CI job whose stdout is data.
func (o output) beside(text *render.Text) output {
	both := o
	both.emit = func(c stream.Chunk) error {
		_ = text.Emit(c) // that nobody reads the talk is no failure
		return o.emit(c)
	}
	both.close = func(out providers.Outcome) error {
		_ = text.Close(out)
		return o.close(out)
	}
	return both
}

// counted is the output o, with the tool calls collected.
func (o output) counted(calls *render.Calls) output {
	emit := o.emit
	o.emit = func(c stream.Chunk) error {
		calls.Emit(c)
		return emit(c)
	}
	return o
}

// annotate tells a failure as GitHub shows it; it reports whether it did.
func annotate(ci markup, w io.Writer, err error) bool {
	hub, ok := ci.(render.GitHub)
	if !ok {
		return false
	}
	title, message := "agentrun", err.Error()
	if e, ok := errors.AsType[*providers.Error](err); ok {
		title += ": " + string(e.Class)
		if e.Reason != "" {
			title += " (" + e.Reason + ")"
		}
		if e.Hint != "" {
			message += "\nhint: " + e.Hint
		}
	}
	return hub.Annotate(w, "error", title, message) == nil
}

// denials tells of the tools that were not allowed to run.
func (p *runPlan) denials(terminal stream.Chunk) {
	const most = 9 // GitHub shows ten warnings of a step
	hub, ok := p.ci.(render.GitHub)
	if !ok || terminal.Metadata == nil {
		return
	}
	list := terminal.Metadata.Denials
	for i, d := range list {
		message := d.ToolName + ": " + d.Message
		if i == most {
			message = fmt.Sprintf("%d more", len(list)-most)
		}
		_ = hub.Annotate(p.sys.Err, "warning", "agentrun: denied", message)
		if i == most {
			return
		}
	}
}

// report leaves what a CI job wants to know of the run.
func (p *runPlan) report(r render.Report, record *recorder) {
	r.RunID, r.Provider = p.job.ID, p.job.Provider.About().Name
	r.Resumable = record.known != "" && record.resumable(r.Outcome.Facts.Unsaved)
	reporter{p.sys, &p.flags.ci, p.ci}.end(r)
}

// tellEarly lets a CI job hear of a command line that cannot even be read. What
// stands behind the mistake, --ci also, is not known then.
func (f *runFlags) tellEarly(c *cobra.Command, sys IO) {
	c.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return f.refused(sys, c.Flags().Args(), sys.Now(), flagError(c, err))
	})
	check := c.Args
	c.Args = func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return f.refused(sys, args, sys.Now(), err)
		}
		return nil
	}
}

// refused tells of a command line that could not be run.
func (f *runFlags) refused(sys IO, args []string, began time.Time, err error) error {
	ci, wrong := f.ci.choose(sys)
	if wrong != nil || f.dryRun {
		return err
	}
	told := annotate(ci, sys.Err, err)
	e, ok := errors.AsType[*providers.Error](err)
	if !ok {
		e = providers.Errorf(providers.Usage, "", "%w", err)
	}
	provider := f.profile
	if len(args) > 0 {
		provider = args[0]
	}
	reporter{sys, &f.ci, ci}.end(render.Report{Provider: provider, Outcome: providers.Outcome{Err: e}, ExitStatus: statusOf(err), Began: began})
	if told {
		return exitStatus(statusOf(err))
	}
	return err
}

// reporter writes what is left of a run for the rest of a CI job.
type reporter struct {
	sys   IO
	flags *ciFlags
	ci    markup
}

// end writes all reports; one that cannot be written is a warning.
func (r reporter) end(report render.Report) {
	env := providers.Lookup(r.sys.Env)
	if hub, ok := r.ci.(render.GitHub); ok {
		r.write(env("GITHUB_STEP_SUMMARY"), os.O_APPEND, func(w io.Writer) error { return render.Summary(w, report) })
		r.write(env("GITHUB_OUTPUT"), os.O_APPEND, func(w io.Writer) error { return hub.Outputs(w, report) })
	}
	r.write(r.flags.junit, os.O_TRUNC, func(w io.Writer) error { return render.JUnit(w, report) })
}

func (r reporter) write(path string, mode int, do func(io.Writer) error) {
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|mode, 0o644)
	if err == nil {
		err = do(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		_, _ = fmt.Fprintf(r.sys.Err, "agentrun: warning: a report of the run is missing: %v\n", err)
	}
}

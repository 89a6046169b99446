package cmd

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
	"agentrun/sessions"
)

func newResume(sys IO) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "resume ID [PROMPT]",
		Short: "Carry on an earlier run",
		Long: `Carry on an earlier run with another prompt. Provider, directory and program are
known from its record; flags of ` + "`agentrun run`" + ` override them. ID is agentrun's run
id or a beginning of it that is unique, the vendor's session id, or @last.`,
		Example: `  agentrun resume @last "now add a test"
  agentrun resume 3f9a --wait "and then this"
  agentrun resume 3f9a "try another way" --fork`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return providers.Errorf(providers.Usage, "", "no run was named").WithHint("see `agentrun sessions list`, or use @last")
			case len(args) > 2:
				return providers.Errorf(providers.Usage, "", "more than one prompt: %q", args[2]).WithHint("quote the prompt")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			rec, err := findRun(sys, args[0], sessions.Filter{})
			if err != nil {
				return err
			}
			for _, other := range []string{"resume", "continue"} {
				if c.Flags().Changed(other) {
					return providers.Errorf(providers.Usage, "", "--%s goes with `agentrun run`; here ID says what to carry on", other)
				}
			}
			if err := c.Flags().Set("resume", rec.ID); err != nil {
				return err
			}
			args[0] = rec.Provider
			return runOnce(c, sys, f, args)
		},
	}
	f.register(c.Flags())
	f.tellEarly(c, sys)
	return c
}

// findRun finds a stored run, or says what it may have been.
func findRun(sys IO, query string, filter sessions.Filter) (sessions.Record, error) {
	store, err := needStore(sys)
	if err != nil {
		return sessions.Record{}, err
	}
	rec, err := store.Find(query, filter)
	var missing *sessions.NotFoundError
	var ambiguous *sessions.AmbiguousError
	switch {
	case errors.As(err, &missing):
		return rec, notFound(missing)
	case errors.As(err, &ambiguous):
		return rec, providers.Errorf(providers.Session, "ambiguous", "%w", err).WithHint("give more of the id")
	case err != nil:
		return rec, providers.Errorf(providers.Session, "store", "%w", err)
	}
	return rec, nil
}

func notFound(missing *sessions.NotFoundError) error {
	err := providers.Errorf(providers.Session, providers.ReasonNotFound, "%w", missing)
	if len(missing.Nearest) == 0 {
		return err.WithHint("no run is recorded yet; see `agentrun sessions list`")
	}
	var near []string
	for _, r := range missing.Nearest {
		near = append(near, fmt.Sprintf("%s (%s, %q)", r.ID, r.Provider, r.Title))
	}
	return err.WithHint("the nearest are: %s", strings.Join(near, "; "))
}

// carryOn turns --resume and --continue into the vendor's session, and goes to
// the directory where the vendor will look for it.
func (p *runPlan) carryOn(c *cobra.Command) error {
	about := p.job.Provider.About()
	resume, again := c.Flags().Changed("resume"), c.Flags().Changed("continue") && p.flags.common["continue"].String() == "true"
	switch {
	case !resume && !again:
		return nil
	case !about.Capabilities.Resumable:
		cf := providers.CommonFlag{Name: "continue", Field: "continue"}
		if resume {
			cf = providers.CommonFlag{Name: "resume", Field: "resume"}
		}
		return cannot(p.job.Provider, cf)
	case resume && again:
		return providers.Errorf(providers.Usage, "", "--resume and --continue exclude each other")
	}
	rec, err := p.priorRun(resume)
	if err != nil {
		return err
	}
	if rec.ID == "" {
		return nil // a session that only the vendor knows
	}
	p.prior = rec
	if err := p.resumable(rec); err != nil {
		return err
	}
	p.flags.common["resume"].values = []string{rec.SessionID}
	if again {
		if err := c.Flags().Set("resume", rec.SessionID); err != nil {
			return err
		}
		c.Flags().Lookup("continue").Changed = false
	}
	p.followPrior(c, rec)
	return p.countFrom(rec)
}

// resumable refuses a run whose session the vendor will not find.
func (p *runPlan) resumable(rec sessions.Record) error {
	title := p.job.Provider.About().Title
	switch {
	case rec.SessionID == "":
		return providers.Errorf(providers.Session, providers.ReasonNotFound, "run %s cannot be carried on: %s told no session of it", rec.ID, title)
	case !rec.Resumable:
		return providers.Errorf(providers.Session, providers.ReasonNotFound, "run %s cannot be carried on: %s kept no session of it", rec.ID, title).
			WithHint("none is kept with --ephemeral, with --mock but for --mock-home, of some failures, and where the vendor cannot write")
	case rec.Home != "" && p.flags.mock == "":
		return providers.Errorf(providers.Session, providers.ReasonNotFound, "run %s talked to the embedded model, and its session is kept in %s", rec.ID, rec.Home).
			WithHint("carry it on with --mock")
	}
	if p.flags.mock != "" && p.flags.mockHome == "" {
		p.flags.mockHome = rec.Home
	}
	return nil
}

// countFrom takes the session's totals from its newest run, which may be another
// than the one that was named.
func (p *runPlan) countFrom(rec sessions.Record) error {
	newest, err := findRun(p.sys, rec.SessionID, sessions.Filter{Provider: rec.Provider})
	if err != nil {
		return err
	}
	p.job.Options.Before = providers.Totals{Usage: newest.SessionUsage, CostUSD: newest.SessionCostUSD}
	return nil
}

// home is where --mock-home keeps the sessions, in whole, or "".
func (p *runPlan) home() string {
	if home := p.flags.mockHome; home == "" || filepath.IsAbs(home) {
		return home
	}
	return filepath.Join(p.sys.Cwd, p.flags.mockHome)
}

// followPrior takes over the place of the session where the command line says nothing else.
func (p *runPlan) followPrior(c *cobra.Command, rec sessions.Record) {
	if !c.Flags().Changed("cwd") && !c.Flags().Changed("workspace") {
		p.job.Request.Cwd = rec.Cwd
	}
}

// priorRun finds the run to carry on. An id that no run has, and that is no
// beginning of ours, is taken for a session that only the vendor knows.
func (p *runPlan) priorRun(resume bool) (sessions.Record, error) {
	filter := sessions.Filter{Provider: p.job.Provider.About().Name}
	if !resume {
		filter.Cwd, filter.Resumable, filter.Home = p.job.Request.Cwd, true, new(p.home())
		rec, err := findRun(p.sys, sessions.LastQuery, filter)
		var e *providers.Error
		if errors.As(err, &e) && e.Reason == providers.ReasonNotFound {
			return rec, providers.Errorf(providers.Session, providers.ReasonNotFound, "no run of %s that can be carried on is recorded in %s", filter.Provider, filter.Cwd).
				WithHint("name another directory with --cwd, or a session with --resume")
		}
		return rec, err
	}
	id := p.flags.common["resume"].String()
	rec, err := findRun(p.sys, id, filter)
	var e *providers.Error
	if errors.As(err, &e) && e.Reason != "ambiguous" && vendorID(id) {
		return sessions.Record{}, nil
	}
	return rec, err
}

// vendorID reports whether an id looks like a vendor's own: all of them use UUIDs.
// Any other form is passed on with --set resume=ID.
func vendorID(id string) bool {
	const hex = "0123456789abcdefABCDEF"
	for i, part := range strings.Split(id, "-") {
		if i > 4 || len(part) != []int{8, 4, 4, 4, 12}[i] || strings.Trim(part, hex) != "" {
			return false
		}
	}
	return strings.Count(id, "-") == 4
}

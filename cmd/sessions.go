package cmd

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"agentrun/providers"
	"agentrun/sessions"
	"agentrun/workspace"
)

func newSessions(sys IO) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "List, show, export and remove recorded runs",
		Long: `Each run is recorded below $XDG_STATE_HOME/agentrun/sessions, readable by you
alone, unless --no-record is given. ID is a run id or a beginning of it that is
unique, the vendor's session id, or @last.`,
		Args: commandsOnly,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newSessionsList(sys), newSessionsShow(sys), newSessionsExport(sys), newSessionsRemove(sys), newSessionsGC(sys))
	return c
}

func newSessionsList(sys IO) *cobra.Command {
	var filter sessions.Filter
	var asJSON bool
	var since string
	var limit int
	c := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List recorded runs, the newest first",
		Example: "  agentrun sessions list --failed --since 24h\n  agentrun sessions list --json | jq -r '.[].session_id'",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if since != "" {
				at, err := parseSince(since, sys.Now())
				if err != nil {
					return err
				}
				filter.Since = at
			}
			if limit < 0 {
				return providers.Errorf(providers.Usage, "", "--limit: %d is negative", limit)
			}
			if err := checkFilter(sys, &filter); err != nil {
				return err
			}
			records, err := listRuns(sys, filter)
			if err != nil {
				return err
			}
			if limit > 0 && len(records) > limit {
				records = records[:limit]
			}
			if asJSON {
				return writeJSON(sys.Out, records)
			}
			return writeRecords(sys.Out, records)
		},
	}
	fs := c.Flags()
	fs.StringVar(&filter.Provider, "provider", "", "only runs of this `provider`")
	fs.StringVar(&filter.Cwd, "cwd", "", "only runs in this `dir`")
	fs.BoolVar(&filter.Failed, "failed", false, "only runs that did not end well")
	fs.StringVar(&since, "since", "", "only runs that started since: a `time` like 2026-01-31, an RFC 3339 time, or an age like 24h")
	fs.IntVarP(&limit, "limit", "n", 0, "at most so many")
	fs.BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

// checkFilter finds a mistyped provider, and the one name that a directory has in
// records. One that is gone has only what was typed.
func checkFilter(sys IO, filter *sessions.Filter) error {
	if filter.Provider != "" {
		if _, err := findProvider(filter.Provider); err != nil {
			return err
		}
	}
	if filter.Cwd == "" {
		return nil
	}
	dir, err := workspace.Root(sys.Cwd, filter.Cwd)
	switch {
	case err == nil:
		filter.Cwd = dir
	case !filepath.IsAbs(filter.Cwd):
		filter.Cwd = filepath.Join(sys.Cwd, filter.Cwd)
	}
	return nil
}

// needStore opens the store for a command that is about nothing else.
func needStore(sys IO) (*sessions.Store, error) {
	store, err := openStore(sys)
	if err != nil {
		return nil, providers.Errorf(providers.Session, "store", "the record of runs cannot be used: %w", err).
			WithHint("it lies below %s; XDG_STATE_HOME names another place", sys.StateDir)
	}
	return store, nil
}

func listRuns(sys IO, filter sessions.Filter) ([]sessions.Record, error) {
	store, err := needStore(sys)
	if err != nil {
		return nil, err
	}
	records, err := store.List(filter)
	if err != nil {
		return nil, providers.Errorf(providers.Session, "store", "%w", err)
	}
	if records == nil {
		records = []sessions.Record{}
	}
	return records, nil
}

// parseSince reads a day, a time or an age.
func parseSince(text string, now time.Time) (time.Time, error) {
	if age, err := time.ParseDuration(text); err == nil {
		return now.Add(-age), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, providers.Errorf(providers.Usage, "", "--since: %q is no day (2026-01-31), time (RFC 3339) or age (24h)", text)
	}
	return at, nil
}

func writeRecords(w io.Writer, records []sessions.Record) error {
	rows := [][]string{{"RUN", "STARTED", "PROVIDER", "STATUS", "TIME", "COST", "PROMPT"}}
	for _, r := range records {
		rows = append(rows, []string{r.ID, r.Started.Local().Format("2006-01-02 15:04"), r.Provider, statusWord(r), took(r), cost(r.CostUSD), r.Title})
	}
	return writeTable(w, rows)
}

func statusWord(r sessions.Record) string {
	if r.Class == "" || r.Status != sessions.Failed {
		return string(r.Status)
	}
	return r.Class
}

func took(r sessions.Record) string {
	if r.Ended.IsZero() {
		return "-"
	}
	return r.Ended.Sub(r.Started).Round(100 * time.Millisecond).String()
}

func cost(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return fmt.Sprintf("$%.4f", *usd)
}

func newSessionsRemove(sys IO) *cobra.Command {
	return &cobra.Command{
		Use:     "rm ID...",
		Short:   "Remove recorded runs; the vendor's own files stay",
		Example: "  agentrun sessions rm 3f9a",
		Args:    someIDs,
		RunE: func(_ *cobra.Command, args []string) error {
			var found []sessions.Record // all are found before the first is removed
			for _, id := range args {
				rec, err := findRun(sys, id, sessions.Filter{})
				if err != nil {
					return err
				}
				found = append(found, rec)
			}
			store, err := needStore(sys)
			if err != nil {
				return err
			}
			for _, rec := range found {
				if err := store.Remove(rec.ID); err != nil {
					return providers.Errorf(providers.Session, providers.ReasonBusy, "%w", err)
				}
				if _, err := fmt.Fprintln(sys.Err, "removed "+rec.ID); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func newSessionsGC(sys IO) *cobra.Command {
	var days int
	var dry bool
	c := &cobra.Command{
		Use:     "gc --keep-days N",
		Short:   "Remove the records of old runs",
		Example: "  agentrun sessions gc --keep-days 30",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if !c.Flags().Changed("keep-days") || days < 0 {
				return providers.Errorf(providers.Usage, "", "--keep-days says how many days of runs to keep")
			}
			store, err := needStore(sys)
			if err != nil {
				return err
			}
			before := sys.Now().AddDate(0, 0, -days)
			verb, n := "removed", 0
			if dry {
				expired, lerr := store.Expired(before)
				verb, n, err = "would remove", len(expired), lerr
			} else {
				n, err = store.GC(before, sys.Now())
			}
			if err != nil {
				return providers.Errorf(providers.Session, "store", "%w", err)
			}
			_, err = fmt.Fprintf(sys.Err, "%s %d runs\n", verb, n)
			return err
		},
	}
	c.Flags().IntVar(&days, "keep-days", 0, "keep the runs of the last `N` days")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say how many would go")
	return c
}

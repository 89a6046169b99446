package cmd

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/sessions"
	"agentrun/stream"
)

func newSessions(sys IO) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "List, show, export and remove recorded runs",
		Long: `Each run is recorded below $XDG_STATE_HOME/agentrun/sessions, readable by you
alone, unless --no-record is given. ID is a run id or a beginning of it that is
unique, the vendor's session id, or @last.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
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
	fs.StringVar(&filter.Cwd, "cwd", "", "only runs in this `dir` (absolute)")
	fs.BoolVar(&filter.Failed, "failed", false, "only runs that did not end well")
	fs.StringVar(&since, "since", "", "only runs that started since: a `time` like 2026-01-31, an RFC 3339 time, or an age like 24h")
	fs.IntVarP(&limit, "limit", "n", 0, "at most so many")
	fs.BoolVar(&asJSON, "json", false, "print one JSON array")
	return c
}

func listRuns(sys IO, filter sessions.Filter) ([]sessions.Record, error) {
	store, err := openStore(sys)
	if err != nil {
		return nil, providers.Errorf(providers.Session, "store", "the record of runs cannot be used: %w", err)
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

func newSessionsShow(sys IO) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "show ID",
		Short:   "Show a run: its record and what was said",
		Example: "  agentrun sessions show @last\n  agentrun sessions show 3f9a --json | jq .usage",
		Args:    oneID,
		RunE: func(_ *cobra.Command, args []string) error {
			rec, err := findRun(sys, args[0], sessions.Filter{})
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(sys.Out, rec)
			}
			return showRun(sys, rec)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the record alone, as one JSON object")
	return c
}

func oneID(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return providers.Errorf(providers.Usage, "", "`%s` takes one ID", c.CommandPath()).WithHint("see `agentrun sessions list`, or use @last")
	}
	return nil
}

func showRun(sys IO, rec sessions.Record) error {
	var rows [][]string
	row := func(name, value string) {
		if value != "" {
			rows = append(rows, []string{name, value})
		}
	}
	row("run", rec.ID)
	row("provider", rec.Provider+" "+rec.Version)
	row("session", rec.SessionID)
	row("resumes", rec.Resumes)
	row("directory", rec.Cwd)
	row("model", rec.Model)
	row("started", rec.Started.Local().Format(time.RFC3339))
	row("status", fmt.Sprintf("%s, exit status %d, %s", statusWord(rec), rec.ExitStatus, took(rec)))
	row("cost", cost(rec.CostUSD))
	if rec.Resumable {
		row("carry on", "agentrun resume "+rec.ID+" \"PROMPT\"")
	}
	row("prompt", rec.Title)
	if err := writeTable(sys.Out, append(rows, nil)); err != nil {
		return err
	}
	text := render.NewText(sys.Out, sys.Out, render.TextOptions{Now: sys.Now})
	return eachChunk(sys, rec.ID, func(_ []byte, c stream.Chunk) error { return text.Emit(c) })
}

// eachChunk reads a stored stream; a cut last line is left out.
func eachChunk(sys IO, id string, do func(line []byte, c stream.Chunk) error) error {
	store, err := openStore(sys)
	if err != nil {
		return err
	}
	f, err := store.Chunks(id)
	if err != nil {
		return providers.Errorf(providers.Session, "store", "%w", err)
	}
	defer f.Close()
	lines := ndjson.NewReader(f, 0)
	for {
		rec, err := lines.Next()
		if err != nil {
			return nil //nolint:nilerr // the end, or a line that was being written
		}
		var c stream.Chunk
		if rec.Decode(&c) != nil {
			continue
		}
		if err := do(rec.Raw, c); err != nil {
			return err
		}
	}
}

func newSessionsExport(sys IO) *cobra.Command {
	var format string
	c := &cobra.Command{
		Use:     "export ID",
		Short:   "Print the stored stream of a run",
		Example: "  agentrun sessions export @last > run.jsonl\n  agentrun sessions export 3f9a --format markdown",
		Args:    oneID,
		RunE: func(_ *cobra.Command, args []string) error {
			rec, err := findRun(sys, args[0], sessions.Filter{})
			if err != nil {
				return err
			}
			out := bufio.NewWriter(sys.Out)
			switch format {
			case "chunks":
				err = eachChunk(sys, rec.ID, func(line []byte, _ stream.Chunk) error {
					_, err := fmt.Fprintf(out, "%s\n", line)
					return err
				})
			case "markdown":
				fmt.Fprintf(out, "# %s: %s\n\n%s, %s, in `%s`\n\n", rec.Provider, rec.Title, statusWord(rec), rec.Started.Local().Format(time.RFC1123), rec.Cwd)
				err = eachChunk(sys, rec.ID, func(_ []byte, c stream.Chunk) error { return render.Markdown(out, c) })
			default:
				return providers.Errorf(providers.Usage, "", "--format: %q is neither chunks nor markdown", format)
			}
			if err != nil {
				return err
			}
			return out.Flush()
		},
	}
	c.Flags().StringVar(&format, "format", "chunks", "`form`: chunks (the stored lines) or markdown")
	return c
}

func newSessionsRemove(sys IO) *cobra.Command {
	return &cobra.Command{
		Use:     "rm ID...",
		Short:   "Remove recorded runs; the vendor's own files stay",
		Example: "  agentrun sessions rm 3f9a",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var found []sessions.Record // all are found before the first is removed
			for _, id := range args {
				rec, err := findRun(sys, id, sessions.Filter{})
				if err != nil {
					return err
				}
				found = append(found, rec)
			}
			store, err := openStore(sys)
			if err != nil {
				return err
			}
			for _, rec := range found {
				if err := store.Remove(rec.ID); err != nil {
					return providers.Errorf(providers.Session, providers.ReasonBusy, "%w", err)
				}
				fmt.Fprintln(sys.Err, "removed "+rec.ID)
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
			store, err := openStore(sys)
			if err != nil {
				return err
			}
			n, err := store.GC(sys.Now().AddDate(0, 0, -days), sys.Now(), dry)
			if err != nil {
				return providers.Errorf(providers.Session, "store", "%w", err)
			}
			verb := "removed"
			if dry {
				verb = "would remove"
			}
			fmt.Fprintf(sys.Err, "%s %d runs\n", verb, n)
			return nil
		},
	}
	c.Flags().IntVar(&days, "keep-days", 0, "keep the runs of the last `N` days")
	c.Flags().BoolVar(&dry, "dry-run", false, "only say how many would go")
	return c
}

package cmd

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/render"
	"agentrun/sessions"
	"agentrun/stream"
)

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

func someIDs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return providers.Errorf(providers.Usage, "", "`%s` takes IDs", c.CommandPath()).WithHint("see `agentrun sessions list`, or use @last")
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
	row("status", status(rec))
	row("cost", cost(rec.CostUSD))
	if rec.Resumable {
		row("carry on", "agentrun resume "+rec.ID+" \"PROMPT\", or agentrun attach "+rec.ID)
	}
	if rec.Incomplete {
		row("stream", "cut: it could not be written to its end")
	}
	row("prompt", rec.Title)
	if err := writeTable(sys.Out, append(rows, nil)); err != nil {
		return err
	}
	text := render.NewText(sys.Out, sys.Out, render.TextOptions{Now: sys.Now})
	return eachChunk(sys, rec.ID, func(_ []byte, c stream.Chunk) error { return text.Emit(c) })
}

// status says how a run ended.
func status(rec sessions.Record) string {
	if rec.Ended.IsZero() {
		return string(rec.Status)
	}
	word := string(rec.Status)
	if rec.Class != "" {
		word += " (" + strings.TrimSuffix(rec.Class+"/"+rec.Reason, "/") + ")"
	}
	return fmt.Sprintf("%s, exit status %d, %s", word, rec.ExitStatus, took(rec))
}

// eachChunk reads a stored stream; a cut last line is left out.
func eachChunk(sys IO, id string, do func(line []byte, c stream.Chunk) error) error {
	store, err := needStore(sys)
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
			return nil // the end, or a line that was being written
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
				_, err = fmt.Fprintf(out, "# %s: %s\n\n%s, %s, in `%s`\n\n", rec.Provider, rec.Title, statusWord(rec), rec.Started.Local().Format(time.RFC1123), rec.Cwd)
				if err == nil {
					err = eachChunk(sys, rec.ID, func(_ []byte, c stream.Chunk) error { return render.Markdown(out, c) })
				}
			case render.AgentEvents, render.SessionEvents:
				err = exportDialect(sys, rec, format, out)
			default:
				return providers.Errorf(providers.Usage, "", "--format: %q is none of chunks, markdown, agent-events, session", format)
			}
			if err != nil {
				return err
			}
			return out.Flush()
		},
	}
	c.Flags().StringVar(&format, "format", "chunks", "`form`: chunks (the stored lines), markdown, agent-events or session")
	return c
}

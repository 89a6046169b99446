package main

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"
	"time"
)

// tally is the table of results.
type tally struct {
	mu       sync.Mutex
	rows     map[string]*row
	order    []string
	problems []string
}

type row struct {
	runs, bad    int
	status       int
	sum, longest time.Duration
}

func newTally() *tally {
	t := &tally{rows: map[string]*row{}}
	for _, k := range kinds() {
		t.rows[k.name] = &row{status: k.status}
		t.order = append(t.order, k.name)
	}
	return t
}

// run files one run.
func (t *tally) run(k kind, took time.Duration, problems []string) {
	t.mu.Lock()
	r := t.rows[k.name]
	r.runs++
	r.sum += took
	r.longest = max(r.longest, took)
	if len(problems) > 0 {
		r.bad++
	}
	t.mu.Unlock()
	t.file(k.name, problems)
}

// file keeps what was wrong.
func (t *tally) file(what string, problems []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range problems {
		t.problems = append(t.problems, what+": "+p)
	}
}

// report prints the table; the error is that not all was well.
func (t *tally) report(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "kind\truns\tstatus\tbad\tmean\tlongest\t\n")
	total := row{}
	for _, name := range t.order {
		r := t.rows[name]
		if r.runs == 0 {
			continue
		}
		total.runs, total.bad = total.runs+r.runs, total.bad+r.bad
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\t\n", name, r.runs, r.status, r.bad, round(r.sum/time.Duration(r.runs)), round(r.longest))
	}
	fmt.Fprintf(w, "all\t%d\t\t%d\t\t\t\n", total.runs, total.bad)
	if err := w.Flush(); err != nil {
		return err
	}
	const most = 20
	for i, p := range t.problems {
		if i == most {
			fmt.Fprintf(out, "and %d more\n", len(t.problems)-most)
			break
		}
		fmt.Fprintln(out, "FAILED", p)
	}
	if len(t.problems) > 0 {
		return errors.New("not all was well")
	}
	fmt.Fprintln(out, "no process left, no file left, every exit status right")
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

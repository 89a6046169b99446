package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// tally is the table of results.
type tally struct {
	mu       sync.Mutex
	rows     map[string]*row
	order    []string
	facts    []string
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

// report is the table, and whether all was well.
func (t *tally) report() (text string, ok bool) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %6s %7s %5s %8s %8s\n", "kind", "runs", "status", "bad", "mean", "longest")
	total := row{}
	for _, name := range t.order {
		r := t.rows[name]
		if r.runs == 0 {
			continue
		}
		total.runs, total.bad = total.runs+r.runs, total.bad+r.bad
		fmt.Fprintf(&b, "%-28s %6d %7d %5d %8s %8s\n", name, r.runs, r.status, r.bad, round(r.sum/time.Duration(r.runs)), round(r.longest))
	}
	fmt.Fprintf(&b, "%-28s %6d %7s %5d\n", "all", total.runs, "", total.bad)
	for _, fact := range t.facts {
		fmt.Fprintln(&b, fact)
	}
	const most = 20
	for i, p := range t.problems {
		if i == most {
			fmt.Fprintf(&b, "and %d more\n", len(t.problems)-most)
			break
		}
		fmt.Fprintln(&b, "FAILED", p)
	}
	if len(t.problems) == 0 {
		fmt.Fprintln(&b, "no process left, no file left, every exit status right")
	}
	return b.String(), len(t.problems) == 0
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }

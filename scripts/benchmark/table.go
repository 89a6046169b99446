package main

import (
	"fmt"
	"io"
	"strings"
)

// row is one line of the table.
type row struct {
	work, ours, against string
	// value is what the target is about, a ratio or a difference, as measured in each turn.
	value  series
	unit   string
	target float64
	least  bool // the target is the least value, not the most
}

// The verdicts.
const (
	met    = "ok"
	unsure = "ok within the noise"
	missed = "MISSED"
)

// verdict takes a target for missed when the median is beyond it by more than
// the noise.
func (r row) verdict() string {
	gap := r.value.median() - r.target
	if r.least {
		gap = -gap
	}
	switch {
	case gap <= 0:
		return met
	case gap <= r.value.spread():
		return unsure
	}
	return missed
}

func (r row) cells() []string {
	sign := "≤"
	if r.least {
		sign = "≥"
	}
	target := strings.TrimSuffix(fmt.Sprintf("%s %s %s", sign, digits(r.target), r.unit), " ")
	return []string{r.work, r.ours, r.against, strings.TrimSuffix(r.value.show(r.unit), " "), target, r.verdict()}
}

func head() []string {
	return []string{"work", "agentrun", "against", "measured", "target", "verdict"}
}

// writeRow writes a row of a Markdown table.
func writeRow(w io.Writer, cells []string) error {
	_, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	return err
}

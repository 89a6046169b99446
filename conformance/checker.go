package conformance

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"agentrun/providers"
)

// Result is how a check came out.
type Result string

// The results of a check.
const (
	OK           Result = "ok"
	NotSupported Result = "not supported" // the provider does not claim it, and does not do it
	Failed       Result = "FAILED"
)

// Row is one check of a provider.
type Row struct {
	Check  string // stable name
	Result Result
	Err    error // every misbehaviour found, joined; nil unless Failed
}

// Table is what was found of a provider, in the order of the checks.
type Table []Row

// Err joins every misbehaviour.
func (t Table) Err() error {
	var errs []error
	for _, row := range t {
		if row.Result == Failed {
			errs = append(errs, fmt.Errorf("%s: %w", row.Check, row.Err))
		}
	}
	return errors.Join(errs...)
}

// Write prints the table for people.
func (t Table) Write(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, row := range t {
		words := ""
		if row.Err != nil {
			words = row.Err.Error()
		}
		if _, err := fmt.Fprintf(tw, "%s\t%s\t%s\n", row.Check, row.Result, words); err != nil {
			return err
		}
	}
	return tw.Flush()
}

// Check returns everything, joined, that the provider does wrong: in its
// declaration, its requests, and over the recordings of its vendor, which must
// prove each capability that it claims. It is nil for a good provider.
func Check(p providers.Provider, fixtures ...Recording) error { return Examine(p, fixtures...).Err() }

// Examine is Check with a row for each check.
func Examine(p providers.Provider, fixtures ...Recording) Table {
	s := &subject{p: p, about: p.About(), fixtures: fixtures}
	s.replay()
	var table Table
	for _, c := range checks() {
		row := Row{Check: c.name, Result: OK}
		claimed := c.claimed == nil || c.claimed(s.about.Capabilities)
		if err := c.run(s, claimed); err != nil {
			row.Result, row.Err = Failed, err
		} else if !claimed {
			row.Result = NotSupported
		}
		table = append(table, row)
	}
	return table
}

// subject is a provider under examination, with the replays of its recordings.
type subject struct {
	p        providers.Provider
	about    providers.About
	fixtures []Recording
	plays    []play // of the fixtures, in their order
}

// check is one thing that every provider must do; or, with claimed, one that it
// does if it claims to, and never does otherwise.
type check struct {
	name    string
	claimed func(providers.Capabilities) bool
	run     func(s *subject, claimed bool) error
}

func checks() []check {
	always := func(run func(*subject) error) func(*subject, bool) error {
		return func(s *subject, _ bool) error { return run(s) }
	}
	list := []check{
		{"declaration", nil, always(declaration)},
		{"frozen declaration", nil, always(frozen)},
		{"capability fields", nil, always(capabilityFields)},
		{"fields", nil, always(fieldValues)},
		{"request validation", nil, always(requestValidation)},
		{"pure command", nil, always(pureCommand)},
		{"prompt delivery", nil, always(promptDelivery)},
		{"private files", nil, always(privateFiles)},
		{"loopback", nil, always(loopback)},
		{"stream order", nil, always(streamOrder)},
		{"same again", nil, always(sameAgain)},
		{"pieces and whole", nil, always(piecesAndWhole)},
		{"one-byte reads", nil, always(oneByteReads)},
		{"every prefix", nil, always(everyPrefix)},
		{"unknown fields", nil, always(unknownFields)},
		{"unknown telemetry", nil, always(unknownTelemetry)},
		{"unknown content", nil, always(unknownContent)},
		{"noise", nil, always(noiseLines)},
		{"own bytes", nil, always(ownBytes)},
		{"own state", nil, always(ownState)},
	}
	return append(list, claims()...)
}

// complaint collects misbehaviours, a few of each kind at most.
type complaint struct{ errs []error }

func (c *complaint) add(format string, args ...any) {
	const most = 20
	if len(c.errs) < most {
		c.errs = append(c.errs, fmt.Errorf(format, args...))
	}
}

func (c *complaint) err() error { return errors.Join(c.errs...) }

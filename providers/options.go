package providers

import (
	"io"
	"time"
)

// Options are what a run is held to, the same for every provider.
type Options struct {
	Clocks        Clocks
	Grace         time.Duration // from the polite end to KILL; 0 is procs' default
	Strict        bool          // denied tools fail the run
	TolerateDrift bool          // unknown events and broken records are notices
	RecordLimit   int           // bytes; 0 is ndjson's default
	// Raw receives the vendor's stdout as it is; nil is nowhere.
	Raw io.Writer
	// Schema checks the structured output; nil is none asked for.
	Schema *Schema
	// ResumeID is the vendor's session asked for, "" when none was; Forked
	// means that another id is right.
	ResumeID string
	Forked   bool
	// Before are the totals of the session that is carried on, where they are known.
	Before Totals
	Redact *Redactor
	// LeaveBackground lets live on what the vendor left behind on a normal end.
	LeaveBackground bool
}

func (o Options) redact(text string) string {
	if o.Redact == nil {
		return text
	}
	return o.Redact.Redact(text)
}

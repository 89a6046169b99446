package providers

import (
	"io"
	"strings"
	"time"

	"agentrun/stream"
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
	// Watch, when set, is told after each record how far the run is. It is called
	// by the goroutine that calls the sink, and must not keep what facts point to.
	Watch func(Facts)
	// LeaveBackground lets live on what the vendor left behind on a normal end.
	LeaveBackground bool
}

// words are a text for people: without secrets, and unable to drive a terminal.
func (o Options) words(text string) string {
	text = Plain(text)
	if o.Redact == nil {
		return text
	}
	return o.Redact.Redact(text)
}

// excerpt is the beginning of a vendor's output, for a message. What a secret
// has in front of the cut is cut off as well.
func (o Options) excerpt(b []byte, most int) string {
	return Clip(o.words(Clip(string(b), 4*most)), most)
}

// discreet is a system chunk in such words; vendors put parts of keys into their notices.
func (o Options) discreet(c stream.Chunk) stream.Chunk {
	c.Content = o.words(c.Content)
	if o.Redact != nil && c.Metadata != nil && len(c.Metadata.Data) > 0 {
		meta := *c.Metadata // the adapter may have kept the other
		meta.Data = o.Redact.redactJSON(meta.Data)
		c.Metadata = &meta
	}
	return c
}

// mismatch finds a vendor that silently began a new session, from the id of the
// one that it runs. A vendor may take the beginning of an id for the whole.
func (o Options) mismatch(id string) *Error {
	if o.ResumeID == "" || o.Forked || id == "" || strings.HasPrefix(id, o.ResumeID) {
		return nil
	}
	return Errorf(Session, ReasonMismatch, "asked for session %s, the vendor began session %s", o.ResumeID, id).
		WithHint("the vendor does not know that session here: one of another directory needs --cwd, a lost one a new run")
}

package providers

import (
	"fmt"
	"os"
	"strings"
	"time"

	"agentrun/stream"
)

// Clocks are the limits of a run's silence and length. A zero clock is off.
type Clocks struct {
	Start time.Duration // to the first record
	Idle  time.Duration // without progress while no tool call is open
	Tool  time.Duration // without progress while a tool call is open
	Total time.Duration // of the whole run, by the clock on the wall
	Exit  time.Duration // from the terminal record to the vendor's end
}

// DefaultClocks are the limits that fit an ordinary run of today's vendors.
func DefaultClocks() Clocks {
	return Clocks{
		Start: 2 * time.Minute,
		Idle:  10 * time.Minute,
		Tool:  time.Hour,
		Total: 12 * time.Hour,
		Exit:  10 * time.Second,
	}
}

// deadlineReader is what procs gives: a stream with a read deadline.
type deadlineReader interface {
	Read(p []byte) (int, error)
	SetReadDeadline(time.Time) error
}

// clocked reads the vendor's stdout and keeps the clocks. All time counts but
// that of our own reader, which may be as slow as it likes.
type clocked struct {
	in      deadlineReader
	clocks  Clocks
	begun   bool // the first record came
	settled bool
	tool    bool          // a tool call is open
	waiting bool          // the vendor waits for us
	waited  time.Duration // for the vendor, since the last progress
	since   time.Time     // what came from then on is not in waited yet
	ours    time.Duration // of that, our reader's
	off     bool          // the vendor is being ended: read to the end
	// paused is the time so far for which we and the vendor were stopped.
	paused func() time.Duration
}

func (c *clocked) limit() time.Duration {
	switch {
	case c.off:
		return 0
	case c.settled:
		return c.clocks.Exit
	case c.waiting:
		return 0
	case !c.begun:
		return c.clocks.Start
	case c.tool:
		return c.clocks.Tool
	default:
		return c.clocks.Idle
	}
}

// Read waits no longer than the clock that runs allows; then it returns os.ErrDeadlineExceeded.
func (c *clocked) Read(p []byte) (int, error) {
	c.count()
	limit := c.limit()
	var deadline time.Time
	if limit > 0 {
		deadline = c.since.Add(limit - c.waited)
	}
	if err := c.in.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	stopped := c.paused()
	n, err := c.in.Read(p)
	c.ours += c.paused() - stopped
	c.count()
	return n, err
}

// count takes the time until now into account.
func (c *clocked) count() {
	now := time.Now()
	if !c.since.IsZero() {
		c.waited += max(now.Sub(c.since)-c.ours, 0)
	}
	c.since, c.ours = now, 0
}

// ranOut reports whether the clock that runs has run out.
func (c *clocked) ranOut() bool {
	limit := c.limit()
	return limit > 0 && c.waited >= limit
}

// progress restarts the silence.
func (c *clocked) progress() { c.waited = 0 }

// expired returns the timeout of the clock that ran out.
func (c *clocked) expired(t *track, retrying string) *Error {
	name, reason, flag := "idle", ReasonIdle, "--idle-timeout"
	switch {
	case !c.begun:
		name, reason, flag = "start", ReasonStart, "--start-timeout"
	case c.tool:
		name, flag = "tool", "--tool-timeout"
	}
	err := Errorf(Timeout, reason, "the vendor made no progress for %s (%s clock)%s",
		round(c.waited), name, seen(t, retrying)).
		WithHint("give it more time with %s, or 0 for no limit", flag)
	err.Retryable, err.Err = true, os.ErrDeadlineExceeded
	return err
}

// outOfTime is why a run ends that takes longer than the total clock allows. When
// the vendor has said its last word, that stands.
func (l *loop) outOfTime(total time.Duration) error {
	if l.settled.Load() {
		return errLate
	}
	err := Errorf(Timeout, ReasonTotal, "the run took longer than %s (total clock)", total).
		WithHint("give it more time with --timeout, or 0 for no limit")
	err.Retryable, err.Err = true, os.ErrDeadlineExceeded
	return err
}

// seen says for people what a run was doing.
func seen(t *track, retrying string) string {
	var b strings.Builder
	if t.last != "" {
		fmt.Fprintf(&b, "; last seen: %s", t.last)
	} else {
		b.WriteString("; nothing was seen")
	}
	if len(t.open) > 0 {
		fmt.Fprintf(&b, "; open tools: %s", openNames(t.open))
	}
	if retrying != "" {
		fmt.Fprintf(&b, "; the vendor is retrying: %s", retrying)
	}
	return b.String()
}

func openNames(open []stream.OpenTool) string {
	const most = 5
	var names []string
	for _, o := range open[:min(len(open), most)] {
		names = append(names, o.ToolName)
	}
	if more := len(open) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func round(d time.Duration) time.Duration {
	if d < time.Minute {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

package render

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"agentrun/providers"
)

// hush is how long nothing has to be said before the status line shows.
const hush = 700 * time.Millisecond

// status is what the status line tells of.
type status struct {
	began    time.Time // of the run
	heard    time.Time // when the vendor last made progress
	shown    time.Time // when something was last printed
	progress int
	tokens   int64
	retrying string
	frame    int
	columns  int // for which it was drawn
}

// Watch learns how far the run is.
func (t *Text) Watch(facts providers.Facts) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := &t.status
	if facts.Progress != s.progress {
		s.progress, s.heard = facts.Progress, t.opts.Now()
	}
	s.retrying = facts.Retrying
	if u := facts.Usage; u != nil {
		s.tokens = 0
		for _, n := range []*int64{u.InputTokens, u.OutputTokens} {
			if n != nil {
				s.tokens += *n
			}
		}
	}
}

// Talk is a way to talk for others, which no status line mixes with.
func (t *Text) Talk() io.Writer { return talker{t} }

type talker struct{ text *Text }

func (w talker) Write(p []byte) (int, error) {
	w.text.mu.Lock()
	defer w.text.mu.Unlock()
	if !w.text.opts.Quiet {
		w.text.breakLine()
		w.text.foot("")
	}
	return w.text.talk.Write(p)
}

// Pause leaves the terminal to others, who may write what they like until the
// run goes on. While somebody else is writing, it does nothing: that may be stuck.
func (t *Text) Pause() {
	if !t.mu.TryLock() {
		return
	}
	defer t.mu.Unlock()
	t.foot("")
	t.status.shown = t.opts.Now() // no status before we have stopped
	if t.paint != nil {
		t.paint.leave()
	}
}

// Tick draws the status line anew where there is one. It may be called from any
// goroutine, until Close.
func (t *Text) Tick() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.opts.Size == nil || t.opts.Quiet || t.closed || t.partial && t.paint == nil {
		return
	}
	now := t.opts.Now()
	if now.Sub(t.status.shown) < hush {
		return
	}
	columns, _ := t.opts.Size()
	if columns != t.status.columns && len(t.below.rows) > 0 {
		_ = t.below.wipe(columns) // that nobody sees it is no failure
	}
	t.status.columns = columns
	t.status.frame++
	line := fit(t.statusLine(now), max(columns-1, 1))
	if t.opts.Color {
		line = dim + line + reset
	}
	t.foot(line)
}

// Status is the status line of work that began at some time, for others to show;
// "" while there was something to read just now.
func (t *Text) Status(began time.Time) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.opts.Now()
	if t.opts.Quiet || now.Sub(later(t.status.shown, began)) < hush {
		return ""
	}
	t.status.began = began
	t.status.frame++
	return t.statusLine(now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// foot shows a line below everything else, or with "" takes it away.
func (t *Text) foot(line string) {
	var err error
	switch {
	case t.paint != nil:
		err = t.paint.status(line)
	case line == "":
		err = t.below.set(nil)
	default:
		err = t.below.set([]string{line})
	}
	if t.paint != nil && t.err == nil {
		t.err = err
	}
}

// statusLine is the status in words.
func (t *Text) statusLine(now time.Time) string {
	s := t.status
	parts := []string{`-\|/`[s.frame%4:s.frame%4+1] + " " + whole(now.Sub(s.began))}
	if s.tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d tokens", s.tokens))
	}
	if s.retrying != "" {
		parts = append(parts, "trying again: "+oneLine(s.retrying))
	}
	running := slices.SortedFunc(maps.Values(t.tools), sooner)
	for _, call := range running {
		parts = append(parts, fit(call.line, 40)+" "+whole(now.Sub(call.began)))
	}
	if idle := now.Sub(later(s.heard, s.began)); len(running) == 0 && idle >= 3*time.Second {
		parts = append(parts, "silent for "+whole(idle))
	}
	return strings.Join(parts, ", ")
}

// whole is a duration in whole seconds.
func whole(d time.Duration) string { return d.Truncate(time.Second).String() }

package cmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"agentrun/doctor"
	"agentrun/providers"
)

// doctorText tells findings to people, each as it is made.
type doctorText struct {
	w   io.Writer
	err error
}

// newDoctorText writes to w; nil says nothing.
func newDoctorText(w io.Writer) *doctorText {
	if w == nil {
		w = io.Discard
	}
	return &doctorText{w: w}
}

func (t *doctorText) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

func (t *doctorText) host(r doctorReport) {
	t.printf("agentrun %s, in %s\n", r.Agentrun.Version, r.Cwd)
	for _, f := range r.Host {
		t.finding(f)
	}
}

func (t *doctorText) provider(r doctor.Report) {
	t.printf("\n%s (%s)\n", r.Name, r.Title)
	for _, f := range r.Findings {
		t.finding(f)
	}
}

func (t *doctorText) finding(f providers.Finding) {
	level := string(f.Level)
	switch f.Level {
	case providers.LevelOK, providers.LevelWarning:
	case providers.LevelFailed:
		level = "FAILED"
	case providers.LevelAbsent:
		level = "-"
	}
	took := ""
	if f.DurationMS > 0 {
		took = fmt.Sprintf(" (%s)", (time.Duration(f.DurationMS) * time.Millisecond).Round(100*time.Millisecond))
	}
	t.printf("  %-8s %-13s %s%s\n", level, f.Check, strings.ReplaceAll(f.Message, "\n", " "), took)
	if f.Advice != "" {
		t.printf("  %-8s %-13s -> %s\n", "", "", f.Advice)
	}
}

// end sums up in one line.
func (t *doctorText) end(r doctorReport) error {
	var usable, not []string
	for _, p := range r.Providers {
		switch f, failed := p.Failure(); {
		case failed:
			not = append(not, fmt.Sprintf("%s (%s)", p.Name, f.Class))
		case p.Usable:
			usable = append(usable, p.Name)
		}
	}
	t.printf("\nusable: %s\n", orNone(usable))
	if len(not) > 0 {
		t.printf("not usable: %s\n", strings.Join(not, ", "))
	}
	return t.err
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}

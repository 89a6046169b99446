package providers

import (
	"context"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentrun/ndjson"
	"agentrun/stream"
)

// fake is a provider whose records say themselves what they mean.
type fake struct{ about About }

func newFake() fake {
	return fake{About{
		Name: "fake", Title: "Fake", StderrNoise: []string{"noise: "},
		Capabilities: Capabilities{Transport: Subprocess, EndsWithTerminalRecord: true},
		Binary:       Binary{Name: "fake", Env: "FAKE_BIN", Install: "install fake", VersionArgs: []string{"vendor", "out:fake 1.2.3"}},
	}}
}

func (f fake) About() About                    { return f.about }
func (fake) NewFields() any                    { return &struct{}{} }
func (fake) Command(Request) (Command, error)  { return Command{}, nil }
func (fake) NewMapper(Request) Mapper          { return &fakeMapper{} }
func (fake) Loopback(Loopback) LoopbackCommand { return LoopbackCommand{} }

// player is the same as a provider of transport in_process.
type player struct {
	fake
	steps []Step
}

func (p player) Steps(Request) iter.Seq[Step] { return slices.Values(p.steps) }

// fakeRecord is one record of a fake.
type fakeRecord struct {
	Chunk    *stream.Chunk     `json:"chunk"`
	Session  string            `json:"session"`
	Cost     float64           `json:"cost"`
	Pending  *bool             `json:"pending"`
	Waiting  bool              `json:"waiting"` // for the host, until the next record
	Retrying string            `json:"retrying"`
	Unknown  bool              `json:"unknown"`
	Done     bool              `json:"done"`
	Fail     string            `json:"fail"`    // a class
	Content  string            `json:"content"` // of the verdict
	Value    ndjson.RawMessage `json:"value"`
	Denials  []stream.Denial   `json:"denials"`
}

type fakeMapper struct {
	facts   Facts
	verdict Verdict
}

func (m *fakeMapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	var r fakeRecord
	if err := rec.Decode(&r); err != nil {
		return err
	}
	if r.Unknown {
		return Unknown("strange", rec.Raw, emit)
	}
	if r.Session != "" {
		m.facts.SessionID = r.Session
	}
	if r.Cost > 0 {
		m.facts.CostUSD, m.facts.CostScope = new(r.Cost), stream.ScopeSession
	}
	if r.Pending != nil {
		m.facts.Pending = *r.Pending
	}
	m.facts.Retrying, m.facts.Waiting = r.Retrying, r.Waiting
	if r.Retrying == "" {
		m.facts.Progress++
	}
	m.facts.Settled = r.Done
	m.verdict.Content, m.verdict.Metadata.StructuredOutput = r.Content, r.Value
	m.verdict.Metadata.Denials = append(m.verdict.Metadata.Denials, r.Denials...)
	if r.Fail != "" {
		m.verdict.Err = &Error{Class: Class(r.Fail), Message: "the vendor failed", Origin: OriginProvider}
	}
	if r.Chunk != nil {
		emit(*r.Chunk)
	}
	return nil
}

func (m *fakeMapper) Noise(line []byte) bool { return string(line) == "harmless" }
func (m *fakeMapper) Facts() Facts           { return m.facts }

func (m *fakeMapper) Verdict(e Exit) Verdict {
	v := m.verdict
	v.Metadata.SessionID = m.facts.SessionID
	if strings.Contains(e.Stderr, "noise: but news") {
		v.Metadata.Warnings = append(v.Metadata.Warnings, "news")
	}
	if !m.facts.Settled && v.Err == nil {
		v.Err = Errorf(Protocol, ReasonIncomplete, "no terminal record after %d records", e.Records)
	}
	return v
}

// What fakes say.
const (
	hello = `{"chunk":{"type":"text","content":"hello"},"session":"s1"}`
	done  = `{"done":true}`
	use   = `{"chunk":{"type":"tool_use","tool_name":"Bash","tool_id":"t1"}}`
	gave  = `{"chunk":{"type":"tool_result","tool_id":"t1","tool_output":"ok"}}`
	deny  = `{"chunk":{"type":"tool_result","tool_id":"t1","tool_output":"no","is_error":true,"metadata":{"denied":true}}}`
	retry = `{"retrying":"overloaded"}`
)

// shown is what a test looks at of a run.
type shown struct {
	Lines     []string // of the sink, without run_start
	Class     Class
	Reason    string
	Completed bool
	Gone      bool // the reader
	Cancelled bool
	Final     string
}

// look runs a job, or whatever run does, with a sink that keeps what it is given.
func look(run func(Sink) Outcome) (shown, Outcome) {
	var s shown
	out := run(func(c stream.Chunk) error {
		if line := lineOf(c); line != "" {
			s.Lines = append(s.Lines, line)
		}
		return nil
	})
	s.Completed, s.Gone, s.Cancelled, s.Final = out.Completed, out.ReaderGone, out.Cancelled(), out.Final
	if out.Err != nil {
		s.Class, s.Reason = out.Err.Class, out.Err.Reason
	}
	return s, out
}

func lineOf(c stream.Chunk) string {
	meta := orEmpty(c.Metadata)
	word := c.Content
	switch {
	case meta.Notice == stream.NoticeRunStart:
		return ""
	case meta.Notice != "":
		word = meta.Notice
	case c.ToolID != "":
		word = c.ToolID
	case c.Type == stream.Error:
		word = meta.Class
	}
	return strings.TrimSpace(string(c.Type) + " " + word)
}

// standin is a job of this test binary playing the vendor.
func standin(t *testing.T, acts ...string) Job {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Job{
		ID: "run1", Provider: newFake(), Binary: path, Supervisor: "/proc/self/exe",
		Env:     []string{"GOCOVERDIR=" + t.TempDir()}, // or it complains, under -cover
		Command: Command{Args: append([]string{"vendor"}, acts...)},
		Request: Request{Cwd: t.TempDir(), Dir: filepath.Join(t.TempDir(), "run")},
		Options: Options{Grace: 5 * time.Second},
	}
}

func (job Job) look(ctx context.Context) (shown, Outcome) {
	return look(func(sink Sink) Outcome { return Run(ctx, job, sink) })
}

// isGone fails a test whose run left its private folder.
func isGone(t *testing.T, dir string) {
	t.Helper()
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the private folder is still there: %v", err)
	}
}

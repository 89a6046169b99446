package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Faults are sessions with a vendor that does not keep to its protocol: for each
// kind of fault Dir has KIND.txt, a script as Fuzz.Driver plays it, and
// KIND.want.txt, what the driver does at each of its lines.
type Faults struct {
	Provider providers.Converser
	Request  providers.Request
	Dir      string
}

// faultKinds: the vendor answers or tells too late, tells or asks twice, says what
// nobody knows, and does not answer.
func faultKinds() []string { return []string{"late", "duplicate", "unknown", "unanswered"} }

// Test plays each of them. The driver keeps every rule, and the session outlives
// the fault: its last turn goes well, and it ends when it is closed.
func (f Faults) Test(t *testing.T) {
	t.Helper()
	for _, kind := range faultKinds() {
		t.Run(kind, func(t *testing.T) {
			script, err := os.ReadFile(filepath.Join(f.Dir, kind+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			s := &faulty{scripted: scripted{Watched: Watch(f.Provider, f.Request)}}
			s.told = s.note
			s.Open(s.do)
			for line := range strings.Lines(string(script)) {
				s.line(t, strings.TrimSpace(line))
			}
			Compare(t, filepath.Join(f.Dir, kind+".want.txt"), s.notes.String())
			if err := s.Err(); err != nil {
				t.Error(err)
			}
			if s.last != stream.TurnCompleted || s.Runs() || !s.Ended() {
				t.Errorf("the session did not outlive it: the last turn %q, one runs: %v, stdin is closed: %v", s.last, s.Runs(), s.Ended())
			}
		})
	}
}

// faulty is such a session.
type faulty struct {
	scripted

	notes strings.Builder
	last  stream.TurnStatus
}

func (s *faulty) line(t *testing.T, line string) {
	t.Helper()
	fmt.Fprintln(&s.notes, line)
	if in, ok := strings.CutPrefix(line, "> "); ok {
		before := len(s.script)
		if s.input(in); len(s.script) == before {
			t.Errorf("no host would put in %q here", in)
		}
		return
	}
	rec, err := ndjson.NewReader(strings.NewReader(line+"\n"), 1<<20).Next()
	if err != nil || rec.Kind != ndjson.Object {
		t.Fatalf("%q is no record: %v", line, err)
	}
	if err := s.Receive(rec, s.do); err != nil {
		t.Errorf("%s: %v", line, err)
	}
}

func (s *faulty) note(e providers.Effect) {
	if end, ok := e.(providers.TurnEnd); ok {
		s.last = end.Status
	}
	fmt.Fprintln(&s.notes, "\t"+Brief(e, func(line []byte) string { return "send " + string(line) }))
}

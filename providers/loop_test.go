package providers

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agentrun/stream"
)

// A stdout that cannot be read is a failure of ours, and ends the vendor.
func TestLoopReadError(t *testing.T) {
	no := errors.New("no")
	var ended error
	l := newLoop(&fakeMapper{}, Options{}, false, func(stream.Chunk) error { return nil })
	l.end = func(err error) { ended = err }
	if err := l.run(io.MultiReader(strings.NewReader(hello), iotest.ErrReader(no))); err != nil {
		t.Errorf("our reader is blamed: %v", err)
	}
	if l.fault == nil || l.fault.Class != Process || !errors.Is(l.fault, no) || !errors.Is(ended, no) || l.records != 1 {
		t.Errorf("fault %v, ended by %v, %d records", l.fault, ended, l.records)
	}
	if err := l.run(iotest.ErrReader(errors.New("another"))); err != nil || !errors.Is(l.fault, no) {
		t.Errorf("the first failure is lost: %v", l.fault)
	}
}

// A deadline that no clock of ours has set means nothing: an interrupt of a
// two-way run is one.
func TestLoopOtherDeadline(t *testing.T) {
	for name, clock := range map[string]*clocked{"no clocks": nil, "clocks that are off": {}, "a clock that runs": {clocks: DefaultClocks()}} {
		t.Run(name, func(t *testing.T) {
			l := newLoop(&fakeMapper{}, Options{}, false, func(stream.Chunk) error { return nil })
			l.clock, l.end = clock, func(err error) { t.Errorf("ended by %v", err) }
			once := iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(done)))
			if err := l.run(deadlines{once}); err != nil || l.records != 1 {
				t.Errorf("%d records, %v", l.records, err)
			}
		})
	}
}

// What is wrong with a stream is kept, and asks the vendor to end where it goes on.
func TestLoopFaults(t *testing.T) {
	for _, tt := range []struct {
		stdout    string
		reason    string
		retryable bool
		ends      bool
	}{
		{hello + `{"do`, ReasonIncomplete, true, false},
		{"{a}\n" + hello, ReasonMalformed, false, true},
		{`{"unknown":true,"text":"x"}` + "\n" + `{a}`, ReasonUnknownEvent, false, true},
	} {
		l := newLoop(&fakeMapper{}, Options{}, false, func(stream.Chunk) error { return nil })
		ended := 0
		l.end = func(error) { ended++ }
		if err := l.run(strings.NewReader(tt.stdout)); err != nil {
			t.Fatal(err)
		}
		if l.fault == nil || l.fault.Reason != tt.reason || l.fault.Retryable != tt.retryable || (ended == 1) != tt.ends {
			t.Errorf("%q: %#v, ended %d times", tt.stdout, l.fault, ended)
		}
	}
}

// A clock that ran out ends the vendor once; the rest is only read.
func TestLoopExpiresOnce(t *testing.T) {
	var ended []error
	l := newLoop(&fakeMapper{}, Options{}, false, func(stream.Chunk) error { return nil })
	l.clock = &clocked{clocks: Clocks{Start: time.Second}, waited: time.Second}
	l.end = func(err error) { ended = append(ended, err) }
	if err := l.run(new(timeouts(3))); err != nil {
		t.Fatal(err)
	}
	if len(ended) != 1 || l.clock.limit() != 0 {
		t.Errorf("ended by %v, limit %v", ended, l.clock.limit())
	}
}

// timeouts is a stdout at which so many deadlines run out before it ends.
type timeouts int

func (n *timeouts) Read([]byte) (int, error) {
	if *n == 0 {
		return 0, io.EOF
	}
	*n--
	return 0, os.ErrDeadlineExceeded
}

// deadlines calls every timeout by the name of ours.
type deadlines struct{ io.Reader }

func (d deadlines) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if errors.Is(err, iotest.ErrTimeout) {
		err = os.ErrDeadlineExceeded
	}
	return n, err
}

// What the adapter emits while the reader goes, and behind it, reaches nobody.
func TestLoopSinkFails(t *testing.T) {
	no := errors.New("no")
	for _, deltas := range []bool{false, true} {
		calls := 0
		l := newLoop(&fakeMapper{}, Options{}, deltas, func(stream.Chunk) error { calls++; return no })
		err := l.run(strings.NewReader(`{"chunk":{"type":"text","content":"a","is_delta":true}}` + hello + hello))
		if !errors.Is(err, no) || calls != 1 {
			t.Errorf("deltas %v: %d calls, %v", deltas, calls, err)
		}
	}
	// A unit that is open at the end is the last that can fail.
	l := newLoop(&fakeMapper{}, Options{}, false, func(stream.Chunk) error { return no })
	if err := l.run(strings.NewReader(`{"chunk":{"type":"text","content":"a","is_delta":true}}`)); !errors.Is(err, no) {
		t.Errorf("at the end: %v", err)
	}
}

// Who watches a run is told of every record.
func TestLoopWatch(t *testing.T) {
	var seen []int
	opts := Options{Watch: func(f Facts) { seen = append(seen, f.Progress) }}
	Normalize(newFake(), Request{}, opts, strings.NewReader(hello+"\nchatter\n"+retry+done), Recorded{}, func(stream.Chunk) error { return nil })
	if diff := cmp.Diff([]int{1, 1, 2}, seen); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestLoopDeltas(t *testing.T) {
	const half = `{"chunk":{"type":"text","content":"a","is_delta":true}}`
	for deltas, want := range map[bool][]string{true: {"text a", "text a", "result"}, false: {"text aa", "result"}} {
		got, _ := look(func(sink Sink) Outcome {
			return Normalize(newFake(), Request{Deltas: deltas}, Options{}, strings.NewReader(half+half+done), Recorded{}, sink)
		})
		if diff := cmp.Diff(want, got.Lines); diff != "" || got.Final != "aa" {
			t.Errorf("deltas %v, final %q (-want +got):\n%s", deltas, got.Final, diff)
		}
	}
}

func TestMissing(t *testing.T) {
	about := newFake().about
	if got := Missing(about, "").Error(); got != "Fake: no such program: fake" {
		t.Errorf("got %q", got)
	}
	if got := Missing(about, "/x").Error(); got != "Fake: no such program: /x" {
		t.Errorf("got %q", got)
	}
}

func TestFenced(t *testing.T) {
	r := Request{NoFence: map[string]bool{"a": true}}
	if r.Fenced("a") || !r.Fenced("b") {
		t.Error("fences are mixed up")
	}
}

func TestExitGrace(t *testing.T) {
	if exitGrace(soon) != soon || exitGrace(0) < 1000*DefaultClocks().Total {
		t.Errorf("a clock that is off: %v", exitGrace(0))
	}
}

package procs

import (
	"bytes"
	"errors"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestChargeOnTheWire(t *testing.T) {
	for _, want := range []charge{
		{path: "/bin/true", args: []string{}, env: []string{}, cleanup: []string{}},
		{
			path: "/a b", dir: "/d", mark: "M=1", args: []string{"", "-x", "a\nb", ""}, env: []string{"A=", "B=\xff"},
			endSignal: syscall.SIGINT, grace: time.Hour, leave: true, cleanup: []string{"/tmp/x", ""},
		},
	} {
		frame, err := want.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := readCharge(bytes.NewReader(frame))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(charge{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for n := range frame {
			if _, err := readCharge(bytes.NewReader(frame[:n])); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("the first %d bytes: %v", n, err)
			}
		}
	}
}

func TestEventOnTheWire(t *testing.T) {
	for _, want := range []event{
		{kind: evStarted, pid: 7},
		{kind: evFailed, errno: syscall.E2BIG},
		{kind: evEnded, status: 9, asked: true, maxRSS: 1 << 40, user: time.Second, system: time.Nanosecond},
		{kind: evDone, background: 3, left: []int{1, 22}},
	} {
		got, err := parseEvent(want.line())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(event{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	for _, line := range []string{"", "s", "s 1 2 3 4", "ss 0 0 0 false 0 0 0 0", "d 0 0 0 false 0 0 0 0 x"} {
		if e, err := parseEvent(line); err == nil {
			t.Errorf("%q: got %+v", line, e)
		}
	}
}

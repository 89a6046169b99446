package procs

import (
	"fmt"
	"os"
	"strconv"
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
		got, err := carry(t, frame)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(charge{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for n := range frame {
			if got, err := carry(t, frame[:n]); err == nil {
				t.Errorf("the first %d bytes: %+v", n, got)
			}
		}
	}
}

// carry takes a frame through a control channel, with files that say which is which.
func carry(t *testing.T, frame []byte) (charge, error) {
	t.Helper()
	ours, theirs, err := controlPair()
	if err != nil {
		t.Fatal(err)
	}
	host, keeper := os.NewFile(uintptr(ours), "host"), os.NewFile(uintptr(theirs), "keeper")
	defer keeper.Close()
	var files []uintptr
	for range 3 {
		f, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := fmt.Fprint(f, len(files)); err != nil {
			t.Fatal(err)
		}
		files = append(files, f.Fd())
	}
	if len(frame) > 0 {
		head := min(len(frame), frameHead)
		if err := sendFiles(host, frame[:head], files); err != nil {
			t.Fatal(err)
		}
		if _, err := host.Write(frame[head:]); err != nil {
			t.Fatal(err)
		}
	}
	_ = host.Close()
	c, got, err := readCharge(keeper)
	for i, fd := range got {
		f := os.NewFile(fd, "file")
		defer f.Close()
		text := make([]byte, 1)
		if _, err := f.ReadAt(text, 0); err != nil || string(text) != strconv.Itoa(i) {
			t.Errorf("file %d is %q, %v", i, text, err)
		}
	}
	return c, err
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

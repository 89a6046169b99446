package procs

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// takes runs a test for a child whose stdout is a pipe and for one whose is a file.
func takes(t *testing.T, test func(t *testing.T, spec func(role string, args ...string) Spec)) {
	t.Helper()
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		for _, file := range []bool{false, true} {
			t.Run(fmt.Sprintf("file=%v", file), func(t *testing.T) {
				test(t, func(role string, args ...string) Spec {
					spec := as(t, supervisor, role, args...)
					if file {
						spec.StdoutFile = filepath.Join(t.TempDir(), "stdout")
					}
					return spec
				})
			})
		}
	})
}

// TestSlowReader reads in small pieces what a child wrote at once, most of it
// after the child's end.
func TestSlowReader(t *testing.T) {
	const size = 900_000
	takes(t, func(t *testing.T, spec func(string, ...string) Spec) {
		t.Helper()
		s := spec("floods", fmt.Sprint(size), "10")
		var n int64
		exit, err := Run(t.Context(), s, func(o *Output) (err error) {
			n, err = io.Copy(io.Discard, iotest.OneByteReader(bufio.NewReaderSize(o, 100)))
			return err
		})
		if err != nil || exit.Code != 0 || n != size || exit.GaveUp {
			t.Errorf("got %d bytes, %+v, %v", n, exit, err)
		}
		if s.StdoutFile != "" {
			if _, err := os.Stat(s.StdoutFile); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the file is still there: %v", err)
			}
		}
	})
}

func TestDeadline(t *testing.T) {
	takes(t, func(t *testing.T, spec func(string, ...string) Spec) {
		t.Helper()
		var first, second string
		exit, err := Run(t.Context(), spec("vendor", "polite", "none", "-"), func(o *Output) error {
			buf := make([]byte, 64)
			for !strings.HasSuffix(first, "the text\n") {
				n, err := o.Read(buf)
				if err != nil {
					return err
				}
				first += string(buf[:n])
			}
			for range 3 { // a deadline comes back as often as it is asked
				if err := o.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
					return err
				}
				if n, err := o.Read(buf); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("after the deadline: got %d, %v", n, err)
				}
			}
			var pid int
			if _, err := fmt.Sscan(first, &pid); err != nil {
				return err
			}
			_ = syscall.Kill(pid, syscall.SIGTERM)
			err := o.SetReadDeadline(time.Time{})
			rest, readErr := io.ReadAll(o)
			second = string(rest)
			return errors.Join(err, readErr)
		})
		if err != nil || exit.Code != 7 || exit.Ended || second != "the last words\n" {
			t.Errorf("got %q, %+v, %v", second, exit, err)
		}
	})
}

// TestDataBeatsDeadline reads what is there although the deadline has passed.
func TestDataBeatsDeadline(t *testing.T) {
	takes(t, func(t *testing.T, spec func(string, ...string) Spec) {
		t.Helper()
		var out []byte
		_, err := Run(t.Context(), spec("floods", "5000", "0"), func(o *Output) error {
			buf := make([]byte, 1000)
			for {
				_ = o.SetReadDeadline(time.Unix(1, 0))
				n, err := o.Read(buf)
				out = append(out, buf[:n]...)
				switch {
				case errors.Is(err, io.EOF):
					return nil
				case errors.Is(err, os.ErrDeadlineExceeded):
					runtime.Gosched()
				case err != nil:
					return err
				}
			}
		})
		if err != nil || len(out) != 5000 {
			t.Errorf("got %d bytes, %v", len(out), err)
		}
	})
}

func TestLeaveBackground(t *testing.T) {
	takes(t, func(t *testing.T, spec func(string, ...string) Spec) {
		t.Helper()
		s := spec("vendor", "ends", "holder", "-")
		s.LeaveBackground, s.Mark = true, fmt.Sprintf("PROCS_TEST=left%d", os.Getpid())
		out, exit, err := runAll(t, s)
		if err != nil || exit.Code != 0 || exit.Background != 0 || !strings.HasSuffix(out, "the text\n") {
			t.Errorf("got %q, %+v, %v", out, exit, err)
		}
		if exit.GaveUp != (s.StdoutFile == "") {
			t.Errorf("gave up: %v", exit.GaveUp)
		}
		left := marked(s.Mark)
		if len(left) != 1 {
			t.Fatalf("left %v, want one", left)
		}
		var pid int
		if _, err := fmt.Sscanf(left[0], "/proc/%d/", &pid); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(pid, syscall.SIGKILL)
		_, _ = syscall.Wait4(pid, nil, 0, nil) // it has come to us
	})
}

func TestStderr(t *testing.T) {
	const half = stderrHalf
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		for _, tt := range []struct{ size, head, tail, dropped int }{
			{0, 0, 0, 0},
			{10, 10, 0, 0},
			{half, half, 0, 0},
			{half + 7, half, 7, 0},
			{2 * half, half, half, 0},
			{2*half + 1, half, half, 1},
			{9_000_000, half, half, 9_000_000 - 2*half},
		} {
			_, exit, err := runAll(t, as(t, supervisor, "floods", "0", fmt.Sprint(tt.size)))
			if err != nil || exit.Code != 0 {
				t.Fatal(exit.Code, err)
			}
			whole := make([]byte, tt.size)
			for i := range whole {
				whole[i] = byte('a' + i%23)
			}
			want := Stderr{Head: whole[:tt.head], Tail: whole[tt.size-tt.tail:], Dropped: int64(tt.dropped)}
			if string(want.Head) != string(exit.Stderr.Head) || string(want.Tail) != string(exit.Stderr.Tail) || want.Dropped != exit.Stderr.Dropped {
				t.Errorf("%d bytes: kept %d and %d, dropped %d", tt.size, len(exit.Stderr.Head), len(exit.Stderr.Tail), exit.Stderr.Dropped)
			}
		}
	})
	s := Stderr{Head: []byte("a"), Tail: []byte("z"), Dropped: 5}
	if diff := cmp.Diff("a\n[… 5 bytes left out …]\nz", s.String()); diff != "" {
		t.Error(diff)
	}
}

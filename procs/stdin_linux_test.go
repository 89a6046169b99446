package procs_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"agentrun/procs"
)

// TestKeepStdin: what is written later arrives, the end of stdin too, and a
// write to a child that is gone is an error, not a hang or a signal.
func TestKeepStdin(t *testing.T) {
	spec := procs.Spec{Path: "/bin/cat", KeepStdin: true}
	var late io.WriteCloser
	exit, err := procs.Run(context.Background(), spec, func(out *procs.Output) error {
		lines := bufio.NewReader(out)
		late = out.Stdin
		for _, line := range []string{"one\n", "two\n"} {
			if _, err := io.WriteString(out.Stdin, line); err != nil {
				return err
			}
			if got, err := lines.ReadString('\n'); err != nil || got != line {
				t.Errorf("read %q, %v; want %q", got, err, line)
			}
		}
		if err := out.Stdin.Close(); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, lines)
		return err
	})
	if err != nil || exit.Code != 0 {
		t.Errorf("Run: %+v, %v", exit, err)
	}
	if _, err := io.WriteString(late, "three\n"); !errors.Is(err, os.ErrClosed) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write after the end: %v", err)
	}
}

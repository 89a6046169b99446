package procs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// self is this program, as a Spec names it.
const self = "/proc/self/exe"

// ways runs a test with and without a supervisor.
func ways(t *testing.T, test func(t *testing.T, supervisor string)) {
	t.Helper()
	t.Run("supervised", func(t *testing.T) { test(t, self) })
	t.Run("alone", func(t *testing.T) { test(t, "") })
}

// as is the Spec of this test binary playing a role.
func as(t *testing.T, supervisor, role string, args ...string) Spec {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Path: path, Args: append([]string{"role", role}, args...), Supervisor: supervisor}
}

// runAll runs a child and returns all it wrote.
func runAll(t *testing.T, spec Spec) (string, Exit, error) {
	t.Helper()
	var out []byte
	exit, err := Run(t.Context(), spec, func(o *Output) (err error) {
		out, err = io.ReadAll(o)
		return err
	})
	return string(out), exit, err
}

func TestExit(t *testing.T) {
	tests := []struct {
		role string
		args []string
		want Exit
	}{
		{"exit", []string{"0"}, Exit{Started: true}},
		{"exit", []string{"42"}, Exit{Started: true, Code: 42}},
		{"crash", nil, Exit{Started: true, Code: -1, Signal: syscall.SIGKILL}},
	}
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		for _, tt := range tests {
			_, exit, err := runAll(t, as(t, supervisor, tt.role, tt.args...))
			if err != nil {
				t.Errorf("%s %v: %v", tt.role, tt.args, err)
			}
			if exit.Pid == 0 || exit.MaxRSS == 0 {
				t.Errorf("%s %v: no pid or no memory in %+v", tt.role, tt.args, exit)
			}
			exit.Pid, exit.MaxRSS, exit.User, exit.System = 0, 0, 0, 0
			exit.Stderr = Stderr{}
			if diff := cmp.Diff(tt.want, exit); diff != "" {
				t.Errorf("%s %v (-want +got):\n%s", tt.role, tt.args, diff)
			}
		}
	})
}

// TestSurroundings checks what a child is given: three blocking files and no
// more, its own session, signals as if nobody had touched them.
func TestSurroundings(t *testing.T) {
	inherited, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	if _, err := syscall.Dup(int(inherited.Fd())); err != nil { // without close-on-exec
		t.Fatal(err)
	}
	spec := as(t, self, "facts")
	spec.Stdin, spec.Hold = []byte("x"), []*os.File{inherited}
	spec.Dir = t.TempDir()
	spec.Env = []string{"PWD=" + spec.Dir}
	out, _, err := runAll(t, spec)
	if err != nil {
		t.Fatal(err)
	}
	want := "fd 0 0 <nil>\nfd 1 0 <nil>\nfd 2 0 <nil>\nopen 3\nleader true true\ndir " + spec.Dir + " false\n"
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStdin(t *testing.T) {
	long := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		for _, in := range [][]byte{nil, {}, []byte("hello"), long} {
			spec := as(t, supervisor, "echo")
			spec.Stdin = in
			out, exit, err := runAll(t, spec)
			if err != nil || exit.Code != 0 || out != string(in) {
				t.Errorf("%d bytes: got %d bytes, %+v, %v", len(in), len(out), exit.Code, err)
			}
			// Nobody reads it: that is no error, and no deadlock.
			spec = as(t, supervisor, "exit", "3")
			spec.Stdin = in
			if _, exit, err := runAll(t, spec); err != nil || exit.Code != 3 {
				t.Errorf("%d bytes unread: %+v, %v", len(in), exit.Code, err)
			}
		}
	})
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string, mode fs.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	big := []string{strings.Repeat("x", 200<<10)}
	tests := []struct {
		name string
		spec Spec
		is   error
		want StartError
	}{
		{"missing", Spec{Path: dir + "/none"}, fs.ErrNotExist, StartError{Path: dir + "/none"}},
		{"not executable", Spec{Path: write("plain", "x", 0o600)}, fs.ErrPermission, StartError{Path: dir + "/plain"}},
		{"no program", Spec{Path: write("noexec", "\x01\x02", 0o700)}, syscall.ENOEXEC, StartError{Path: dir + "/noexec"}},
		{"no interpreter", Spec{Path: write("script", "#!/nowhere/sh\n", 0o700)}, fs.ErrNotExist, StartError{Path: dir + "/script", Interpreter: true}},
		{"too long", Spec{Path: "/bin/true", Args: big}, syscall.E2BIG, StartError{Path: "/bin/true"}},
		{"NUL", Spec{Path: "/bin/true", Args: []string{"a\x00b"}}, syscall.EINVAL, StartError{Path: "/bin/true"}},
		{"no directory", Spec{Path: "/bin/true", Dir: dir + "/gone"}, fs.ErrNotExist, StartError{Path: dir + "/gone"}},
		{"no such directory", Spec{Path: "/bin/true", Dir: dir + "/plain"}, syscall.ENOTDIR, StartError{Path: dir + "/plain"}},
	}
	ways(t, func(t *testing.T, supervisor string) {
		t.Helper()
		for _, tt := range tests {
			tt.spec.Supervisor = supervisor
			exit, err := Run(t.Context(), tt.spec, func(*Output) error {
				t.Errorf("%s: read was called", tt.name)
				return nil
			})
			var got *StartError
			if !errors.As(err, &got) || !errors.Is(err, tt.is) || exit.Started {
				t.Errorf("%s: got %v, want %v", tt.name, err, tt.is)
				continue
			}
			if got.Path != tt.want.Path || got.Interpreter != tt.want.Interpreter {
				t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
			}
		}
	})
	spec := Spec{Path: "/bin/true", Supervisor: "/bin/false"}
	if _, err := Run(t.Context(), spec, nil); !errors.Is(err, ErrSupervisorLost) {
		t.Errorf("a supervisor that is none: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, Spec{Path: "/bin/true"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled before the start: got %v", err)
	}
}

package cmd

import (
	"errors"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"github.com/mattn/go-isatty"

	"agentrun/providers"
)

// IO is the outside world as the commands see it: the only way to streams,
// environment and user directories.
type IO struct {
	In       io.Reader
	Out, Err io.Writer
	// InTTY, OutTTY and ErrTTY say which of them are terminals.
	InTTY, OutTTY, ErrTTY bool
	OneTTY                bool                       // Out and Err are the same terminal
	ErrSize               func() (columns, rows int) // of the terminal that Err is; nil when it is none
	ErrStored             bool                       // Err is a file that stays
	Env                   []string                   // complete, NAME=VALUE
	Cwd                   string                     // "" when it cannot be found out
	CacheDir              string
	StateDir              string
	ConfigDir             string
	TempDir               string
	Self                  string // path of this program, "" when unknown
	Root                  bool   // we run as the superuser
	Now                   func() time.Time
}

// System is the process's own world.
func System() IO {
	env := os.Environ()
	atHome()
	cwd, err := os.Getwd()
	if err != nil {
		cwd = ""
	}
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	sys := IO{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTTY: terminal(os.Stdin), OutTTY: terminal(os.Stdout), ErrTTY: terminal(os.Stderr),
		Env: env, Cwd: cwd, CacheDir: filepath.Join(xdg.CacheHome, "agentrun"),
		StateDir: filepath.Join(xdg.StateHome, "agentrun"), ConfigDir: filepath.Join(xdg.ConfigHome, "agentrun"),
		TempDir: os.TempDir(), Self: self, Root: os.Geteuid() == 0, Now: time.Now,
		ErrStored: stored(os.Stderr),
	}
	if sys.ErrTTY {
		sys.ErrSize = terminalSize(os.Stderr)
		sys.OneTTY = sys.OutTTY && sameFile(os.Stdout, os.Stderr)
	}
	return sys
}

// atHome finds the user's directory where HOME does not name it, as a shell finds
// ~: package xdg would take / or the current directory for it.
func atHome() {
	if filepath.IsAbs(os.Getenv("HOME")) {
		return
	}
	home := "/"
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		home = u.HomeDir
	}
	if os.Setenv("HOME", home) == nil {
		xdg.Reload()
	}
}

// readerGone reports whether a write to stdout failed because nobody is there.
func (sys IO) readerGone(err error) bool {
	return sys.OutTTY || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
}

// reasonOutput is that of an error of class process: what we print cannot be written.
const reasonOutput = "output"

// writeFailed is a write to stdout that failed for any other reason.
func writeFailed(err error) *providers.Error {
	return providers.Errorf(providers.Process, reasonOutput, "writing our output: %w", err)
}

func terminal(f *os.File) bool {
	return isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd())
}

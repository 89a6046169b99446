package procs

import (
	"crypto/rand"
	"os"
	"strings"
	"syscall"
	"time"
)

// Spec says what to run and how to end it.
type Spec struct {
	Path string   // of the program, absolute; PATH is not searched
	Args []string // behind the program's name
	Env  []string // complete; nil is an empty environment
	Dir  string   // where the child runs; "" is our own directory
	// Stdin is fed to the child, then its stdin is closed; nil gives it
	// /dev/null. Our own stdin is never inherited.
	Stdin []byte
	// KeepStdin leaves the child's stdin open for Output.Stdin; Stdin is nil then.
	KeepStdin bool
	// StdoutFile takes the child's stdout through a regular file instead of a
	// pipe. Run creates it at this path, for the user alone, and removes its
	// name at once; the path must not exist, and its directory must.
	StdoutFile string
	// EndSignal is the polite end of the child's own process group; 0 is
	// SIGTERM. All other descendants are sent SIGTERM.
	EndSignal syscall.Signal
	// Grace is the time from the polite end to SIGKILL; 0 is 5 s.
	Grace time.Duration
	// ExitGrace is the time that the child may stay after the end of its
	// stdout, before it is ended; 0 is 10 s.
	ExitGrace time.Duration
	// LeaveBackground leaves alone what the child leaves behind when it exits
	// by itself. Whatever ends otherwise is ended whole.
	LeaveBackground bool
	// Supervisor is the path of our own program ("/proc/self/exe" on Linux),
	// started again to be the child's parent, so that descendants are ended
	// even when we are killed. "" supervises from within this process.
	Supervisor string
	// Standby is such a supervisor that was started ahead; nil starts one. It is
	// used up also by a run that cannot start.
	Standby *Standby
	// Cleanup lists paths that the supervisor removes when we were killed.
	Cleanup []string
	// Hold lists a few open files that the supervisor keeps open, too, until
	// everything is gone: a lock on them outlives us when we are killed.
	Hold []*os.File
	// Mark is NAME=VALUE, put in the child's environment so that strays can be
	// found by it; VALUE is unique to the run and has no colon. Where Env has
	// NAME already, VALUE is added to it behind a colon: a nested run carries
	// the marks of all. "" is a random mark.
	Mark string
	// Hurry, when closed, skips what is left of any grace: SIGKILL at once.
	Hurry <-chan struct{}
	// Pause stops (true) and continues (false) the child and its descendants,
	// for job control.
	Pause <-chan bool
}

func (s Spec) withDefaults() Spec {
	if s.EndSignal == 0 {
		s.EndSignal = syscall.SIGTERM
	}
	if s.Grace == 0 {
		s.Grace = 5 * time.Second
	}
	if s.ExitGrace == 0 {
		s.ExitGrace = 10 * time.Second
	}
	if s.Mark == "" {
		s.Mark = "PROCS_MARK=" + rand.Text()
	}
	return s
}

func (s Spec) standby() (*Standby, error) {
	if s.Standby != nil {
		return s.Standby, nil
	}
	return StandBy(s.Supervisor, s.Mark)
}

// charge is what the keeper of a child must know.
type charge struct {
	path, dir string
	args, env []string
	endSignal syscall.Signal
	grace     time.Duration
	leave     bool
	cleanup   []string
	mark      string
}

func (s Spec) charge() charge {
	return charge{
		path: s.Path, dir: s.Dir, args: s.Args, env: withMark(s.Env, s.Mark),
		endSignal: s.EndSignal, grace: s.Grace, leave: s.LeaveBackground, cleanup: s.Cleanup, mark: s.Mark,
	}
}

// withMark adds the mark to an environment that may carry the marks of outer runs.
func withMark(env []string, mark string) []string {
	name, value, _ := strings.Cut(mark, "=")
	marked := make([]string, 0, len(env)+1)
	for _, e := range env {
		if outer, ok := strings.CutPrefix(e, name+"="); ok {
			mark = name + "=" + outer + ":" + value
			continue
		}
		marked = append(marked, e)
	}
	return append(marked, mark)
}

// carries reports whether a NUL-separated environment has the mark, and
// whether it has one of that name at all.
func carries(environ, mark string) (mine, any bool) {
	name, value, _ := strings.Cut(mark, "=")
	for e := range strings.SplitSeq(environ, "\x00") {
		values, ok := strings.CutPrefix(e, name+"=")
		if !ok {
			continue
		}
		any = true
		for v := range strings.SplitSeq(values, ":") {
			mine = mine || v == value
		}
	}
	return mine, any
}

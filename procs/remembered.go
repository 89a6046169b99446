package procs

import (
	"errors"
	"syscall"
)

// remembered is the family on a system that gives the orphans of a child to
// process 1: who was seen below the child while it ran is remembered, and so
// are their groups; an orphan that nobody saw is found by its mark, where the
// system shows it. A daemon without one, started and orphaned between two
// looks, is missed.
type remembered struct {
	child   int
	ended   bool
	mark    string
	orphans int // the pid that orphans are given to
	all     func() []proc
	environ func(pid int) string
	known   map[ident]bool
	groups  map[int]bool
}

func newRemembered(c charge, child, orphans int) *remembered {
	return &remembered{
		child: child, mark: c.mark, orphans: orphans, all: snapshot, environ: environOf,
		known: map[ident]bool{}, groups: map[int]bool{child: true},
	}
}

func (f *remembered) reap() (syscall.WaitStatus, syscall.Rusage, bool) {
	var status syscall.WaitStatus
	var usage syscall.Rusage
	if f.ended || f.child == 0 {
		return status, usage, false
	}
	f.look(false)
	pid, err := syscall.Wait4(f.child, &status, syscall.WNOHANG, &usage)
	if errors.Is(err, syscall.ECHILD) {
		status = statusUnknown // the child of a supervisor that was killed
	}
	f.ended = pid == f.child || err != nil && !errors.Is(err, syscall.EINTR)
	return status, usage, f.ended
}

func (f *remembered) living() ([]proc, bool) {
	list := f.look(true)
	return list, len(list) == 0
}

// look remembers who is there now. Orphans are asked for their mark only when
// that matters, for it costs a call each.
func (f *remembered) look(orphans bool) []proc {
	all := f.all()
	below := map[int]bool{}
	for _, p := range all {
		if p.pid == f.child && !f.ended || f.known[p.ident] {
			below[p.pid] = true
		}
	}
	var list []proc
	listed := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if p.zombie || listed[p.pid] || !f.belongs(p, below, orphans) {
				continue
			}
			list, grown = append(list, p), true
			listed[p.pid], below[p.pid], f.known[p.ident] = true, true, true
			if p.pgid == p.pid {
				f.groups[p.pgid] = true
			}
		}
	}
	return list
}

func (f *remembered) belongs(p proc, below map[int]bool, orphans bool) bool {
	if below[p.pid] || below[p.ppid] || f.groups[p.pgid] {
		return true
	}
	if !orphans || p.ppid != f.orphans {
		return false
	}
	mine, _ := carries(f.environ(p.pid), f.mark)
	return mine
}

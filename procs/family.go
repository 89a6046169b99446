package procs

import "syscall"

// ident names a process for as long as the system runs: a pid alone is used again.
type ident struct {
	pid   int
	start uint64 // in the system's own unit
}

// proc is a process in a snapshot.
type proc struct {
	ident
	ppid, pgid, sid int
	zombie          bool
}

// family is the child and its descendants, as the system lets us see them.
type family interface {
	// reap collects what has ended and is ours to collect. It reports the
	// child's end once.
	reap() (syscall.WaitStatus, syscall.Rusage, bool)
	// living lists the descendants that run, the child among them; gone says
	// that there are none, and no zombies that will still come to us.
	living() (list []proc, gone bool)
}

// statusUnknown is the status of a child that somebody else has waited for:
// neither an exit nor a signal.
const statusUnknown syscall.WaitStatus = 0x7f

// descendants lists the processes that run below root, by way of those of its
// children that are mine.
func descendants(all []proc, root int, mine func(proc) bool) []proc {
	below := map[int][]proc{}
	for _, p := range all {
		below[p.ppid] = append(below[p.ppid], p)
	}
	var list []proc
	queue := below[root]
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		if p.ppid == root && (p.zombie || !mine(p)) {
			continue
		}
		if !p.zombie {
			list = append(list, p)
		}
		queue = append(queue, below[p.pid]...)
	}
	return list
}

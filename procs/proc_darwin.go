package procs

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// watchInterval is how often a quiet child is looked at, to know its
// descendants before they are orphans.
const watchInterval = time.Second

// launchd is who orphans are given to.
const launchd = 1

// bytesWaiting is the request for the number of bytes in a pipe: FIONREAD.
const bytesWaiting = 0x4004667f

// adopt does nothing: there are no subreapers.
func adopt() {}

// childAttr gives the child its own session, out of reach of a terminal's signals.
func childAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func maxRSS(u syscall.Rusage) int64 { return u.Maxrss }

func newEverything(c charge, child int) family { return newRemembered(c, child, launchd) }

func newKin(c charge, child int) family { return newRemembered(c, child, launchd) }

// isolate keeps the files that a supervisor inherited, but for the first
// three, from the child.
func isolate() { closeOnExecAbove(controlFD, "/dev/fd") }

func snapshot() []proc {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	var list []proc
	for i := range all {
		list = append(list, procOf(&all[i]))
	}
	return list
}

func procOf(k *unix.KinfoProc) proc {
	const zombie = 5 // SZOMB of <sys/proc.h>
	start := k.Proc.P_starttime
	return proc{
		ident: ident{pid: int(k.Proc.P_pid), start: uint64(start.Sec)*1e6 + uint64(start.Usec)},
		ppid:  int(k.Eproc.Ppid), pgid: int(k.Eproc.Pgid), zombie: k.Proc.P_stat == zombie,
	}
}

// signalProc signals the process of the snapshot, if its pid is still its own.
func signalProc(p proc, sig syscall.Signal) error {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", p.pid)
	if err != nil || procOf(k).ident != p.ident {
		return syscall.ESRCH
	}
	return syscall.Kill(p.pid, sig)
}

// environOf returns the arguments and the environment of a process of ours,
// separated by NULs. The system shows neither for its own programs.
func environOf(pid int) string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	const count = 4 // of the arguments, in front
	if err != nil || len(raw) < count {
		return ""
	}
	return string(raw[count:])
}

package procs

import "golang.org/x/sys/unix"

// The requests for a terminal's settings, the second with effect at once.
const (
	readTermios  = unix.TIOCGETA
	writeTermios = unix.TIOCSETA
)

// stopped reports whether a process has been stopped by a signal.
func stopped(pid int) bool {
	const stop = 4 // SSTOP of <sys/proc.h>
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	return err == nil && k.Proc.P_stat == stop
}

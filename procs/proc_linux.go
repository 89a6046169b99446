package procs

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// snapshot reads what runs, from /proc.
func snapshot() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer func() { _ = dir.Close() }()
	names, _ := dir.Readdirnames(-1)
	var list []proc
	buf := make([]byte, 1024)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readProc(pid, buf); ok {
			list = append(list, p)
		}
	}
	return list
}

// readProc reads /proc/PID/stat: the name in parentheses may hold anything.
func readProc(pid int, buf []byte) (proc, bool) {
	fd, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return proc{}, false
	}
	n, err := unix.Read(fd, buf)
	_ = unix.Close(fd)
	if err != nil {
		return proc{}, false
	}
	line := string(buf[:n])
	f := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	const state, ppid, pgid, sid, threads, start = 0, 1, 2, 3, 17, 19
	if len(f) <= start {
		return proc{}, false
	}
	p := proc{ident: ident{pid: pid}}
	// The first thread may be gone while others run.
	p.zombie = (f[state] == "Z" || f[state] == "X") && (f[threads] == "0" || f[threads] == "1")
	p.ppid, _ = strconv.Atoi(f[ppid])
	p.pgid, _ = strconv.Atoi(f[pgid])
	p.sid, _ = strconv.Atoi(f[sid])
	p.start, _ = strconv.ParseUint(f[start], 10, 64)
	return p, true
}

// signalProc signals exactly the process of the snapshot, never one that got
// its pid afterwards.
func signalProc(p proc, sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	if err == nil {
		defer func() { _ = unix.Close(fd) }()
	}
	now, ok := readProc(p.pid, make([]byte, 1024))
	if !ok || now.ident != p.ident {
		return syscall.ESRCH
	}
	if err == nil {
		return unix.PidfdSendSignal(fd, sig, nil, 0)
	}
	return syscall.Kill(p.pid, sig) // a kernel without pidfds
}

// environOf returns the environment of a process of ours, separated by NULs.
func environOf(pid int) string {
	environ, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return string(environ)
}

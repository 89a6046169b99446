package procs

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// The requests for a terminal's settings, the second with effect at once.
const (
	readTermios  = unix.TCGETS
	writeTermios = unix.TCSETS
)

// stopped reports whether a process has been stopped by a signal.
func stopped(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	return strings.HasPrefix(state, "T")
}

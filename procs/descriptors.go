package procs

import (
	"os"
	"strconv"
	"syscall"
)

// closeOnExecAbove marks all open descriptors from first on, as listed in dir.
func closeOnExecAbove(first int, dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			syscall.CloseOnExec(fd)
		}
	}
}

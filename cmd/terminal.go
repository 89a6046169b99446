//go:build unix

package cmd

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalSize returns what tells the size of a terminal, and of the usual one
// where the terminal does not know.
func terminalSize(f *os.File) func() (columns, rows int) {
	return func() (int, int) {
		size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
		if err != nil || size.Col == 0 || size.Row == 0 {
			return 80, 24
		}
		return int(size.Col), int(size.Row)
	}
}

// sameFile reports whether two files are one.
func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}

// stored reports whether what is written to f stays there.
func stored(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Mode().IsRegular()
}

package procs

import (
	"os"

	"golang.org/x/sys/unix"
)

// termios is how a terminal is set.
type termios = unix.Termios

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetTermios(fd, readTermios)
	return err == nil
}

// makeRaw lets every key through as it is, and returns the settings before.
func makeRaw(f *os.File) (*termios, error) {
	saved, err := unix.IoctlGetTermios(int(f.Fd()), readTermios)
	if err != nil {
		return nil, os.NewSyscallError("tcgetattr", err)
	}
	raw := *saved
	raw.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	raw.Oflag &^= unix.OPOST
	raw.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	raw.Cflag &^= unix.CSIZE | unix.PARENB
	raw.Cflag |= unix.CS8
	raw.Cc[unix.VMIN], raw.Cc[unix.VTIME] = 1, 0
	return saved, os.NewSyscallError("tcsetattr", unix.IoctlSetTermios(int(f.Fd()), writeTermios, &raw))
}

func restore(f *os.File, saved *termios) error {
	return os.NewSyscallError("tcsetattr", unix.IoctlSetTermios(int(f.Fd()), writeTermios, saved))
}

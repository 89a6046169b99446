package procs

import (
	"bytes"
	"errors"
	"io"
	"syscall"
)

// screenSource is our end of a terminal. Linux tells its end as EIO.
type screenSource struct{ pipe }

func (s screenSource) Read(p []byte) (int, error) {
	n, err := s.pipe.Read(p)
	return n, endOfTerminal(err)
}

func (s screenSource) tryRead(p []byte) (int, error) {
	n, err := s.pipe.tryRead(p)
	return n, endOfTerminal(err)
}

func endOfTerminal(err error) error {
	if errors.Is(err, syscall.EIO) {
		return io.EOF
	}
	return err
}

// screen watches what a child draws for what it would leave behind if it were killed.
type screen struct {
	alternate bool // the second screen is shown
	lost      bool // the child had no time to clean up
	tail      []byte
}

// Write looks for the switches between the two screens (xterm's mode 1049).
func (s *screen) Write(p []byte) (int, error) {
	const on, off = "\x1b[?1049h", "\x1b[?1049l"
	seen := append(s.tail, p...)
	if a, b := bytes.LastIndex(seen, []byte(on)), bytes.LastIndex(seen, []byte(off)); a != b {
		s.alternate = a > b
	}
	s.tail = append([]byte(nil), seen[max(0, len(seen)-len(on)+1):]...)
	return len(p), nil
}

// reset switches off what a terminal interface switches on: colors, mouse, focus
// and paste reports, other keyboards, the hidden cursor.
func (s *screen) reset() string {
	modes := "\x1b[0m\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l\x1b[?1006l\x1b[?2004l\x1b[?2026l\x1b[<u\x1b[>4;0m\x1b[?25h"
	if s.alternate {
		modes += "\x1b[?1049l"
	}
	return modes + "\r\n"
}

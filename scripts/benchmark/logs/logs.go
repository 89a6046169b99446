// Package logs makes vendor logs for measurements: what the four CLIs print on
// stdout, in their shapes and proportions (Claude Code 2.1.332, codex 0.171.0,
// Gemini CLI 0.61.0, pi 1.6.0), of any length. The same arguments give the same
// bytes.
package logs

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
)

// Vendors lists the vendors that Write knows.
func Vendors() []string { return []string{"claude", "codex", "gemini", "pi"} }

// Size is how much to write. A log ends after the turn that reaches one of its limits.
type Size struct {
	Bytes   int64 // 0 is no limit
	Records int   // 0 is no limit
	// Line makes every line with a tool's output about this long, in bytes, and
	// leaves the pieces of messages out; 0 is a mix of lengths.
	Line int
}

// Write writes a whole successful run of a vendor.
func Write(w io.Writer, vendor string, size Size) error {
	l := &log{out: bufio.NewWriterSize(w, 64<<10), dice: rand.New(rand.NewPCG(1, 2)), size: size}
	head, turn, tail := shape(vendor)
	if turn == nil {
		return fmt.Errorf("no such vendor: %q", vendor)
	}
	head(l)
	for !l.full() {
		l.turn++
		turn(l)
	}
	tail(l)
	return l.out.Flush()
}

func shape(vendor string) (head, turn, tail func(*log)) {
	switch vendor {
	case "claude":
		return claudeHead, claudeTurn, claudeTail
	case "codex":
		return codexHead, codexTurn, codexTail
	case "gemini":
		return geminiHead, geminiTurn, geminiTail
	case "pi":
		return piHead, piTurn, piTail
	}
	return nil, nil, nil
}

// log is one log under way.
type log struct {
	out     *bufio.Writer
	dice    *rand.Rand
	size    Size
	bytes   int64
	records int
	turn    int
	err     error
}

// line writes one record. Its arguments are JSON already.
func (l *log) line(format string, args ...any) {
	n, err := fmt.Fprintf(l.out, format+"\n", args...)
	if l.err == nil {
		l.err = err
	}
	l.bytes += int64(n)
	l.records++
}

func (l *log) full() bool {
	return l.err != nil || l.size.Bytes > 0 && l.bytes >= l.size.Bytes || l.size.Records > 0 && l.records >= l.size.Records
}

// long reports whether the log is one of long lines.
func (l *log) long() bool { return l.size.Line > 0 }

// uuid is an id in the form of a UUID.
func (l *log) uuid() string {
	a, b := l.dice.Uint64(), l.dice.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", uint32(a), uint16(a>>32), a>>52, b&0xfff, b>>16)
}

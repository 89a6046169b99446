package lineedit

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// What the line has for a line end, which one row cannot hold.
const lineEnd = "⏎"

// The bytes that terminals send.
const (
	ctrlC    = 0x03
	ctrlJ    = 0x0a
	ctrlZ    = 0x1a
	escape   = 0x1b
	altEnter = "\x1b\r"
	ss3      = "\x1bO" // begins the keys of a terminal in application mode
	csi      = "\x1b["
	pasteOn  = "\x1b[200~"
	pasteOff = "\x1b[201~"
	ctrlA    = "\x01"
	ctrlE    = "\x05"
)

// interrupt stands for Ctrl-C behind the translator: the editor below takes that for the end of all.
const interrupt = 0x1c

// translator reads keys, and turns those that the editor below knows otherwise
// into what it can take: Ctrl-C, line ends within a line, and pastes.
type translator struct {
	from  io.Reader
	paste func(text string) string // what the line has for it

	raw    []byte // that was read and not looked at
	pasted []byte // of a paste whose end has not come; nil is none
	ready  []byte // translated
	err    error
}

// Read gives translated keys.
func (t *translator) Read(p []byte) (int, error) {
	for len(t.ready) == 0 {
		if t.err != nil {
			return 0, t.err
		}
		buf := make([]byte, 4096)
		n, err := t.from.Read(buf)
		t.raw, t.err = append(t.raw, buf[:n]...), err
		t.translate()
	}
	n := copy(p, t.ready)
	t.ready = t.ready[n:]
	return n, nil
}

// translate goes through what was read, as far as it is whole.
func (t *translator) translate() {
	for len(t.raw) > 0 {
		if t.pasted != nil {
			if !t.inPaste() {
				return
			}
			continue
		}
		switch b := t.raw[0]; {
		case b == ctrlC:
			t.take(1, string(rune(interrupt)))
		case b == ctrlJ:
			t.take(1, lineEnd)
		case bytes.HasPrefix(t.raw, []byte(altEnter)):
			t.take(len(altEnter), lineEnd)
		case b == 0x7f || b == 0x08:
			t.take(1, string(keyBackspace))
		case b == 0x02, t.either(csi+"D", ss3+"D"):
			t.arrow(b, keyLeft)
		case b == 0x06, t.either(csi+"C", ss3+"C"):
			t.arrow(b, keyRight)
		case t.either(csi+"1~", csi+"7~"):
			t.take(len(csi+"1~"), ctrlA)
		case t.either(csi+"4~", csi+"8~"):
			t.take(len(csi+"4~"), ctrlE)
		case t.either(csi + "3~"):
			t.take(len(csi+"3~"), string(keyDelete))
		case bytes.HasPrefix(t.raw, []byte(ss3)) && len(t.raw) > len(ss3):
			t.take(len(ss3), csi)
		case bytes.HasPrefix(t.raw, []byte(pasteOn)):
			t.take(len(pasteOn), "")
			t.pasted = []byte{}
		case b == escape && t.err == nil && begins(t.raw, altEnter, pasteOn, ss3+"A", csi+"1~", csi+"3~", csi+"4~", csi+"7~", csi+"8~"), !utf8.FullRune(t.raw) && t.err == nil:
			return
		default:
			r, n := utf8.DecodeRune(t.raw)
			text := string(r)
			if !typable(r) {
				text = ""
			}
			t.take(n, text)
		}
	}
}

// either reports whether one of a key's sequences comes next: terminals differ, and have two modes.
func (t *translator) either(sequences ...string) bool {
	return slices.ContainsFunc(sequences, func(s string) bool { return bytes.HasPrefix(t.raw, []byte(s)) })
}

// arrow takes a key that is one byte or a sequence of three.
func (t *translator) arrow(first byte, as rune) {
	n := 1
	if first == escape {
		n = len(csi + "D")
	}
	t.take(n, string(as))
}

// inPaste takes more of a paste, and reports whether it took its end.
func (t *translator) inPaste() bool {
	t.pasted = append(t.pasted, t.raw...)
	t.raw = nil
	text, rest, ended := bytes.Cut(t.pasted, []byte(pasteOff))
	if !ended && t.err == nil {
		return false
	}
	t.ready = append(t.ready, t.paste(printable(string(text)))...)
	t.pasted, t.raw = nil, bytes.Clone(rest)
	return true
}

func (t *translator) take(n int, as string) {
	t.raw = t.raw[n:]
	t.ready = append(t.ready, as...)
}

// begins reports whether b is the beginning of one of the words, and not more.
func begins(b []byte, words ...string) bool {
	for _, w := range words {
		if len(b) < len(w) && strings.HasPrefix(w, string(b)) {
			return true
		}
	}
	return false
}

// printable is a pasted text without what would be taken for keys.
func printable(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", "    ").Replace(text)
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || !typable(r) {
			return -1
		}
		return r
	}, text)
}

package lineedit

import (
	"bytes"
	"unicode/utf8"
)

// key is one thing that was pressed or pasted.
type key struct {
	name keyName
	text string // of keyText
}

type keyName int

const (
	keyNone keyName = iota // one that means nothing here
	keyText
	keyEnter
	keyNewline
	keyTab
	keyBackspace
	keyDelete
	keyLeft
	keyRight
	keyUp
	keyDown
	keyHome
	keyEnd
	keyWordLeft
	keyWordRight
	keyKillWord
	keyKillStart
	keyKillEnd
	keyClear
	keyInterrupt
	keyLeave
	keySuspend
)

const (
	escape     = 0x1b
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
	maxPaste   = 4 << 20 // where a terminal forgets to end it
)

// decode takes the first key of what was read, and returns its length: 0 when it is cut.
func decode(b []byte) (key, int) {
	switch {
	case bytes.HasPrefix(b, []byte(pasteBegin)):
		return paste(b)
	case b[0] == escape:
		return sequence(b)
	case b[0] < ' ' || b[0] == 0x7f:
		return key{name: control(b[0])}, 1
	case !utf8.FullRune(b):
		return key{}, 0
	}
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError || r < 0xA0 && r >= 0x80 {
		return key{}, n
	}
	return key{keyText, string(r)}, n
}

func paste(b []byte) (key, int) {
	text, n := b[len(pasteBegin):], len(b)
	if i := bytes.Index(text, []byte(pasteEnd)); i >= 0 {
		text, n = text[:i], len(pasteBegin)+i+len(pasteEnd)
	} else if len(b) < maxPaste {
		return key{}, 0
	}
	return key{keyText, clean(text)}, n
}

// clean takes out of a paste what no person types.
func clean(text []byte) string {
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	return string(bytes.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && (r < 0x7f || r >= 0xa0) && r != utf8.RuneError {
			return r
		}
		return -1
	}, text))
}

func control(c byte) keyName {
	names := map[byte]keyName{
		'A': keyHome, 'B': keyLeft, 'C': keyInterrupt, 'D': keyLeave, 'E': keyEnd, 'F': keyRight, 'H': keyBackspace,
		'I': keyTab, 'J': keyNewline, 'K': keyKillEnd, 'L': keyClear, 'M': keyEnter, 'N': keyDown, 'P': keyUp,
		'U': keyKillStart, 'W': keyKillWord, 'Z': keySuspend, '?': keyBackspace,
	}
	return names[c^0x40]
}

// sequence takes an escape sequence as xterm and its like send them. An escape
// that stands alone is the key of that name.
func sequence(b []byte) (key, int) {
	if len(b) == 1 {
		return key{}, 1
	}
	alt := map[byte]keyName{'b': keyWordLeft, 'f': keyWordRight, '\r': keyNewline, '\n': keyNewline, 0x7f: keyKillWord}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return key{name: csi(string(b[2 : i+1]))}, i + 1
			}
		}
		return key{}, 0
	case 'O':
		if len(b) < 3 {
			return key{}, 0
		}
		return key{name: csi(string(b[2:3]))}, 3
	case escape:
		return key{}, 1
	}
	if !utf8.FullRune(b[1:]) {
		return key{}, 0
	}
	_, n := utf8.DecodeRune(b[1:])
	return key{name: alt[b[1]]}, 1 + n
}

func csi(s string) keyName {
	names := map[string]keyName{
		"A": keyUp, "B": keyDown, "C": keyRight, "D": keyLeft, "H": keyHome, "F": keyEnd, "1~": keyHome, "7~": keyHome,
		"4~": keyEnd, "8~": keyEnd, "3~": keyDelete, "1;3D": keyWordLeft, "1;5D": keyWordLeft, "1;3C": keyWordRight,
		"1;5C": keyWordRight, "13;2u": keyNewline, "13;3u": keyNewline,
	}
	return names[s]
}

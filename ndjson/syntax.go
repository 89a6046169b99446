package ndjson

import (
	"encoding/binary"
	"math/bits"
)

// The functions of this file step over JSON text. Each takes the index at which
// its part begins and returns the index behind it, or one of these.
const (
	bad   = -1 // no text that begins like this is valid
	short = -2 // the text ended too early
)

// maxDepth is the deepest nesting accepted, as in encoding/json.
const maxDepth = 10000

// Valid reports whether data is one JSON value, as encoding/json's Valid does.
func Valid(data []byte) bool {
	end := skipValue(data, skipBlanks(data, 0), 0)
	return end >= 0 && skipBlanks(data, end) == len(data)
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

func skipValue(b []byte, i, depth int) int {
	if i >= len(b) {
		return short
	}
	switch c := b[i]; {
	case c == '"':
		return skipString(b, i)
	case c == '{':
		return skipObject(b, i, depth)
	case c == '[':
		return skipArray(b, i, depth)
	case c == '-' || isDigit(c):
		return skipNumber(b, i)
	case c == 't':
		return skipWord(b, i, "true")
	case c == 'f':
		return skipWord(b, i, "false")
	case c == 'n':
		return skipWord(b, i, "null")
	}
	return bad
}

func skipObject(b []byte, i, depth int) int {
	if depth >= maxDepth {
		return bad
	}
	i = skipBlanks(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		if i = skipKey(b, i); i < 0 {
			return i
		}
		if i = skipValue(b, i, depth+1); i < 0 {
			return i
		}
		i = skipBlanks(b, i)
		if i >= len(b) || b[i] != ',' {
			return skipByte(b, i, '}')
		}
		i = skipBlanks(b, i+1)
	}
}

// skipKey steps over a key, its colon and the blanks up to the value.
func skipKey(b []byte, i int) int {
	if i >= len(b) {
		return short
	}
	if b[i] != '"' {
		return bad
	}
	i = skipString(b, i)
	if i < 0 {
		return i
	}
	i = skipBlanks(b, i)
	if i >= len(b) {
		return short
	}
	if b[i] != ':' {
		return bad
	}
	return skipBlanks(b, i+1)
}

func skipArray(b []byte, i, depth int) int {
	if depth >= maxDepth {
		return bad
	}
	i = skipBlanks(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = skipValue(b, i, depth+1); i < 0 {
			return i
		}
		i = skipBlanks(b, i)
		if i >= len(b) || b[i] != ',' {
			return skipByte(b, i, ']')
		}
		i = skipBlanks(b, i+1)
	}
}

func skipByte(b []byte, i int, want byte) int {
	switch {
	case i >= len(b):
		return short
	case b[i] != want:
		return bad
	}
	return i + 1
}

func skipString(b []byte, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	i++
	for {
		// Eight bytes at once while none is special. A borrow can mark a byte
		// wrongly only above one that is marked rightly, and only the lowest counts.
		for i >= 0 && i < len(b)-7 {
			x := binary.LittleEndian.Uint64(b[i : i+8])
			low := x ^ ones*2 // moves '"' below '!', as all control characters are, and nothing else
			slash := x ^ ones*'\\'
			marks := ((low-ones*'!')&^low | (slash-ones)&^slash) & highs
			if marks != 0 {
				i += bits.TrailingZeros64(marks) / 8
				break
			}
			i += 8
		}
		if i >= len(b) {
			return short
		}
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\' && i+1 < len(b) && isShort(b[i+1]):
			i += 2
		case c == '\\':
			i = skipEscape(b, i)
			if i < 0 {
				return i
			}
		case c < ' ':
			return bad
		default:
			i++ // near the end, where there are no eight bytes
		}
	}
}

// isShort reports whether c makes one of the frequent escapes of one letter.
func isShort(c byte) bool { return c == 'n' || c == '"' || c == 't' || c == '\\' }

func skipEscape(b []byte, i int) int {
	i++
	if i >= len(b) {
		return short
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		return skipHex(b, i+1)
	}
	return bad
}

func skipHex(b []byte, i int) int {
	for end := i + 4; i < end; i++ {
		if i >= len(b) {
			return short
		}
		if c := b[i] | 0x20; !isDigit(b[i]) && (c < 'a' || c > 'f') {
			return bad
		}
	}
	return i
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = skipDigits(b, i); i < 0 {
		return i
	}
	if i < len(b) && b[i] == '.' {
		if i = skipDigits(b, i+1); i < 0 {
			return i
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		i = skipDigits(b, i)
	}
	return i
}

// skipDigits steps over one digit or more.
func skipDigits(b []byte, i int) int {
	if i >= len(b) {
		return short
	}
	if !isDigit(b[i]) {
		return bad
	}
	for i < len(b) && isDigit(b[i]) {
		i++
	}
	return i
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func skipWord(b []byte, i int, word string) int {
	for j := range len(word) {
		if i+j >= len(b) {
			return short
		}
		if b[i+j] != word[j] {
			return bad
		}
	}
	return i + len(word)
}

package stream

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// appendString writes a JSON string. Invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	kept := 0 // s[kept:i] goes out as it is
	for i := plain(s, 0); i < len(s); i = plain(s, i) {
		size, escape := escapeAt(s, i)
		if escape {
			dst = appendEscape(append(dst, s[kept:i]...), s[i:i+size])
			kept = i + size
		}
		i += size
	}
	return append(append(dst, s[kept:]...), '"')
}

// plain returns the index, from i on, of the first byte that is not printable
// ASCII or is a quote or a backslash.
func plain(s string, i int) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
	)
	// Eight bytes at once while none is special. A borrow can mark a byte
	// wrongly only above one that is marked rightly, and only the lowest counts.
	for ; i >= 0 && i < len(s)-7; i += 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		low := x ^ ones*2 // moves '"' below '!', as all control characters are, and nothing else
		slash := x ^ ones*'\\'
		if marks := ((low-ones*'!')&^low | (slash-ones)&^slash | x) & highs; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	for ; i < len(s); i++ {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			break
		}
	}
	return i
}

// escapeAt returns the length of the character at i, which is not plain, and
// whether it must be escaped.
func escapeAt(s string, i int) (size int, escape bool) {
	if s[i] < utf8.RuneSelf {
		return 1, true
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return size, r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029'
}

func appendEscape(dst []byte, c string) []byte {
	const hex = "0123456789abcdef"
	switch c[0] {
	case '"', '\\':
		return append(dst, '\\', c[0])
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	switch {
	case c[0] < ' ':
		return append(dst, '\\', 'u', '0', '0', hex[c[0]>>4], hex[c[0]&0xF])
	case c == "\u2028":
		return append(dst, `\u2028`...)
	case c == "\u2029":
		return append(dst, `\u2029`...)
	}
	return append(dst, `\ufffd`...)
}

// appendCompact writes JSON text without the blanks between its parts.
func appendCompact(dst, text []byte) []byte {
	for len(text) > 0 {
		n := bytes.IndexByte(text, '"')
		if n < 0 {
			n = len(text)
		}
		dst = appendWithoutBlanks(dst, text[:n])
		text = text[n:]
		n = stringEnd(text)
		dst = append(dst, text[:n]...)
		text = text[n:]
	}
	return dst
}

func appendWithoutBlanks(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case ' ', '\t', '\n', '\r':
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// stringEnd returns the index behind the string with which text begins.
func stringEnd(text []byte) int {
	for i := 1; i < len(text); {
		n := bytes.IndexByte(text[i:], '"')
		if n < 0 {
			break
		}
		i += n + 1
		if !escaped(text[:i-1]) {
			return i
		}
	}
	return len(text)
}

// escaped reports whether what follows the text is escaped by its last bytes.
func escaped(text []byte) bool {
	n := len(text)
	for n > 0 && text[n-1] == '\\' {
		n--
	}
	return (len(text)-n)%2 == 1
}

// appendFloat writes a finite number as encoding/json does.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst = append(dst[:n-2], dst[n-1]) // e-09 is e-9
	}
	return dst
}

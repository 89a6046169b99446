package ndjson

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions of this file look at text that is known to be valid JSON, and so
// need not look at every byte.

// stringEnd returns the index behind the string that begins at i.
func stringEnd(b []byte, i int) int {
	for {
		i++
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return len(b)
		}
		i += n
		if b[i-1] != '\\' || !escaped(b[:i]) {
			return i + 1
		}
	}
}

// valueEnd returns the index behind the value that begins at i.
func valueEnd(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return stringEnd(b, i)
	case '{', '[':
		return nestedEnd(b, i)
	}
	for i < len(b) && b[i] > ' ' && b[i] != ',' && b[i] != '}' && b[i] != ']' {
		i++
	}
	return i
}

// nestedEnd returns the index behind the object or array that begins at i.
func nestedEnd(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		i++
		if depth == 0 {
			break
		}
	}
	return i
}

// unescape returns the text of a string, given without its quotes. A surrogate
// without its other half becomes U+FFFD.
func unescape(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for {
		n := bytes.IndexByte(b, '\\')
		if n < 0 || n+1 >= len(b) {
			return append(out, b...)
		}
		out = append(out, b[:n]...)
		c := b[n+1]
		b = b[n+2:]
		switch c {
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, size := unicodeEscape(b)
			out, b = utf8.AppendRune(out, r), b[size:]
		default: // a quote or a slash
			out = append(out, c)
		}
	}
}

// unicodeEscape reads what follows a \u, and the second half of a pair.
func unicodeEscape(b []byte) (r rune, size int) {
	first := hex4(b)
	if !utf16.IsSurrogate(first) {
		return first, min(4, len(b))
	}
	if len(b) >= 10 && b[4] == '\\' && b[5] == 'u' {
		if pair := utf16.DecodeRune(first, hex4(b[6:])); pair != utf8.RuneError {
			return pair, 10
		}
	}
	return utf8.RuneError, min(4, len(b))
}

func hex4(b []byte) rune {
	n, err := strconv.ParseUint(string(b[:min(4, len(b))]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

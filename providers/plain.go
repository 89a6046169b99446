package providers

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain returns text that cannot drive a terminal: without control sequences
// (colors, titles, links, with their 7-bit and 8-bit introducers), without other
// control characters but newline and tab, and without the characters that turn
// the direction of text around. What such a sequence encloses stays.
func Plain(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if !strings.ContainsFunc(text, drives) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if drives(r) {
			return -1
		}
		return r
	}, sequences().ReplaceAllString(text, ""))
}

// drives reports whether a character does something else than to be seen.
func drives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069': // bidi embeddings, overrides, isolates
		return true
	}
	return unicode.IsControl(r)
}

// sequences matches control sequences by ECMA-48. A string that is not
// terminated on its line is no sequence, so that it cannot hide what follows.
func sequences() *regexp.Regexp {
	return regexp.MustCompile(
		`(?:\x1b\[|\x{9b})[0-?]*[ -/]*[@-~]` +
			`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}])[^\x07\x1b\x{9c}\n]*(?:\x07|\x1b\\|\x{9c})` +
			`|\x1b[ -/]*[0-~]`)
}

// Clip is the beginning of a text that may be long, by bytes.
func Clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

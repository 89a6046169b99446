package providers

import (
	"strings"
	"time"
)

// Rule turns a vendor's words into a class. An adapter keeps its rules in one
// table, ordered from the special to the general.
type Rule struct {
	// Words are lower-case substrings; any of them matches. An element may hold
	// several joined by "&": then all of them must occur.
	Words      []string
	Class      Class
	Reason     string
	Retryable  bool
	RetryAfter time.Duration
	Hint       string
}

// Classify returns the error of the first rule that matches the text, with the
// text as its message, or nil.
func Classify(rules []Rule, text string) *Error {
	lower := strings.ToLower(text)
	for _, r := range rules {
		if r.matches(lower) {
			return &Error{
				Class: r.Class, Reason: r.Reason, Message: text, Hint: r.Hint,
				Origin: OriginProvider, Retryable: r.Retryable, RetryAfter: r.RetryAfter,
			}
		}
	}
	return nil
}

func (r Rule) matches(lower string) bool {
	for _, w := range r.Words {
		all := true
		for part := range strings.SplitSeq(w, "&") {
			all = all && strings.Contains(lower, part)
		}
		if all {
			return true
		}
	}
	return false
}

// LastLine returns the last line of stderr that says something, for a message:
// the beginning of it, where it is very long.
func LastLine(stderr string) string {
	stderr = strings.TrimSpace(stderr)
	return Clip(strings.TrimSpace(stderr[strings.LastIndexByte(stderr, '\n')+1:]), 500)
}

// LastWords is that line of stderr as the end of a sentence, "" when there is none.
func (e Exit) LastWords() string {
	if line := LastLine(e.Stderr); line != "" {
		return ": " + line
	}
	return ""
}

// quiet leaves out the lines of stderr that begin with one of noise.
func quiet(stderr string, noise []string) string {
	if len(noise) == 0 {
		return stderr
	}
	var kept strings.Builder
	for line := range strings.Lines(stderr) {
		says := true
		for _, n := range noise {
			says = says && !strings.HasPrefix(line, n)
		}
		if says {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

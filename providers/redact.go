package providers

import (
	"regexp"
	"sort"
	"strings"
)

// Redactor takes secrets out of messages and logs.
type Redactor struct {
	values *strings.Replacer
	shapes []*regexp.Regexp
}

const redacted = "[redacted]"

// NewRedactor knows the values of the variables whose names say that they are
// secret, bearer headers, and the shapes of well-known keys.
func NewRedactor(env []string) *Redactor {
	var values []string
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if SecretName(name) && len(value) >= 6 {
			values = append(values, value)
		}
	}
	sort.Slice(values, func(i, j int) bool { return len(values[i]) > len(values[j]) })
	pairs := make([]string, 0, 2*len(values))
	for _, v := range values {
		pairs = append(pairs, v, redacted)
	}
	return &Redactor{
		values: strings.NewReplacer(pairs...),
		shapes: []*regexp.Regexp{
			regexp.MustCompile(`(?i)\bbearer\s+[A-Za-z0-9._~+/=-]{8,}`),
			regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{16,}`),
			regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{30,}`),
			regexp.MustCompile(`\b(ghp|gho|ghs|ghu|github_pat|glpat)[_-][A-Za-z0-9_]{16,}`),
			regexp.MustCompile(`\bAKIA[A-Z0-9]{16}\b`),
			regexp.MustCompile(`\bxox[abps]-[A-Za-z0-9-]{10,}`),
			regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`),
		},
	}
}

// SecretName reports whether a variable or flag of that name holds a secret.
func SecretName(name string) bool {
	n := strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "HEADERS", "COOKIE"} {
		if strings.Contains(n, word) {
			return true
		}
	}
	return false
}

// Redact returns the text without secrets.
func (r *Redactor) Redact(text string) string {
	if text == "" {
		return text
	}
	text = r.values.Replace(text)
	for _, shape := range r.shapes {
		text = shape.ReplaceAllString(text, redacted)
	}
	return text
}

// plain removes terminal control sequences and carriage returns.
func plain(text string) string {
	ansi := regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[@-Z\\-_]`)
	return strings.ReplaceAll(ansi.ReplaceAllString(text, ""), "\r", "")
}

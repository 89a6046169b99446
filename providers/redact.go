package providers

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"agentrun/ndjson"
)

// Redactor takes secrets out of messages and logs.
type Redactor struct {
	values []string // the longest first
	shapes []shape
}

// shape is what a kind of secret looks like, wherever it comes from.
type shape struct {
	hints   []string              // every match has one of them; finding out that there is none is cheap
	pattern func() *regexp.Regexp // most runs meet none, and compiling all takes a millisecond
}

const redacted = "[redacted]"

// NewRedactor knows the values of the variables whose names say that they are
// secret, as they are and as JSON and URLs write them, and the shapes of
// headers with secrets, of well-known keys, and of passwords in URLs. Encoded
// otherwise (base64, say), a value is found only behind an authorization header.
func NewRedactor(env []string) *Redactor {
	r := &Redactor{shapes: shapes()}
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if SecretName(name) && !number(value) {
			for _, part := range secretParts(value) {
				r.values = append(r.values, spellings(part)...)
			}
		}
	}
	slices.SortFunc(r.values, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	r.values = slices.Compact(r.values)
	return r
}

// Values lists the secret values that it knows, the longest first.
func (r *Redactor) Values() []string { return slices.Clone(r.values) }

// SecretName reports whether a variable or flag of that name holds a secret.
func SecretName(name string) bool {
	n := strings.ToUpper(name)
	for _, part := range []string{"SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "HEADERS", "COOKIE"} {
		if strings.Contains(n, part) {
			return true
		}
	}
	for word := range strings.FieldsFuncSeq(n, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if word == "PASS" || word == "PAT" {
			return true
		}
		word = strings.TrimSuffix(word, "S")
		if strings.HasSuffix(word, "KEY") || strings.HasSuffix(word, "TOKEN") { // not KEYBOARD, KEYRING or TOKENIZER
			return true
		}
	}
	return false
}

// number reports whether a value is a plain number, like a limit of tokens.
func number(value string) bool {
	return len(value) < 10 && strings.Trim(value, "0123456789") == ""
}

// secretParts are the values that a secret may be met as: itself, and the lines
// of a longer one, with and without the name of a header.
func secretParts(value string) []string {
	const least = 6 // shorter, it would be found in ordinary words
	parts := []string{value}
	if strings.Contains(value, "\n") || strings.Contains(value, ": ") {
		for line := range strings.Lines(value) {
			parts = append(parts, strings.TrimSpace(line))
			if _, rest, ok := strings.Cut(line, ": "); ok {
				parts = append(parts, strings.TrimSpace(rest))
			}
		}
	}
	return slices.DeleteFunc(parts, func(p string) bool { return len(p) < least })
}

// spellings are the ways in which JSON text and URLs write a value.
func spellings(value string) []string {
	list := []string{value, url.QueryEscape(value), url.PathEscape(value)}
	if quoted, err := ndjson.Marshal(value); err == nil {
		list = append(list, string(quoted[1:len(quoted)-1]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func shapes() []shape {
	secret := func(pattern string, hints ...string) shape {
		return shape{hints, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
	}
	return []shape{
		secret(`(?i)\bbearer\s+(?:[A-Za-z.-]*[0-9_~+/=][A-Za-z0-9._~+/=-]*|[A-Za-z.-]{21,})`, "earer", "EARER"),
		secret(`(?i)\bauthorization[\\"']*\s*[:=]\s*[\\"']*[a-z]+\s+[A-Za-z0-9+/=._~-]{6,}`, "uthorization", "UTHORIZATION"),
		secret(`(?i)\bapi-key[\\"']*\s*[:=]\s*[\\"']*[A-Za-z0-9._~+/=-]{8,}`, "pi-key", "PI-KEY", "pi-Key"),
		secret(`[?&](?:key|token|access_token|api_key)=[A-Za-z0-9._~%-]{8,}`, "key=", "token="),
		secret(`\b[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@"'\\]*:[^/\s@"'\\]+@`, "://"),
		secret(`\bsk-[A-Za-z0-9_-]{16,}`, "sk-"),
		secret(`\bAIza[A-Za-z0-9_-]{30,}`, "AIza"),
		secret(`\bya29\.[A-Za-z0-9_-]{16,}`, "ya29."),
		secret(`\b(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{16,}`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		secret(`\bglpat-[A-Za-z0-9_-]{16,}`, "glpat-"),
		secret(`\b(?:npm|hf|gsk)_[A-Za-z0-9]{30,}`, "npm_", "hf_", "gsk_"),
		secret(`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`, "AKIA", "ASIA"),
		secret(`\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}`, "xox", "xapp-"),
		secret(`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`, "eyJ"),
		secret(`-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*`, "PRIVATE KEY"),
	}
}

func (s shape) mayBeIn(text string) bool {
	return slices.ContainsFunc(s.hints, func(hint string) bool { return strings.Contains(text, hint) })
}

// Redact returns the text without secrets.
func (r *Redactor) Redact(text string) string {
	for _, v := range r.values {
		text = strings.ReplaceAll(text, v, redacted)
	}
	for _, s := range r.shapes {
		if s.mayBeIn(text) {
			text = s.pattern().ReplaceAllString(text, redacted)
		}
	}
	return text
}

// redactJSON is Redact for one JSON value, which stays one. Nil stays nil.
func (r *Redactor) redactJSON(value []byte) []byte {
	if len(value) == 0 {
		return value
	}
	text := string(value)
	clean := r.Redact(text)
	switch {
	case clean == text:
		return value
	case ndjson.Valid([]byte(clean)):
		return []byte(clean)
	}
	return []byte(`"` + redacted + `"`)
}

// RedactArgs returns arguments without secrets, those included that a flag's
// name gives away.
func (r *Redactor) RedactArgs(args []string) []string {
	clean := make([]string, len(args))
	secret := false // the next one
	for i, arg := range args {
		name, value, joined := strings.Cut(arg, "=")
		flag := strings.HasPrefix(arg, "-")
		switch {
		case secret && !flag && !number(arg):
			clean[i] = redacted
		case flag && joined && SecretName(name) && !number(value):
			clean[i] = name + "=" + redacted
		default:
			clean[i] = r.Redact(arg)
		}
		secret = flag && !joined && SecretName(name)
	}
	return clean
}

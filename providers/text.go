package providers

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"agentrun/ndjson"
)

// Nearest returns the candidate that a mistyped word most likely meant, or "".
func Nearest(word string, candidates []string) string {
	best, limit := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(normal(word), normal(c)); d < limit {
			best, limit = c, d
		}
	}
	return best
}

func normal(s string) string {
	return strings.ReplaceAll(strings.ToLower(s), "-", "_")
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}

// CompareVersions compares dotted version numbers: negative when a is older.
// What follows a dash, and parts that are not numbers, count as 0.
func CompareVersions(a, b string) int {
	as, bs := versionParts(a), versionParts(b)
	for i := range max(len(as), len(bs)) {
		if d := part(as, i) - part(bs, i); d != 0 {
			return d
		}
	}
	return 0
}

func versionParts(v string) []string {
	v, _, _ = strings.Cut(v, "-")
	return strings.Split(v, ".")
}

func part(parts []string, i int) int {
	if i >= len(parts) {
		return 0
	}
	n, err := strconv.Atoi(parts[i])
	if err != nil {
		return 0
	}
	return n
}

// clip is the beginning of a text, for a message.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// asText is a tool's output as text.
func asText(raw ndjson.RawMessage) string {
	var s string
	if ndjson.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
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

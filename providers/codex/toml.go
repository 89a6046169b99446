package codex

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// quote writes a TOML basic string. codex takes a value that is not TOML as raw
// text, so a slip here would go unnoticed.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// inline writes a decoded JSON value as TOML on one line, the keys sorted. A
// null has no form in TOML: in a table its key is left out.
func inline(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return quote(v), nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return number(v), nil
	case []any:
		return array(v)
	case map[string]any:
		return table(v)
	}
	return "", fmt.Errorf("null has no place in a list")
}

func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	s := strconv.FormatFloat(x, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func array(list []any) (string, error) {
	parts := make([]string, len(list))
	for i, e := range list {
		s, err := inline(e)
		if err != nil {
			return "", err
		}
		parts[i] = s
	}
	return "[" + strings.Join(parts, ",") + "]", nil
}

func table(t map[string]any) (string, error) {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(t)) {
		if t[k] == nil {
			continue
		}
		s, err := inline(t[k])
		if err != nil {
			return "", fmt.Errorf("%s: %w", k, err)
		}
		parts = append(parts, key(k)+"="+s)
	}
	return "{" + strings.Join(parts, ",") + "}", nil
}

func key(k string) string {
	if isBareKey(k) {
		return k
	}
	return quote(k)
}

func isBareKey(k string) bool {
	for _, c := range []byte(k) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return k != ""
}

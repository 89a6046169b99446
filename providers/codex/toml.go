package codex

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentrun/providers"
)

// inline writes a decoded JSON value as TOML on one line, the keys sorted. A
// null has no form in TOML: in a table its key is left out.
func inline(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return providers.QuoteTOML(v), nil
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
	return providers.QuoteTOML(k)
}

func isBareKey(k string) bool {
	for _, c := range []byte(k) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return k != ""
}

package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// values is what would be typed for the value, if it is of the key's kind. A key
// without a kind takes any that can be typed.
func (p *parser) values(l leaf, key Key, name string) ([]string, error) {
	bad := func() error { return l.wrongValue(name, expected(key)) }
	if list, ok := l.value.([]any); ok {
		if key.Kind != List && key.Kind != Texts && key.Kind != "" {
			return nil, bad()
		}
		words := []string{}
		for _, e := range list {
			text, ok := e.(string)
			if !ok {
				return nil, bad()
			}
			words = append(words, text)
		}
		return words, p.choices(l, key, name, words)
	}
	text, ok := typed(l.value)
	if !ok || !fits(key, l.value, text) {
		return nil, bad()
	}
	return []string{text}, p.choices(l, key, name, []string{text})
}

// choices holds values against those that there are.
func (p *parser) choices(l leaf, key Key, name string, words []string) error {
	for _, w := range words {
		if len(key.Choices) > 0 && !slices.Contains(key.Choices, w) {
			return l.at.errorf(p.schema.meant(w, key.Choices, ""), "%s: %q is none of %s", name, w, strings.Join(key.Choices, ", "))
		}
	}
	return nil
}

// typed is a value as it would be typed.
func typed(value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	}
	return "", false
}

func fits(key Key, value any, text string) bool {
	switch key.Kind {
	case Text, Texts:
		_, ok := value.(string)
		return ok
	case Bool:
		_, ok := value.(bool)
		return ok
	case Int:
		n, ok := value.(int64)
		return ok && n >= 0
	case Number:
		x, err := strconv.ParseFloat(text, 64)
		_, quoted := value.(string)
		return err == nil && x >= 0 && !quoted
	case Duration:
		d, err := time.ParseDuration(text)
		_, quoted := value.(string)
		return err == nil && d >= 0 && (quoted || d == 0)
	case List:
		return false
	}
	return true
}

// expected says what a key wants.
func expected(key Key) string {
	switch key.Kind {
	case Bool:
		return "true or false, without quotes"
	case Int:
		return "a whole number of at least 0, without quotes"
	case Number:
		return "a number of at least 0, without quotes"
	case Duration:
		return `a time in quotes, like "90s" or "10m"`
	case List:
		return `a list of texts, like ["one", "two"]`
	case Text:
		return "a text in quotes"
	case Texts:
		return "a text in quotes, or a list of such"
	}
	return "a text, a number, true, false, or a list of texts"
}

func (l leaf) wrongValue(name, want string) error {
	return l.at.errorf("", "%s wants %s, found %s", name, want, found(l.value))
}

func found(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("the text %q", v)
	case bool, int64, float64:
		text, _ := typed(v)
		return text
	case []any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}

// allowed refuses what a repository's file must not say.
func (l leaf) allowed(key Key, name string, values []string) error {
	flag := "--" + name
	if field, ok := strings.CutPrefix(name, fieldsTable+"."); ok {
		flag = "--set " + field + "=VALUE"
	}
	out := "put it into your own file (see `agentrun config path`), or type " + flag
	switch {
	case key.Reach == UserOnly:
		return l.at.errorf(out, "a repository's file cannot set %s", name)
	case key.Only != "" && !slices.Equal(values, []string{key.Only}):
		return l.at.errorf(out, "a repository's file can set %s to %s alone", name, key.Only)
	case slices.ContainsFunc(values, smuggles):
		// Vendors parse their command lines each in their own way: gemini takes
		// the second of `--model --yolo` for a flag.
		return l.at.errorf(out, "a repository's file cannot give %s a value that looks like a flag", name)
	case key.Reach == Tighten && key.Kind != List && limit(key.Kind, values[0]) == 0:
		return l.at.errorf(out, "a repository's file cannot lift a limit: %s = %s", name, values[0])
	}
	return nil
}

// smuggles reports whether a value could be taken for more than a value.
func smuggles(value string) bool {
	return strings.HasPrefix(strings.TrimSpace(value), "-") || strings.ContainsFunc(value, unicode.IsControl)
}

// limit is a limit's value for comparison.
func limit(kind Kind, text string) float64 {
	if kind == Duration {
		d, _ := time.ParseDuration(text) // checked when it was read
		return float64(d)
	}
	x, _ := strconv.ParseFloat(text, 64) // checked as well
	return x
}

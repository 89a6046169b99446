package policy

import (
	"fmt"
	"regexp"
	"strings"
)

func each[T any](k entry, of func(string) T) ([]T, error) {
	words, err := k.texts()
	if err != nil {
		return nil, err
	}
	list := make([]T, len(words))
	for i, w := range words {
		list[i] = of(w)
	}
	return list, nil
}

func (k entry) regexp() (*regexp.Regexp, error) {
	text, err := k.text()
	if err != nil {
		return nil, err
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, k.place.errorf("the syntax is that of https://pkg.go.dev/regexp/syntax", "%s: %s", k.name, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re, nil
}

func (k entry) paths() ([]pathGlob, error) {
	words, err := k.texts()
	if err != nil {
		return nil, err
	}
	for _, w := range words {
		for name := range strings.SplitSeq(w, "/") {
			switch {
			case name == "..":
				return nil, k.place.errorf("write an absolute path, or path = \"outside\"", "%s: %q leads up", k.name, w)
			case strings.Contains(name, "**") && name != "**":
				return nil, k.place.errorf("** stands for directories, like src/**/*.go", "%s: %q has a ** beside other characters", k.name, w)
			}
		}
		if strings.HasPrefix(w, "~") && !strings.HasPrefix(w, "~/") {
			return nil, k.place.errorf("write ~/ for the home, or ./~ for a file of that name", "%s: %q is no path below the home", k.name, w)
		}
	}
	return each(k, newPathGlob)
}

func (k entry) depth() (int, error) {
	n, ok := k.value.(int64)
	if !ok || n < 0 || n > 1000 {
		return 0, k.wants("a whole number of at least 0; 0 is the main conversation")
	}
	return int(n), nil
}

func (k entry) text() (string, error) {
	text, ok := k.value.(string)
	if !ok || text == "" {
		return "", k.wants("a text in quotes")
	}
	return text, nil
}

// texts is a text or a list of texts.
func (k entry) texts() ([]string, error) {
	list, ok := k.value.([]any)
	if !ok {
		list = []any{k.value}
	}
	var words []string
	for _, v := range list {
		text, ok := v.(string)
		if !ok || text == "" {
			return nil, k.wants("a text in quotes, or a list of such")
		}
		words = append(words, text)
	}
	if len(words) == 0 {
		return nil, k.wants("a text in quotes, or a list of such")
	}
	return words, nil
}

func (k entry) wants(what string) error {
	return k.place.errorf("", "%s wants %s", k.name, what)
}

func (p Place) errorf(hint, format string, args ...any) *Error {
	return &Error{Place: p, Message: fmt.Sprintf(format, args...), Hint: hint}
}

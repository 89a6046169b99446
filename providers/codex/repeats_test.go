package codex

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"
)

// TestRepeats: a word is a message, "!" a new try, "." a tool call; those that are
// said again are in capitals.
func TestRepeats(t *testing.T) {
	many := strings.Fields(strings.Repeat("x ", mostSaid+1))
	for i := range many {
		many[i] = fmt.Sprint("m", i)
	}
	all := strings.Join(many, " ")
	for said, want := range map[string]string{
		"a b a":           "a b a",
		"a b ! a b c":     "a b ! A B c",
		"a b ! b a":       "a b ! B a",
		"a b ! c a":       "a b ! c a",
		"a b ! a ! a b":   "a b ! A ! A b",
		"a ! ! a":         "a ! ! A",
		"a . ! a":         "a . ! a",
		"a ! . a":         "a ! . a",
		"! a":             "! a",
		all + " ! " + all: all + " ! " + strings.ToUpper(strings.Join(many[:mostSaid], " ")) + " " + many[mostSaid],
	} {
		r := repeats{seed: maphash.MakeSeed()}
		var got []string
		for word := range strings.FieldsSeq(said) {
			switch {
			case word == "!":
				r.again()
			case word == ".":
				r.settle()
			case r.seen(word):
				word = strings.ToUpper(word)
			}
			got = append(got, word)
		}
		if words := strings.Join(got, " "); words != want {
			t.Errorf("%s: got %s, want %s", said, words, want)
		}
	}
}

package acp

import (
	"errors"
	"strings"

	"agentrun/ndjson"
)

// split makes words of a command line as a POSIX shell would, without any of
// its expansions. A JSON array of strings is taken as it is.
func split(line string) ([]string, error) {
	if strings.HasPrefix(strings.TrimSpace(line), "[") {
		var words []string
		if err := ndjson.Unmarshal([]byte(line), &words); err == nil {
			return words, nil
		}
	}
	var s splitter
	for _, c := range line {
		s.take(c)
	}
	if s.quote != 0 || s.escaped {
		return nil, errors.New("a quote or backslash is left open")
	}
	s.end()
	return s.words, nil
}

type splitter struct {
	words   []string
	word    strings.Builder
	begun   bool // a word, maybe an empty one in quotes
	quote   rune
	escaped bool
}

func (s *splitter) take(c rune) {
	switch {
	case s.escaped:
		if s.quote == '"' && c != '"' && c != '\\' {
			s.word.WriteByte('\\')
		}
		s.word.WriteRune(c)
		s.escaped = false
	case c == '\\' && s.quote != '\'':
		s.escaped, s.begun = true, true
	case c == s.quote:
		s.quote = 0
	case s.quote != 0:
		s.word.WriteRune(c)
	case c == '\'' || c == '"':
		s.quote, s.begun = c, true
	case strings.ContainsRune(" \t\r\n", c):
		s.end()
	default:
		s.word.WriteRune(c)
		s.begun = true
	}
}

func (s *splitter) end() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

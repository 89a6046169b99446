package ndjson

import "bytes"

// boundary looks for the end of the object with which its text begins, while
// the text still grows. It counts braces outside strings and checks nothing
// else: where the object is valid, this is its end.
type boundary struct {
	at       int // index of the next byte to look at
	depth    int
	inString bool
	found    bool
}

// find returns the index behind the object, once. It is given the same text
// again and again, each time with more at its end, and looks at each byte once.
func (s *boundary) find(b []byte) (end int, ok bool) {
	for !s.found && s.at < len(b) {
		if s.inString {
			s.skipString(b)
			continue
		}
		switch b[s.at] {
		case '"':
			s.inString = true
		case '{':
			s.depth++
		case '}':
			s.depth--
			s.found = s.depth == 0
		}
		s.at++
		ok = s.found
	}
	return s.at, ok
}

// skipString goes behind the closing quote, or to the end of the text.
func (s *boundary) skipString(b []byte) {
	i := bytes.IndexByte(b[s.at:], '"')
	if i < 0 {
		s.at = len(b)
		return
	}
	s.at += i + 1
	s.inString = escaped(b[:s.at-1])
}

// escaped reports whether what follows the text is escaped by its last bytes.
func escaped(b []byte) bool {
	n := len(b)
	for n > 0 && b[n-1] == '\\' {
		n--
	}
	return (len(b)-n)%2 == 1
}

package lineedit

import (
	"slices"

	"agentrun/render"
)

// line is the text that is being typed, and where in it the cursor stands. It
// may have several lines. The cursor never stands within what is one character
// to the eye.
type line struct {
	text []rune
	at   int
}

func (l *line) set(s string) {
	l.text = []rune(s)
	l.at = len(l.text)
}

func (l *line) insert(s string) {
	runes := []rune(s)
	l.text = slices.Insert(l.text, l.at, runes...)
	l.at += len(runes)
}

func (l *line) cut(from, to int) {
	l.text = slices.Delete(l.text, from, to)
	l.at = from
}

const joiner = 0x200d // makes one emoji of two

// joined reports whether the rune at i goes with the one before it.
func (l *line) joined(i int) bool {
	return i > 0 && i < len(l.text) && l.text[i] != '\n' && l.text[i] != '\t' &&
		(render.Width(string(l.text[i])) == 0 || l.text[i] == 0xfe0f || l.text[i-1] == joiner)
}

func (l *line) before(i int) int {
	for i = max(i-1, 0); l.joined(i); i-- {
	}
	return i
}

func (l *line) behind(i int) int {
	for i = min(i+1, len(l.text)); l.joined(i); i++ {
	}
	return i
}

// wordBefore is where the word to the left begins.
func (l *line) wordBefore() int {
	i := l.at
	for i > 0 && blank(l.text[i-1]) {
		i--
	}
	for i > 0 && !blank(l.text[i-1]) {
		i--
	}
	return i
}

// wordBehind is where the word to the right ends.
func (l *line) wordBehind() int {
	i := l.at
	for i < len(l.text) && blank(l.text[i]) {
		i++
	}
	for i < len(l.text) && !blank(l.text[i]) {
		i++
	}
	return i
}

func blank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' }

// start and end are those of the line of the text that the cursor is in.
func (l *line) start() int {
	i := l.at
	for i > 0 && l.text[i-1] != '\n' {
		i--
	}
	return i
}

func (l *line) end() int {
	i := l.at
	for i < len(l.text) && l.text[i] != '\n' {
		i++
	}
	return i
}

// up goes to the line above; false where there is none.
func (l *line) up() bool {
	start := l.start()
	if start == 0 {
		return false
	}
	column := l.at - start
	l.at = start - 1
	l.at = min(l.start()+column, l.at)
	return true
}

// down goes to the line below; false where there is none.
func (l *line) down() bool {
	end := l.end()
	if end == len(l.text) {
		return false
	}
	column := l.at - l.start()
	l.at = end + 1
	l.at = min(l.at+column, l.end())
	return true
}

// edit carries out a key that changes the text or moves in it, and no other.
func (l *line) edit(k key) {
	switch k.name {
	case keyText:
		l.insert(k.text)
	case keyNewline:
		l.insert("\n")
	case keyBackspace:
		l.cut(l.before(l.at), l.at)
	case keyDelete:
		l.cut(l.at, l.behind(l.at))
	case keyKillWord:
		l.cut(l.wordBefore(), l.at)
	case keyKillStart:
		l.cut(l.start(), l.at)
	case keyKillEnd:
		l.cut(l.at, l.end())
	default:
		l.move(k.name)
	}
}

func (l *line) move(name keyName) {
	switch name {
	case keyLeft:
		l.at = l.before(l.at)
	case keyRight:
		l.at = l.behind(l.at)
	case keyHome:
		l.at = l.start()
	case keyEnd:
		l.at = l.end()
	case keyWordLeft:
		l.at = l.wordBefore()
	case keyWordRight:
		l.at = l.wordBehind()
	default: // no matter of the line
	}
}

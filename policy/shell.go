package policy

import (
	"regexp"
	"slices"
	"strings"
)

// script is a shell command taken apart, as far as that is needed to know what a
// pattern may speak of. It is no shell: what it does not know it holds for dangerous.
type script struct {
	whole string
	// parts are the simple commands that operators join, as they are written.
	parts []string
	// opaque says why the parts are not all that happens, "" when they are.
	opaque string
	// pieces are all texts that may be a command of their own, those in
	// substitutions and behind words like sudo too, also with their quotes removed.
	pieces []string
}

// harmless is a redirection that writes nothing: to another stream or to nowhere.
func harmless() *regexp.Regexp {
	return regexp.MustCompile(`^(?:>&\d|<&\d|>>?\s*/dev/null|<\s*/dev/null)(?:[\s;&|)]|$)`)
}

// takeApart reads a shell command.
func takeApart(command string) script {
	command = strings.TrimSpace(unwrapped(command))
	s := script{whole: command}
	r := reader{script: &s, harmless: harmless()}
	r.read(command)
	s.pieces = append(s.pieces, command)
	for _, p := range slices.Clone(s.pieces) {
		for bare := bareCommand(p); bare != "" && bare != p; p, bare = bare, bareCommand(bare) {
			s.pieces = append(s.pieces, bare)
		}
	}
	for _, p := range slices.Clone(s.pieces) {
		if plain := strings.Join(words(p), " "); plain != p {
			s.pieces = append(s.pieces, plain)
		}
	}
	return s
}

type reader struct {
	script      *script
	harmless    *regexp.Regexp
	part, piece int // where they begin
	quote       byte
}

func (r *reader) read(text string) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case r.quote == '\'':
			if c == '\'' {
				r.quote = 0
			}
		case c == '\\':
			i++
		case c == '"' && r.quote == '"':
			r.quote = 0
		case c == '`' || c == '$' && i+1 < len(text) && text[i+1] == '(':
			r.hide("it has a command substitution")
			r.endPiece(text, i, i+len(substitution(c)))
		case r.quote == '"' && c == ')':
			r.endPiece(text, i, i+1)
		case r.quote == '"':
		case c == '\'' || c == '"':
			if i > 0 && text[i-1] == '$' {
				r.hide("it has a $-quote")
			}
			r.quote = c
		default:
			i += r.unquoted(text, i)
		}
	}
	if r.quote != 0 {
		r.hide("a quote is not closed")
	}
	r.endPart(text, len(text), len(text))
}

// unquoted takes a character outside of quotes, and returns how many more it took.
func (r *reader) unquoted(text string, i int) int {
	switch text[i] {
	case ';', '|', '&', '\n':
		r.endPart(text, i, i+1)
	case '(', ')', '{', '}':
		if text[i] == '(' || text[i] == ')' {
			r.hide("it has parentheses")
		}
		r.endPiece(text, i, i+1)
	case '#':
		if i == 0 || strings.IndexByte(" \t\n;&|()", text[i-1]) >= 0 {
			r.hide("it has a comment") // in which a quote is none
		}
	case '>', '<':
		if ok := r.harmless.FindString(text[i:]); ok != "" {
			return len(strings.TrimRight(ok, " \t\n;&|)")) - 1
		}
		r.hide("it redirects")
	}
	return 0
}

// substitution is what begins a command substitution with that character.
func substitution(c byte) string {
	if c == '$' {
		return "$("
	}
	return "`"
}

func (r *reader) hide(why string) {
	if r.script.opaque == "" {
		r.script.opaque = why
	}
}

func (r *reader) endPart(text string, end, next int) {
	if part := strings.TrimSpace(text[r.part:end]); part != "" {
		r.script.parts = append(r.script.parts, part)
	}
	r.part = next
	r.endPiece(text, end, next)
}

func (r *reader) endPiece(text string, end, next int) {
	if piece := strings.TrimSpace(text[min(r.piece, end):end]); piece != "" {
		r.script.pieces = append(r.script.pieces, piece)
	}
	r.piece = next
}

// unwrapped is the script of `bash -lc 'script'`, as codex runs all commands.
func unwrapped(command string) string {
	w := words(command)
	if len(w) != 3 || (w[1] != "-c" && w[1] != "-lc") {
		return command
	}
	switch w[0][strings.LastIndexByte(w[0], '/')+1:] {
	case "sh", "bash", "zsh", "dash":
		return w[2]
	}
	return command
}

// bareCommand is a command without a word in front of it that is none itself.
func bareCommand(command string) string {
	first, rest, _ := strings.Cut(strings.TrimSpace(command), " ")
	rest = strings.TrimSpace(rest)
	name, _, assigns := strings.Cut(first, "=")
	if assigns && name != "" && !strings.ContainsAny(name, `/'"$`) {
		return rest
	}
	if slices.Contains([]string{
		"if", "then", "elif", "else", "while", "until", "do", "!", "time", "exec", "command", "builtin", "eval",
		"sudo", "doas", "env", "nohup", "nice", "setsid", "timeout", "xargs",
	}, first) {
		return rest
	}
	if (strings.HasPrefix(first, "-") || strings.Trim(first, "0123456789smhd") == "") && first != "" {
		return rest // an option or a time of one of these
	}
	return command
}

// words are a command's words without their quotes.
func words(command string) []string {
	var list []string
	var word strings.Builder
	var quote byte
	begun := false
	end := func() {
		if begun {
			list = append(list, word.String())
		}
		word.Reset()
		begun = false
	}
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote == 0 && strings.IndexByte(" \t\n", c) >= 0:
			end()
			continue
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(command):
			i++
			word.WriteByte(command[i])
		default:
			word.WriteByte(c)
		}
		begun = true
	}
	end()
	return list
}

package codex

import "strings"

// script is the command that a shell runs, out of codex's "/bin/bash -lc 'words'";
// another command is returned as it is.
func script(command string) string {
	words, ok := shellWords(command)
	if !ok || len(words) != 3 || words[1] != "-lc" && words[1] != "-c" {
		return command
	}
	return words[2]
}

// shellWords splits a command as codex quoted it: POSIX quotes and backslashes,
// nothing to expand.
func shellWords(command string) (words []string, ok bool) {
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case c == '\\' && quote != '\'' && i+1 < len(command):
			i++
			if quote == '"' && !strings.ContainsRune("\\\"$`", rune(command[i])) {
				word.WriteByte(c)
			}
			word.WriteByte(command[i])
			in = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case quote == 0 && c == ' ':
			if in {
				words = append(words, word.String())
			}
			word.Reset()
			in = false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, quote == 0
}

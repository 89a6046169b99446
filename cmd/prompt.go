package cmd

import (
	"errors"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"agentrun/providers"
)

// readPrompt finds the prompt: the argument, a file, or our stdin, which is read
// only when nothing else was given, for "-", and for --stdin.
//
// A run that needs no prompt may have none.
func readPrompt(sys IO, f *runFlags, args []string, needed bool) (string, error) {
	given := len(args) > 1
	if !given && f.promptFile == "" && !f.stdin && !needed {
		return "", nil
	}
	if given && f.promptFile != "" {
		return "", providers.Errorf(providers.Usage, "", "a prompt as argument and --prompt-file exclude each other")
	}
	var prompt string
	switch {
	case f.promptFile != "" && f.promptFile != "-":
		file, err := os.Open(f.promptFile)
		if err == nil {
			prompt, err = readAll(file)
			_ = file.Close()
		}
		if err != nil {
			return "", providers.Errorf(providers.Usage, "", "--prompt-file: %w", err)
		}
	case given && args[1] != "-":
		prompt = args[1]
	default:
		if f.stdin {
			return "", providers.Errorf(providers.Usage, "", "--stdin appends stdin to a prompt, and there is none beside it").
				WithHint("give PROMPT or --prompt-file; without them stdin is the prompt anyway")
		}
		if !given && f.promptFile == "" && sys.InTTY {
			return "", providers.Errorf(providers.Usage, "", "no prompt").
				WithHint("give it as an argument, with --prompt-file, or on stdin (\"-\" to type it)")
		}
		return checkPrompt(readAll(sys.In))
	}
	if !f.stdin {
		return checkPrompt(prompt, nil)
	}
	more, err := readAll(sys.In)
	return checkPrompt(strings.TrimRight(prompt, "\n")+"\n\n"+more, err)
}

// readAll reads what no model could take at most.
func readAll(r io.Reader) (string, error) {
	const most = 64 << 20
	data, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && len(data) > most {
		err = errors.New("more than 64 MiB")
	}
	return string(data), err
}

func checkPrompt(prompt string, err error) (string, error) {
	switch {
	case err != nil:
		return "", providers.Errorf(providers.Usage, "", "reading the prompt: %w", err)
	case strings.TrimSpace(prompt) == "":
		return "", providers.Errorf(providers.Usage, "empty_prompt", "the prompt is empty").
			WithHint("give it as an argument, with --prompt-file, or on stdin")
	case !utf8.ValidString(prompt):
		return "", providers.Errorf(providers.Usage, "encoding", "the prompt is not UTF-8")
	case strings.ContainsRune(prompt, 0):
		return "", providers.Errorf(providers.Usage, "encoding", "the prompt has a NUL byte")
	}
	return prompt, nil
}

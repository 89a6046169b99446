package codex

import (
	"strings"
	"unicode/utf8"

	"agentrun/providers"
)

const (
	maxPromptChars      = 1 << 20 // codex 0.171.0: "Input exceeds the maximum length of 1048576 characters"
	reasonPromptTooLong = "prompt_too_long"
	reasonEmptyPrompt   = "empty_prompt"
	bom                 = "\ufeff"
)

// stdin is what codex is fed: it takes a prompt there as it is, but for one byte
// order mark at the start.
func stdin(r providers.Request) []byte {
	if r.Prompt == "" {
		return nil
	}
	if strings.HasPrefix(r.Prompt, bom) && r.Fenced(fenceBOM) {
		return []byte(bom + r.Prompt)
	}
	return []byte(r.Prompt)
}

func checkPrompt(r providers.Request, f *fields) error {
	if f.Review != "" && f.Review != reviewPrompt {
		if r.Prompt != "" {
			return providers.Errorf(providers.Usage, "", "review: a review of %s takes no prompt", f.Review).
				WithHint("leave the prompt out, or say in it what to review with review=%s", reviewPrompt)
		}
		return nil
	}
	if strings.TrimSpace(strings.TrimPrefix(r.Prompt, bom)) == "" {
		return providers.Errorf(providers.Usage, reasonEmptyPrompt, "the prompt is empty")
	}
	return checkText(r.Prompt)
}

// checkText refuses words that codex does not take.
func checkText(text string) error {
	if !utf8.ValidString(text) {
		return providers.Errorf(providers.Usage, "", "the prompt is not valid UTF-8, and codex takes nothing else")
	}
	if n := utf8.RuneCountInString(text); n > maxPromptChars {
		return providers.Errorf(providers.Usage, reasonPromptTooLong, "the prompt has %d characters, and codex takes %d", n, maxPromptChars).
			WithHint("put the material into a file and name the file in the prompt")
	}
	return nil
}

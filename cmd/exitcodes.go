package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
)

// The statuses that are not the class of an error.
const (
	statusHUP        = 129
	statusINT        = 130
	statusQUIT       = 131
	statusReaderGone = 141
	statusTERM       = 143
)

// exitMeaning says what a class's status means to a user.
func exitMeaning(c providers.Class) string {
	switch c {
	case providers.Agent:
		return "the vendor says that it failed, and nothing below fits"
	case providers.Usage:
		return "bad flag, field, schema or prompt; found before anything started"
	case providers.Unsupported:
		return "the provider or its version cannot do what was asked for"
	case providers.Auth:
		return "not logged in, bad key, 401, 403"
	case providers.Quota:
		return "rate limit, plan limit, credit"
	case providers.Context:
		return "prompt or history too long for the model"
	case providers.Protocol:
		return "the vendor's stream is broken, cut or of an unknown kind"
	case providers.Process:
		return "the vendor crashed, or a signal not ours ended it; our output cannot be written"
	case providers.Session:
		return "session not found, busy, not the one asked for, or without work"
	case providers.Permission:
		return "denied under --strict, by a hook, no sandbox, untrusted workspace, path escape"
	case providers.Limit:
		return "turn limit, cost limit, output cut"
	case providers.Refusal:
		return "the model refused"
	case providers.Unavailable:
		return "network down, stream cut, 5xx, overloaded; try again"
	case providers.StructuredOutput:
		return "a schema was given and no value fits it"
	case providers.Timeout:
		return "no start, no progress, or too long in all"
	case providers.NotFound:
		return "the vendor's program is missing or cannot be run; the hint says what to do"
	}
	return ""
}

func newExitCodes() *cobra.Command {
	var b strings.Builder
	row := func(status any, class, meaning string) { fmt.Fprintf(&b, "  %-4v %-18s %s\n", status, class, meaning) }
	b.WriteString("Programs act on the exit status, or on metadata.class of the error chunk; never on\nthe message. The statuses are the same for every provider.\n\n")
	row(0, "-", "success")
	for _, c := range providers.Classes() {
		row(c.ExitStatus(), string(c), exitMeaning(c))
	}
	row(statusHUP, "-", "ended by HUP")
	row(statusINT, "-", "ended by INT (Ctrl-C)")
	row(statusQUIT, "-", "ended by QUIT (Ctrl-\\)")
	row(statusReaderGone, "-", "the reader of our output went away")
	row(statusTERM, "-", "ended by TERM")
	return &cobra.Command{Use: "exit-codes", Short: "The exit statuses and what they mean", Long: strings.TrimRight(b.String(), "\n")}
}

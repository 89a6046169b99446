// Package cmd is the command line: flags in, exit status out.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
)

// Main runs one command line and returns the exit status.
func Main(args []string, sys IO) int { return mainUntil(context.Background(), args, sys) }

// mainUntil is Main for a command line that the end of ctx ends.
func mainUntil(ctx context.Context, args []string, sys IO) int {
	help := &remembering{Writer: sys.Out}
	root := newRoot(sys, help)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = help.err
	}
	err = unwritable(err)
	var told exitStatus
	if err != nil && !errors.As(err, &told) {
		fail(sys.Err, err)
	}
	return statusOf(err)
}

// remembering keeps the first failure of its writer: cobra looks at none when it
// prints help.
type remembering struct {
	io.Writer
	err error
}

func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	if r.err == nil {
		r.err = err
	}
	return n, err
}

// unwritable gives a failed write its class: it is nobody's mistake of usage.
func unwritable(err error) error {
	var e *providers.Error
	var failed *fs.PathError
	if errors.As(err, &e) || !errors.As(err, &failed) || failed.Op != "write" {
		return err
	}
	return writeFailed(err)
}

// statusOf is the exit status of a command that ended with an error, or with none.
func statusOf(err error) int {
	var status exitStatus
	var e *providers.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &e):
		return e.Class.ExitStatus()
	}
	return providers.Usage.ExitStatus()
}

// exitStatus is an error that has been told already, or needs no words.
type exitStatus int

func (s exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// fail tells an error once, with its hint.
func fail(w io.Writer, err error) {
	var e *providers.Error
	if !errors.As(err, &e) {
		e = providers.Errorf(providers.Usage, "", "%w", err).WithHint("see `agentrun --help`")
	}
	message := strings.TrimSpace(providers.Plain(err.Error()))
	if word := "error: "; len(message) > len(word) && strings.EqualFold(message[:len(word)], word) {
		message = message[len(word):] // a vendor's own
	}
	_, _ = fmt.Fprintf(w, "agentrun: error: %s\n", strings.ReplaceAll(message, "\n", "\n  "))
	if e.Hint != "" {
		_, _ = fmt.Fprintf(w, "agentrun: hint: %s\n", providers.Plain(e.Hint))
	}
}

// newRoot makes the whole tree of commands; help goes to the writer.
func newRoot(sys IO, help io.Writer) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:   "agentrun",
		Short: "Run any vendor's coding agent: one command, one stream, one verdict",
		Long: `agentrun runs any vendor's coding agent (Claude Code, Codex, Gemini CLI, pi)
with one command, and gives back one normalized stream, one truthful verdict and
one set of exit statuses. It never hangs, and leaves no process behind.`,
		Example: `  agentrun run claude "fix the failing test"
  agentrun run codex --access edit "add a changelog" | jq -r 'select(.type=="text").content'
  agentrun run --mock claude "try it with no key and no tokens"`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          commandsOnly,
		RunE: func(c *cobra.Command, _ []string) error {
			if showVersion {
				return writeVersion(sys.Out)
			}
			return c.Help()
		},
	}
	root.Flags().BoolVar(&showVersion, "version", false, "print the version")
	root.SetIn(sys.In)
	root.SetOut(help)
	root.SetErr(sys.Err)
	root.AddCommand(newRun(sys), newLive(sys), newChat(sys), newResume(sys), newAttach(sys), newPolicy(sys), newSessions(sys), newConfig(sys), newNormalize(sys), newProviders(sys), newDoctor(sys), newSchema(sys), newScenarios(sys), newMan(), newVersion(sys), newExitCodes(), newEnvironment())
	root.SetHelpCommand(newHelp())
	ownCompletion(root)
	root.SetFlagErrorFunc(flagError)
	explain(root)
	completions(root, sys)
	return root
}

// commandsOnly refuses a word that is no command: `agentrun rnu` would print help and succeed.
func commandsOnly(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(c, args[0])
}

func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return noArgs(c, args[1:])
	}
	return nil
}

func unknownCommand(c *cobra.Command, word string) error {
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	err := providers.Errorf(providers.Usage, "", "unknown command %q", word)
	if near := providers.Nearest(word, names); near != "" {
		return err.WithHint("did you mean `%s %s`?", c.CommandPath(), near)
	}
	return err.WithHint("the commands are: %s", strings.Join(names, ", "))
}

// flagError names the flag that was most likely meant.
func flagError(c *cobra.Command, err error) error {
	e := providers.Errorf(providers.Usage, "", "%s", err.Error())
	word, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	words := strings.HasPrefix(err.Error(), "unknown shorthand flag") || ok && strings.Contains(word, " ")
	switch {
	case words && c.Flags().Lookup("prompt-file") != nil:
		return e.WithHint("a prompt that begins with - goes behind --, or on stdin; see `%s --help`", c.CommandPath())
	case ok:
	case strings.Contains(err.Error(), "missing unit in duration"):
		return e.WithHint("write the unit, like 90s, 20m or 2h")
	default:
		return e.WithHint("see `%s --help`", c.CommandPath())
	}
	if near := providers.Nearest(word, flagNames(c)); near != "" {
		return e.WithHint("did you mean --%s?", near)
	}
	if c.Flags().Lookup("set") != nil {
		return e.WithHint("a field of the provider is set with --set FIELD=VALUE; see `%s --help`", c.CommandPath())
	}
	return e.WithHint("see `%s --help`", c.CommandPath())
}

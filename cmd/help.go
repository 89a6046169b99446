package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
)

// exitNote is the annotation of a command with its exit statuses, for its help.
const exitNote = "exit statuses"

// explain gives every command below root its exit statuses, in help and manual.
func explain(root *cobra.Command) {
	run := "  0    the run succeeded\n  else the class of its failure: see `agentrun help exit-codes`"
	store := statuses(providers.Usage, providers.Session)
	notes := map[string]string{
		"run": run, "resume": run, "live": run,
		"attach":        "  as the vendor's program ends",
		"normalize":     "  0    every run in the files succeeded\n  else the class of the first failure: see `agentrun help exit-codes`",
		"doctor":        "  0    all providers asked for are usable\n  else the class of the first failure: see `agentrun help exit-codes`",
		"sessions list": store, "sessions show": store, "sessions export": store, "sessions rm": store, "sessions gc": store,
	}
	notes["attach"] = statuses(providers.Usage, providers.Unsupported, providers.Session, providers.NotFound) +
		"\n  else the vendor's own, or 128 and the number of the signal that ended it"
	notes["config show"] = statuses(providers.Usage, providers.Permission)
	usage := statuses(providers.Usage)
	walk(root, func(c *cobra.Command) {
		note, ok := notes[strings.TrimPrefix(c.CommandPath(), root.Name()+" ")]
		switch {
		case ok:
		case c.Runnable():
			note = usage
		default:
			return // a topic
		}
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[exitNote] = note
	})
	// A usage template would do, and would link text/template: 2.7 MB.
	plain := root.UsageFunc()
	root.SetUsageFunc(func(c *cobra.Command) error {
		err := plain(c)
		if note, ok := c.Annotations[exitNote]; ok && err == nil {
			_, err = fmt.Fprintf(c.OutOrStderr(), "\nExit statuses:\n%s\n", note)
		}
		return err
	})
}

// statuses lists success and the classes with their meaning.
func statuses(classes ...providers.Class) string {
	lines := []string{"  0    success"}
	for _, c := range classes {
		lines = append(lines, fmt.Sprintf("  %-4d %s", c.ExitStatus(), exitMeaning(c)))
	}
	return strings.Join(lines, "\n")
}

// newHelp is the help command. Cobra's own explains the whole program, and
// succeeds, where the words are no command.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			about, _, err := c.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []cobra.Completion
			for _, sub := range about.Commands() {
				if !sub.Hidden {
					names = append(names, cobra.CompletionWithDesc(sub.Name(), sub.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			switch {
			case err != nil:
				return err
			case len(rest) > 0 && about.HasSubCommands():
				return unknownCommand(about, rest[0])
			case len(rest) > 0:
				return noArgs(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// newEnvironment is a topic of help.
func newEnvironment() *cobra.Command {
	var b strings.Builder
	b.WriteString("The variables that agentrun looks at:\n\n")
	for _, v := range variables() {
		fmt.Fprintf(&b, "  %-20s %s\n", v[0], v[1])
	}
	b.WriteString(`
A vendor's program inherits all others, but for the markers of an outer session
(--dry-run lists what changes) and those that begin with AGENTRUN_ (AGENTRUN_HOOK excepted); with --env-only
it inherits what is named there, with --mock nearly nothing. --env sets more.

AGENTRUN_RUN is set for the vendor and its tools: the id of the run.`)
	return &cobra.Command{Use: "environment", Short: "The variables that agentrun looks at", Long: b.String()}
}

func variables() [][2]string {
	return [][2]string{
		{"AGENTRUN_<NAME>_BIN", "a provider's program, like AGENTRUN_CLAUDE_BIN"},
		{"PATH", "where programs are found otherwise"},
		{"HOME", "the user's directory; where it is no whole path, the system is asked"},
		{"XDG_CONFIG_HOME", "has agentrun/config.toml (~/.config)"},
		{"XDG_STATE_HOME", "has agentrun/sessions, the records (~/.local/state)"},
		{"XDG_CACHE_HOME", "has agentrun/, versions and private files (~/.cache)"},
		{"TMPDIR", "has these files where the cache cannot be written"},
		{"AGENTRUN_HOOK", "set for a hook: the runs within it have no hooks"},
		{"NO_COLOR, TERM", "no colors: NO_COLOR is not empty, or TERM is dumb"},
		{"OTEL_*, TRACEPARENT", "a receiver of OpenTelemetry, and the trace that a run is part of"},
		{"GITHUB_*, GITLAB_CI", "with --ci: which system it is, and its files for summary and outputs"},
	}
}

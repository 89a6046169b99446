package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"agentrun/mockmodel"
	"agentrun/providers"
)

func newScenarios(sys IO) *cobra.Command {
	return &cobra.Command{
		Use:   "mock [SCENARIO]",
		Short: "List the scenarios of the embedded model, or print one",
		Long: `List what the embedded model can play with --mock=SCENARIO. With SCENARIO: print its
script, which --mock=FILE takes as well. docs/mock.md says what scripts can do.`,
		Example: "  agentrun mock\n  agentrun mock tool >mine.json && agentrun run --mock=mine.json claude hello",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				rows := [][]string{{"SCENARIO", "MEANING"}}
				for _, s := range mockmodel.Scenarios() {
					rows = append(rows, []string{s.Name, s.Help})
				}
				return writeTable(sys.Out, rows)
			}
			text, ok := mockmodel.Source(args[0])
			if !ok {
				return noScenario(args[0], "agentrun mock ", "no scenario %q")
			}
			_, err := sys.Out.Write(text)
			return err
		},
	}
}

// noScenario is a name that no scenario has, with the way out: before is what
// stands before a name.
func noScenario(name, before, message string) error {
	err := providers.Errorf(providers.Usage, "", message, name)
	var names []string
	for _, s := range mockmodel.Scenarios() {
		names = append(names, s.Name)
	}
	if near := providers.Nearest(name, names); near != "" {
		return err.WithHint("did you mean `%s%s`?", before, near)
	}
	return err.WithHint("the scenarios are: %s", strings.Join(names, ", "))
}

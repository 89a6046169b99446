package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
	"agentrun/stream"
)

func newSchema(sys IO) *cobra.Command {
	names := strings.Join(stream.SchemaNames(), "|")
	return &cobra.Command{
		Use:   "schema [" + names + "]",
		Short: "Print the JSON Schema of what agentrun prints and reads",
		Long: `Print a JSON Schema (draft 2020-12): of a line of the stream (chunk, the default),
of the object that --output result prints (result), of a line that a live session
takes (live-input) or prints between the chunks (live-line), of what a hook reads
(hook-input) and prints (hook-answer), or of a line of the dialects --output
agent-events and --output session.`,
		Example:   "  agentrun schema chunk > chunk.schema.json",
		ValidArgs: stream.SchemaNames(),
		Args:      atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			name := "chunk"
			if len(args) == 1 {
				name = args[0]
			}
			text, ok := stream.Schema(name)
			if !ok {
				return providers.Errorf(providers.Usage, "", "no schema %q", name).WithHint("the schemas are: %s", names)
			}
			_, err := sys.Out.Write(text)
			return err
		},
	}
}

package cmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
	"agentrun/providers/all"
)

// providerInfo is what `agentrun providers --json` prints of a provider.
type providerInfo struct {
	Name         string                 `json:"name"`
	Title        string                 `json:"title"`
	Capabilities providers.Capabilities `json:"capabilities"`
	Found        bool                   `json:"found"`
	Binary       string                 `json:"binary,omitempty"` // path of the program, when found
	Version      string                 `json:"version,omitempty"`
	Oldest       string                 `json:"oldest_version,omitempty"` // supported
	Newest       string                 `json:"newest_version,omitempty"` // tested
	BinaryEnv    string                 `json:"binary_env,omitempty"`
	Install      string                 `json:"install,omitempty"`
	Fields       []providers.Field      `json:"fields"`
	Fences       []fenceInfo            `json:"fences"`
}

type fenceInfo struct {
	Name string `json:"name"`
	Help string `json:"help"`
}

func newProviders(sys IO) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "providers [PROVIDER]",
		Short: "List the providers: program, version, capabilities, fields",
		Long: `List the providers that agentrun can run, whether their program is installed
and in which version. With PROVIDER: all about that one, its fields for --set
included. It asks a program for its version once and keeps the answer.`,
		Example: "  agentrun providers\n  agentrun providers claude\n  agentrun providers --json | jq -r '.[] | select(.found) | .name'",
		Args:    atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			list := all.Providers()
			if len(args) == 1 {
				p, err := findProvider(args[0])
				if err != nil {
					return err
				}
				list = []providers.Provider{p}
			}
			infos := make([]providerInfo, 0, len(list))
			for _, p := range list {
				infos = append(infos, inspect(c, sys, p))
			}
			switch {
			case asJSON && len(args) == 1:
				return writeJSON(sys.Out, infos[0])
			case asJSON:
				return writeJSON(sys.Out, infos)
			case len(args) == 1:
				return writeProvider(sys.Out, infos[0])
			}
			return writeProviders(sys.Out, infos)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON: an array, or one object with PROVIDER")
	return c
}

func inspect(c *cobra.Command, sys IO, p providers.Provider) providerInfo {
	about := p.About()
	info := providerInfo{
		Name: about.Name, Title: about.Title, Capabilities: about.Capabilities,
		Oldest: about.Binary.Oldest, Newest: about.Binary.Newest, BinaryEnv: about.Binary.Env,
		Install: about.Binary.Install, Fields: providers.FieldsOf(p.NewFields()), Fences: []fenceInfo{},
	}
	for _, f := range about.Fences {
		info.Fences = append(info.Fences, fenceInfo(f))
	}
	if about.Capabilities.Transport != providers.Subprocess {
		info.Found = true
		return info
	}
	if path, err := lookBinary(about, "", sys); err == nil {
		info.Found, info.Binary = true, path
		info.Version = providers.Version(c.Context(), about, path, sys.Env, sys.CacheDir)
	}
	return info
}

func writeProviders(w io.Writer, infos []providerInfo) error {
	rows := [][]string{{"PROVIDER", "PRODUCT", "VERSION", "SUPPORTED", "PROGRAM"}}
	for _, i := range infos {
		rows = append(rows, []string{i.Name, i.Title, dash(i.Version), supported(i), program(i)})
	}
	return writeTable(w, rows)
}

func program(i providerInfo) string {
	switch {
	case i.Binary != "":
		return i.Binary
	case i.Found:
		return "built in"
	}
	if i.Install == "" {
		return "named by each run"
	}
	return "not installed: " + i.Install
}

func supported(i providerInfo) string {
	if i.Oldest == "" {
		return "-"
	}
	return i.Oldest + " to " + i.Newest
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func writeProvider(w io.Writer, i providerInfo) error {
	rows := [][]string{
		{i.Name, i.Title},
		{"program", program(i)},
		{"version", dash(i.Version)},
		{"supported", supported(i)},
	}
	if i.BinaryEnv != "" {
		rows = append(rows, []string{"chosen by", "--bin, $" + i.BinaryEnv + ", PATH"})
	}
	rows = append(rows,
		[]string{"transport", string(i.Capabilities.Transport)},
		[]string{"can", strings.Join(abilities(i.Capabilities), ", ")},
		nil,
		[]string{"FIELD", "TYPE", "FLAG", "MEANING"},
	)
	for _, f := range i.Fields {
		flag := f.Flag
		if flag == "" {
			flag = "--set"
		}
		rows = append(rows, []string{f.Name, fieldType(f), flag, fieldMeaning(f)})
	}
	if len(i.Fences) > 0 {
		rows = append(rows, nil, []string{"FENCE", "", "", "WHAT IT DOES (switch off with --no-fence NAME)"})
	}
	for _, f := range i.Fences {
		rows = append(rows, []string{f.Name, "", "", f.Help})
	}
	return writeTable(w, rows)
}

func fieldType(f providers.Field) string {
	if len(f.Choices) > 0 {
		return strings.Join(f.Choices, "|")
	}
	if f.Kind != "" && f.Type == "list" {
		return "list of " + f.Kind
	}
	if f.Kind != "" {
		return f.Kind
	}
	return f.Type
}

func fieldMeaning(f providers.Field) string {
	meaning := f.Help
	switch {
	case f.Argv != "":
		meaning += " (" + f.Argv + ")"
	case f.Maps != "":
		meaning += " (" + f.Maps + ")"
	}
	if f.Since != "" {
		meaning += ", since " + f.Since
	}
	return meaning
}

// abilities are the capabilities that a provider has, in words.
func abilities(c providers.Capabilities) []string {
	var words []string
	add := func(has bool, word string) {
		if has {
			words = append(words, word)
		}
	}
	add(c.Resumable, "resume")
	add(c.Forkable, "fork")
	add(c.EmitsToolEvents, "tool events")
	add(c.EmitsThinking, "thinking")
	add(c.EmitsDeltas, "deltas")
	add(c.ReportsUsage, "usage")
	add(c.ReportsCost, "cost")
	add(c.StructuredOutput != "", "schema ("+c.StructuredOutput+")")
	add(len(c.Access) > 0, "access ("+strings.Join(c.Access, ", ")+")")
	add(c.TurnLimit, "turn limit")
	add(c.CostLimit, "cost limit")
	add(c.Images, "images")
	add(c.MCPConfig, "MCP config")
	return words
}

package cmd

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/ndjson"
	"agentrun/policy"
	"agentrun/providers"
	"agentrun/workspace"
)

func newPolicy(sys IO) *cobra.Command {
	c := &cobra.Command{
		Use:   "policy",
		Short: "Check and try the rules that decide what an agent may do",
		Long: `Check and try a policy: a TOML file of rules, of which the first that fits a tool
call allows it, denies it, or has somebody asked.

  [[rules]]
  action = "allow"
  tool   = "Bash"
  args   = ["go test *", "git status"]

` + "`agentrun run`" + ` and ` + "`agentrun live`" + ` are held to it with --policy FILE; docs/policy.md has the
conditions.`,
		Example: `  agentrun policy check rules.toml
  agentrun policy test rules.toml Bash "git push --force"`,
		Args: commandsOnly,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newPolicyCheck(sys), newPolicyTest(sys))
	return c
}

func newPolicyCheck(sys IO) *cobra.Command {
	return &cobra.Command{
		Use:     "check FILE",
		Short:   "Read a policy and say what is wrong with it",
		Example: "  agentrun policy check rules.toml",
		Args:    exactly(1, "a FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			rules, err := readPolicy(args[0])
			if err != nil {
				return err
			}
			for _, w := range rules.Warnings() {
				_, _ = fmt.Fprintf(sys.Err, "agentrun: warning: %s: %s\n", w.Place, w.Message)
			}
			_, err = fmt.Fprintf(sys.Out, "%s: rules: %d; what none fits: %s\n", args[0], len(rules.Rules), rules.Default)
			return err
		},
	}
}

// policyTest are the flags of `agentrun policy test`.
type policyTest struct {
	provider string
	cwd      string
	depth    int
	json     bool
}

func newPolicyTest(sys IO) *cobra.Command {
	f := &policyTest{}
	c := &cobra.Command{
		Use:   "test FILE TOOL [ARGS]",
		Short: "Say what a policy decides on a tool call, and why",
		Long: `Say what a policy decides on a tool call, which rule does, and why the rules in
front of it do not. Nothing is started.

TOOL is the vendor's name of the tool, as in the stream. ARGS is its input as a
JSON object, or the one thing that matters: the command of a tool that runs one, the
path of one that reads or writes files, the url of one that uses the network.`,
		Example: `  agentrun policy test rules.toml Bash "rm -rf build"
  agentrun policy test rules.toml write_file ../notes.md --provider gemini
  agentrun policy test rules.toml WebFetch '{"url":"https://example.com"}' --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 || len(args) > 3 {
				return providers.Errorf(providers.Usage, "", "a policy is tried with FILE, TOOL and ARGS").WithHint("quote ARGS")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return f.run(sys, append(args, "")) },
	}
	fs := c.Flags()
	fs.StringVar(&f.provider, "provider", "", "the `provider` whose agent calls")
	fs.StringVarP(&f.cwd, "cwd", "C", "", "the repository: the `dir` that the agent works in (default: this one)")
	fs.IntVar(&f.depth, "depth", 0, "how deep the subagent is that calls; 0 is the main conversation")
	fs.BoolVar(&f.json, "json", false, "print the decision as JSON")
	return c
}

func (f *policyTest) run(sys IO, args []string) error {
	rules, err := readPolicy(args[0])
	if err != nil {
		return err
	}
	if f.provider != "" {
		if _, err := findProvider(f.provider); err != nil {
			return err
		}
	}
	dir := f.cwd
	if dir == "" {
		dir = sys.Cwd
	}
	if dir, err = workspace.Root(sys.Cwd, dir); err != nil {
		return pathError("--cwd", err)
	}
	input, err := toolInput(args[1], args[2])
	if err != nil {
		return err
	}
	e := rules.Explain(policy.Call{Provider: f.provider, Tool: args[1], Input: input, Depth: f.depth}, worldAt(sys, dir))
	if f.json {
		return writeJSON(sys.Out, e)
	}
	return explainPolicy(sys.Out, e)
}

// toolInput is what was typed as the input of a tool.
func toolInput(tool, args string) (ndjson.RawMessage, error) {
	object := strings.HasPrefix(strings.TrimSpace(args), "{")
	switch valid := ndjson.Valid([]byte(args)); {
	case object && valid:
		return ndjson.RawMessage(args), nil
	case object && policy.Kind(tool) != policy.Exec: // a command may well begin with a brace
		return nil, providers.Errorf(providers.Usage, "", "ARGS is no JSON: %s", args)
	}
	if args == "" {
		return nil, nil
	}
	field := map[string]string{policy.Exec: "command", policy.Read: "path", policy.Write: "path", policy.Net: "url"}[policy.Kind(tool)]
	if field == "" {
		return nil, providers.Errorf(providers.Usage, "", "what the tool %s takes is not known", tool).WithHint("give its input as a JSON object")
	}
	return ndjson.Marshal(map[string]string{field: args})
}

// explainPolicy writes a decision for people.
func explainPolicy(w io.Writer, e policy.Explanation) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (rule %s): %s\n", e.Action, e.Label(), e.Reason)
	fmt.Fprintf(&b, "  kind: %s\n", e.Kind)
	for _, part := range e.Parts {
		fmt.Fprintf(&b, "  command: %s\n", part)
	}
	if e.Opaque != "" {
		fmt.Fprintf(&b, "  beside its commands %s\n", e.Opaque)
	}
	for _, path := range e.Paths {
		fmt.Fprintf(&b, "  path: %s\n", path)
	}
	for _, s := range e.Steps {
		word, name := "does not fit", fmt.Sprint(s.Rule)
		if s.Fits {
			word = "fits"
		}
		if s.Name != "" {
			name += " " + s.Name
		}
		fmt.Fprintf(&b, "  rule %s (%s, line %d) %s: %s\n", name, s.Action, s.Place.Line, word, s.Why)
	}
	_, err := io.WriteString(w, providers.Plain(b.String()))
	return err
}

func exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return providers.Errorf(providers.Usage, "", "%d arguments, want %s", len(args), what)
		}
		return nil
	}
}

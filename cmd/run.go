package cmd

import (
	"time"

	"github.com/spf13/cobra"

	"agentrun/providers"
)

// runFlags are the flags of `agentrun run` that are the same for every provider.
type runFlags struct {
	// The prompt.
	promptFile string
	stdin      bool
	// The provider's program and request.
	bin           string
	vendorVersion string
	set           []string
	vendorArgs    []string
	noFence       []string
	policy        string
	common        map[string]*commonValue
	// Where it runs.
	cwd, workspace string
	profile        string // of the configuration
	noConfig       bool
	noHooks        bool
	env            []string
	envOnly        []string
	// What comes out.
	output   string
	deltas   bool
	stamp    bool
	quiet    bool
	verbose  bool
	thinking bool
	raw      string
	dryRun   bool
	look     lookFlags
	ci       ciFlags
	// What it is held to.
	clocks          providers.Clocks
	grace           time.Duration
	strict          bool
	tolerateDrift   bool
	maxRecord       int
	leaveBackground bool
	// What is kept of it.
	noRecord bool
	live     bool
	chat     bool
	wait     bool
	// The embedded model.
	mock     string
	mockHome string
	mockLog  string
}

const runLong = `Run a vendor's coding agent once, with one prompt, to its end.

The answer goes to stdout, talk about it to stderr. At a terminal the answer is
shown as it is written, with a line for each tool and a closing line; in a pipe
stdout is the stream: one JSON object per line (see ` + "`agentrun schema chunk`" + `).

PROMPT is the argument; without it, or with "-", it is read from stdin. Our stdin
is read only then, and with --stdin: a job whose stdin stays open never hangs.

The common flags (--model, --access, --resume ...) mean the same for every
provider; one that a provider cannot do is refused before anything starts. All
other fields of a provider are set with --set FIELD=VALUE and are listed by
` + "`agentrun providers NAME`" + `.

Settings that the command line leaves open come from the configuration: see
` + "`agentrun config --help`" + `. With a profile that names the provider, PROVIDER is
left out.

The exit status tells the outcome: see ` + "`agentrun help exit-codes`" + `.

Environment:
  AGENTRUN_<NAME>_BIN   path of a provider's program, like AGENTRUN_CLAUDE_BIN`

func newRun(sys IO) *cobra.Command {
	f := &runFlags{}
	c := &cobra.Command{
		Use:   "run PROVIDER [PROMPT]",
		Short: "Run an agent once, to its end",
		Long:  runLong,
		Example: `  agentrun run claude "fix the failing test"
  git diff | agentrun run codex "review this change" --stdin --access read-only
  agentrun run gemini --prompt-file task.md --output result | jq -r .result
  agentrun run claude "…" --set permission_mode=plan --max-turns 20 --max-cost 2
  agentrun run --profile review "the last commit"
  agentrun run claude "review the last commit" --ci github --junit agentrun.xml >agentrun.jsonl
  agentrun run claude "…" --dry-run
  agentrun run --mock=tool claude "no key, no tokens: the embedded model answers"`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0 && f.profile == "":
				return providers.Errorf(providers.Usage, "", "no provider was named").WithHint("the providers are: %s", providerNames())
			case len(args) > 2:
				return providers.Errorf(providers.Usage, "", "more than one prompt: %q", args[2]).WithHint("quote the prompt")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			return runOnce(c, sys, f, args)
		},
	}
	f.register(c.Flags())
	f.tellEarly(c, sys)
	return c
}

// runOnce runs a checked command line.
func runOnce(c *cobra.Command, sys IO, f *runFlags, args []string) error {
	began := sys.Now()
	p, err := newRunPlan(c, sys, f, args)
	if err != nil {
		return f.refused(sys, args, began, err)
	}
	defer p.close()
	if f.dryRun {
		return p.dryRun()
	}
	return p.run(c.Context())
}

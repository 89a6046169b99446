package cmd

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentrun/providers"
)

func (f *runFlags) register(fs *pflag.FlagSet) {
	fs.SortFlags = false
	f.registerPrompt(fs)
	f.common = map[string]*commonValue{}
	for _, cf := range providers.CommonFlags() {
		v := &commonValue{flag: cf}
		f.common[cf.Field] = v
		flag := fs.VarPF(v, cf.Name, "", cf.Help)
		if cf.Type == "bool" {
			flag.NoOptDefVal = "true"
		}
	}
	f.registerProvider(fs)
	f.registerOutput(fs)
	f.registerLimits(fs)
	f.registerMock(fs)
}

func (f *runFlags) registerPrompt(fs *pflag.FlagSet) {
	fs.StringVar(&f.promptFile, "prompt-file", "", "read the prompt from this `file`; - is stdin")
	fs.BoolVar(&f.stdin, "stdin", false, "append our stdin to PROMPT, after an empty line")
	fs.StringVarP(&f.cwd, "cwd", "C", "", "the repository: the `dir` that the agent works in (default: this one)")
	fs.StringVar(&f.workspace, "workspace", "", "a `dir` inside the repository to work in")
	fs.StringVar(&f.profile, "profile", "", "take the settings of this `profile` of the configuration (see agentrun config)")
	fs.BoolVar(&f.noConfig, "no-config", false, "read no configuration files")
}

func (f *runFlags) registerProvider(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.set, "set", nil, "set a field of the provider: `field=value`; repeat for lists")
	fs.StringArrayVar(&f.vendorArgs, "vendor-arg", nil, "pass one raw `argument` to the vendor's program")
	fs.StringVar(&f.bin, "bin", "", "the vendor's program (default: $AGENTRUN_<NAME>_BIN, else from PATH)")
	fs.StringVar(&f.vendorVersion, "vendor-version", "", "state the program's `version` instead of asking it")
	fs.StringArrayVar(&f.env, "env", nil, "set a variable for the vendor: `NAME=VALUE`")
	fs.StringSliceVar(&f.envOnly, "env-only", nil, "let the vendor inherit only these variables: `NAME,…`")
	fs.StringArrayVar(&f.noFence, "no-fence", nil, "switch off a fence against a vendor hazard, by `name`")
	fs.StringVar(&f.policy, "policy", "", "let the rules of this `file` decide what the agent may do (see agentrun policy)")
	fs.BoolVar(&f.noHooks, "no-hooks", false, "run none of the hooks of your configuration")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print what would be started, secrets redacted, and start nothing")
}

func (f *runFlags) registerOutput(fs *pflag.FlagSet) {
	fs.StringVarP(&f.output, "output", "o", "", "`form` of stdout: text, chunks, result, agent-events or session (default: text at a terminal, else chunks)")
	fs.BoolVar(&f.deltas, "deltas", false, "pass text and thinking on in pieces, as they come")
	fs.BoolVar(&f.stamp, "stamp", false, "add seq, time and run to each line")
	fs.BoolVarP(&f.quiet, "quiet", "q", false, "print the final text alone")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "text: show every notice, and the vendor's stderr at the end")
	fs.BoolVar(&f.thinking, "thinking", false, "text: show the model's reasoning")
	fs.BoolVar(&f.noRecord, "no-record", false, "keep no record of this run (see agentrun sessions)")
	fs.StringVar(&f.raw, "raw", "", "copy the vendor's stdout, as it is, to this `file`")
	f.look.register(fs)
	f.ci.register(fs)
}

func (f *runFlags) registerLimits(fs *pflag.FlagSet) {
	d := providers.DefaultClocks()
	fs.DurationVar(&f.clocks.Start, "start-timeout", d.Start, "longest wait for the first record; 0 is no limit")
	fs.DurationVar(&f.clocks.Idle, "idle-timeout", d.Idle, "longest time without progress; retry notices are none")
	fs.DurationVar(&f.clocks.Tool, "tool-timeout", d.Tool, "the same while a tool call is open")
	fs.DurationVar(&f.clocks.Total, "timeout", d.Total, "longest time of the whole run")
	fs.DurationVar(&f.clocks.Exit, "exit-grace", d.Exit, "time to leave after the vendor's terminal record")
	fs.DurationVar(&f.grace, "grace", 0, "time from the polite end of a process to KILL (default 5s)")
	fs.BoolVar(&f.strict, "strict", false, "a denied tool fails the run (exit 10)")
	fs.BoolVar(&f.tolerateDrift, "tolerate-drift", false, "unknown events and broken records are notices, not failures")
	fs.IntVar(&f.maxRecord, "max-record", 64<<20, "largest record of the vendor, in `bytes`")
	fs.BoolVar(&f.wait, "wait", false, "wait for a session that another run is using")
	fs.BoolVar(&f.leaveBackground, "leave-background", false, "let live what the vendor leaves behind on a normal end")
}

func (f *runFlags) registerMock(fs *pflag.FlagSet) {
	fs.StringVar(&f.mock, "mock", "", "let an embedded model answer: a `scenario` or a script file; no key, no network (default scenario: say)")
	fs.Lookup("mock").NoOptDefVal = "say"
	fs.StringVar(&f.mockHome, "mock-home", "", "with --mock: keep the vendor's home in this `dir`, so that sessions can be resumed")
	fs.StringVar(&f.mockLog, "mock-log", "", "with --mock: write each request that the model got to this `file`, one JSON object per line")
}

// commonValue collects the values of a common flag; the provider's field checks them.
type commonValue struct {
	flag   providers.CommonFlag
	values []string
}

func (v *commonValue) String() string {
	if v == nil || len(v.values) == 0 {
		return ""
	}
	return v.values[len(v.values)-1]
}

func (v *commonValue) Type() string {
	if v.flag.Type == "list" {
		return "value"
	}
	return v.flag.Type
}

// Set checks what can be checked without knowing the provider.
func (v *commonValue) Set(s string) error {
	switch v.flag.Type {
	case "bool":
		if _, err := strconv.ParseBool(s); err != nil {
			return fmt.Errorf("%q is neither true nor false", s)
		}
	case "list":
		v.values = append(v.values, s)
		return nil
	}
	v.values = []string{s}
	return nil
}

// flagNames lists the flags that a command knows, for suggestions.
func flagNames(c *cobra.Command) []string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return providers.Errorf(providers.Usage, "", "unexpected argument %q", args[0])
	}
	return nil
}

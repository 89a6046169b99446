package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentrun/mockmodel"
	"agentrun/providers"
	"agentrun/providers/all"
	"agentrun/render"
	"agentrun/sessions"
)

// completer knows the words that a shell may offer. What cannot be found out is
// not offered, and never an error: the shell's line stays as it is.
type completer struct{ sys IO }

// words of a completion, with what the shell does beside.
type words = func(c *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective)

// completions sets the completion of every command below root, by its path, and
// of every flag, by its name.
func completions(root *cobra.Command, sys IO) {
	s := completer{sys}
	arguments := map[string]words{
		"run": first(s.providersAndAliases), "normalize": firstThenFiles(s.providers), "providers": first(s.providers),
		"doctor": each(s.examined), "live": first(s.providersAndAliases), "config show": first(s.providers),
		"mock": firstScenario, "policy check": firstFile, "policy test": firstFile,
		"resume": first(s.runs), "attach": first(s.runs), "sessions show": first(s.runs),
		"sessions export": first(s.runs), "sessions rm": each(s.runs),
	}
	flags := s.flags()
	walk(root, func(c *cobra.Command) {
		path := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), root.Name()), " ")
		switch complete, ok := arguments[path]; {
		case ok:
			c.ValidArgsFunction = complete
		case c.ValidArgs == nil && c.HasParent():
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if complete, ok := flags[f.Name]; ok {
				// It fails only for a flag that does not exist, or has one.
				_ = c.RegisterFlagCompletionFunc(f.Name, complete)
			}
		})
	})
}

// ownCompletion adds cobra's completion command, which would explain itself, and
// succeed, for a shell that it does not know.
func ownCompletion(root *cobra.Command) {
	examples := map[string]string{
		"bash":       "  agentrun completion bash >~/.local/share/bash-completion/completions/agentrun",
		"zsh":        "  agentrun completion zsh >\"${fpath[1]}/_agentrun\"",
		"fish":       "  agentrun completion fish >~/.config/fish/completions/agentrun.fish",
		"powershell": "  agentrun completion powershell | Out-String | Invoke-Expression",
	}
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() != "completion" {
			continue
		}
		c.Args = commandsOnly
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		for _, shell := range c.Commands() {
			shell.Example = examples[shell.Name()]
		}
	}
}

// walk visits a command and all below it.
func walk(c *cobra.Command, visit func(*cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		walk(sub, visit)
	}
}

// flags lists the completions of flags by name. The shell offers files for the others.
func (s completer) flags() map[string]words {
	dirs := func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
	flags := map[string]words{
		"output": fixed(outputs()...), "color": fixed("auto", "always", "never"),
		"markdown": fixed("auto", "never"), "ci": fixed("github", "gitlab", "auto", "off"), "format": fixed("chunks", "markdown", render.AgentEvents, render.SessionEvents),
		"provider": whole(s.providers), "profile": whole(s.profiles), "mock": s.scenarios,
		"access": whole(s.choices("access")), "effort": whole(s.choices("effort")), "model": whole(s.models),
		"set": s.fields, "no-fence": whole(s.fences), "resume": whole(s.runs),
		"env": s.variables("="), "env-only": s.variables(""),
	}
	for _, name := range []string{"cwd", "workspace", "add-dir", "mock-home"} {
		flags[name] = dirs
	}
	for _, name := range []string{
		"allow-tool", "deny-tool", "system", "append-system", "max-turns", "max-cost", "vendor-arg", "vendor-version", "max-record",
		"start-timeout", "idle-timeout", "tool-timeout", "timeout", "exit-grace", "grace", "since", "limit", "keep-days", "exit-code", "depth",
	} {
		flags[name] = cobra.NoFileCompletions
	}
	return flags
}

// list gives the words that fit the command line so far.
type list func(c *cobra.Command, args []string) []cobra.Completion

// whole offers a list for a value.
func whole(l list) words {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return l(c, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// first offers a list for the first argument alone.
func first(l list) words {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return l(c, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// firstFile leaves the first argument to the shell, which offers files.
func firstFile(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// firstThenFiles offers a list for the first argument, and files after it.
func firstThenFiles(l list) words {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return l(c, args), cobra.ShellCompDirectiveNoFileComp
	}
}

// each offers a list for every argument, without those that are there.
func each(l list) words {
	return func(c *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		left := slices.DeleteFunc(l(c, args), func(word cobra.Completion) bool {
			name, _, _ := strings.Cut(word, "\t")
			return slices.Contains(args, name)
		})
		return left, cobra.ShellCompDirectiveNoFileComp
	}
}

func fixed(list ...cobra.Completion) words {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

func (s completer) providers(*cobra.Command, []string) []cobra.Completion {
	var list []cobra.Completion
	for _, p := range all.Providers() {
		list = append(list, cobra.CompletionWithDesc(p.About().Name, p.About().Title))
	}
	return list
}

// examined are those whose program the doctor can look at.
func (s completer) examined(*cobra.Command, []string) []cobra.Completion {
	var list []cobra.Completion
	for _, p := range all.Providers() {
		if !programmed(p) {
			list = append(list, cobra.CompletionWithDesc(p.About().Name, p.About().Title))
		}
	}
	return list
}

func (s completer) providersAndAliases(c *cobra.Command, args []string) []cobra.Completion {
	list := s.providers(c, args)
	if config, err := loadConfig(s.sys, s.dir(c)); err == nil {
		for name, alias := range config.files.Aliases() {
			list = append(list, cobra.CompletionWithDesc(name, "alias of "+alias.Provider))
		}
	}
	slices.Sort(list[len(all.Providers()):])
	return list
}

func (s completer) profiles(c *cobra.Command, _ []string) []cobra.Completion {
	config, err := loadConfig(s.sys, s.dir(c))
	if err != nil {
		return nil
	}
	var list []cobra.Completion
	for _, p := range config.files.Profiles() {
		list = append(list, cobra.CompletionWithDesc(p.Name, p.Provider))
	}
	return list
}

// dir is where the run would be.
func (s completer) dir(c *cobra.Command) string {
	if f := c.Flags().Lookup("cwd"); f != nil && f.Changed {
		return f.Value.String()
	}
	return s.sys.Cwd
}

func firstScenario(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return scenarioNames(), cobra.ShellCompDirectiveNoFileComp
}

func scenarioNames() []cobra.Completion {
	var list []cobra.Completion
	for _, i := range mockmodel.Scenarios() {
		list = append(list, cobra.CompletionWithDesc(i.Name, i.Help))
	}
	return list
}

// scenarios offers those of the embedded model; a script file can be typed as well.
func (s completer) scenarios(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return scenarioNames(), cobra.ShellCompDirectiveDefault
}

// runs offers the recorded runs, the newest first, with their titles.
func (s completer) runs(c *cobra.Command, args []string) []cobra.Completion {
	list := []cobra.Completion{cobra.CompletionWithDesc(sessions.LastQuery, "the newest")}
	for _, r := range s.records(c, args) {
		list = append(list, cobra.CompletionWithDesc(r.ID, r.Provider+": "+r.Title))
	}
	return list
}

// records are those of the provider that the command line names, or of all.
func (s completer) records(c *cobra.Command, args []string) []sessions.Record {
	filter := sessions.Filter{}
	if p := s.named(c, args); p != nil {
		filter.Provider = p.About().Name
	}
	records, err := listRuns(s.sys, filter)
	if err != nil {
		return nil
	}
	const most = 50
	return records[:min(most, len(records))]
}

// named is the provider that the command line names, nil when it names none.
func (s completer) named(c *cobra.Command, args []string) providers.Provider {
	if len(args) == 0 {
		return nil
	}
	name := args[0]
	if c.Name() == "resume" || c.Name() == "attach" {
		rec, err := findRun(s.sys, name, sessions.Filter{})
		if err != nil {
			return nil
		}
		name = rec.Provider
	}
	if config, err := loadConfig(s.sys, s.dir(c)); err == nil {
		if alias, ok := config.files.Aliases()[name]; ok {
			name = alias.Provider
		}
	}
	p, err := findProvider(name)
	if err != nil {
		return nil
	}
	return p
}

package cmd

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentrun/config"
	"agentrun/providers"
	"agentrun/workspace"
)

const configLong = `Settings that a command line leaves open come from two files in TOML:

  the user's        $XDG_CONFIG_HOME/agentrun/config.toml (~/.config/agentrun/config.toml)
  the repository's  .agentrun.toml, in the directory of the run or above it, up to
                    the repository's root

They are named as the flags of ` + "`agentrun run`" + `:

  [defaults]                     # of every run
  timeout = "30m"

  [providers.claude]             # of the runs of one provider
  model = "opus"
  fields = {permission_mode = "plan"}

  [profiles.review]              # with --profile review
  provider = "codex"
  access = "read-only"

  [aliases]
  cc = "claude"

  [[hooks]]                      # of the user's file alone: see docs/hooks.md
  event = "after_run"
  command = ["notify-send", "agentrun is done"]

A flag beats a profile, that the provider's section, and that the defaults. Within
a section the repository's file beats the user's; but it can set few things, and
loosens no limit of the user's. A profile of the user hides the repository's.`

func newConfig(sys IO) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings that hold, and where they come from",
		Long:  configLong,
		Args:  commandsOnly,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newConfigShow(sys), newConfigPath(sys))
	return c
}

func newConfigPath(sys IO) *cobra.Command {
	return &cobra.Command{
		Use:     "path",
		Short:   "Print the path of the user's file, and that of the repository's if there is one",
		Example: "  $EDITOR \"$(agentrun config path | head -1)\"",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := [][]string{{userConfig(sys)}}
			if sys.Cwd != "" {
				if path, _ := findRepositoryConfig(sys.Cwd); path != "" {
					rows = append(rows, []string{path})
				}
			}
			return writeTable(sys.Out, rows)
		},
	}
}

func newConfigShow(sys IO) *cobra.Command {
	var asJSON bool
	var profile, cwd string
	c := &cobra.Command{
		Use:   "show [PROVIDER]",
		Short: "Print every setting that holds for a run, and where it comes from",
		Example: `  agentrun config show
  agentrun config show claude
  agentrun config show --profile review --json | jq '.settings[] | select(.from.kind != "built in")'`,
		Args: atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			p := &runPlan{sys: sys, flags: &runFlags{profile: profile, cwd: cwd}}
			report, err := p.configReport(args)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(sys.Out, report)
			}
			return report.write(sys.Out)
		},
	}
	c.Flags().StringVar(&profile, "profile", "", "with the settings of this `profile`")
	c.Flags().StringVarP(&cwd, "cwd", "C", "", "of a run in this `dir` (default: this one)")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// configReport is what `config show` prints as JSON.
type configReport struct {
	Files struct {
		User       string `json:"user"`
		Repository string `json:"repository,omitempty"`
	} `json:"files"`
	Provider string            `json:"provider,omitempty"`
	Profile  string            `json:"profile,omitempty"`
	Settings []reportedSetting `json:"settings"`
	Profiles []string          `json:"profiles"`
	Aliases  map[string]string `json:"aliases"`
	Hooks    []reportedHook    `json:"hooks"` // those for the provider; all where none is named
}

type reportedSetting struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
	From   source   `json:"from"`
	Over   []source `json:"over,omitempty"` // what it beats
}

// source is where a value comes from: built in, environment, user or repository.
type source struct {
	Kind     string `json:"kind"`
	Variable string `json:"variable,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Section  string `json:"section,omitempty"`
}

func sourceOf(o config.Origin) source {
	s := source{Kind: "user", File: o.File, Line: o.Line, Column: o.Column, Section: o.Section}
	if o.Repository {
		s.Kind = "repository"
	}
	return s
}

func (s source) String() string {
	switch {
	case s.Variable != "":
		return "$" + s.Variable
	case s.File != "":
		return fmt.Sprintf("%s:%d:%d [%s]", s.File, s.Line, s.Column, s.Section)
	}
	return s.Kind
}

func (p *runPlan) configReport(args []string) (*configReport, error) {
	if _, err := workspace.Root(p.sys.Cwd, cmp.Or(p.flags.cwd, ".")); err != nil {
		return nil, pathError("--cwd", err)
	}
	if err := p.readConfigFiles(); err != nil {
		return nil, err
	}
	profile, err := p.profile()
	if err != nil {
		return nil, err
	}
	var names []string
	if len(args) > 0 || profile.Provider != "" {
		if names, err = p.nameProvider(profile, args); err != nil {
			return nil, err
		}
	}
	r := &configReport{Profile: p.flags.profile, Profiles: []string{}, Aliases: map[string]string{}, Hooks: []reportedHook{}}
	r.Files.User, r.Files.Repository = p.config.user, p.config.repository
	if len(names) > 0 {
		if _, err := findProvider(names[0]); err != nil {
			return nil, err
		}
		r.Provider = names[0]
	}
	for _, profile := range p.config.files.Profiles() {
		r.Profiles = append(r.Profiles, profile.Name)
	}
	for name, alias := range p.config.files.Aliases() {
		r.Aliases[name] = alias.Provider
	}
	for _, h := range p.config.files.Hooks() {
		if r.Provider == "" || isFor(h, r.Provider) {
			r.Hooks = append(r.Hooks, p.reportedHook(h))
		}
	}
	r.Settings = p.reportSettings(r.Provider)
	return r, nil
}

// reportSettings lists the flags in the order of their help, then the fields.
func (p *runPlan) reportSettings(provider string) []reportedSetting {
	set := map[string]config.Setting{}
	for _, s := range p.config.files.Settings(p.config.schema(), provider, p.flags.profile) {
		set[s.Name] = s
	}
	var list []reportedSetting
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	(&runFlags{}).register(flags)
	for _, k := range p.config.schema().Keys {
		s, ok := set[k.Name]
		delete(set, k.Name)
		variable, path := p.binaryVariable(provider)
		builtIn := flags.Lookup(k.Name).DefValue
		switch {
		case k.Name == "bin" && path != "":
			list = append(list, reportedSetting{k.Name, []string{path}, source{Kind: "environment", Variable: variable}, nil})
		case ok:
			list = append(list, p.reported(s))
		case !slices.Contains([]string{"", "[]", "false", "0s"}, builtIn): // those say that it is off
			list = append(list, reportedSetting{k.Name, []string{builtIn}, source{Kind: "built in"}, nil})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		list = append(list, p.reported(set[name]))
	}
	return list
}

// reportedHook is a hook of the user's file.
type reportedHook struct {
	Events  []string `json:"events"`
	Command []string `json:"command"`
	From    source   `json:"from"`
}

func (p *runPlan) reportedHook(h config.Hook) reportedHook {
	return reportedHook{h.Events, providers.NewRedactor(p.sys.Env).RedactArgs(h.Command), sourceOf(h.Origin)}
}

func (p *runPlan) binaryVariable(provider string) (variable, path string) {
	found, err := findProvider(provider)
	if err != nil {
		return "", ""
	}
	variable = found.About().Binary.Env
	return variable, providers.Lookup(p.sys.Env)(variable)
}

func (p *runPlan) reported(s config.Setting) reportedSetting {
	redact := providers.NewRedactor(p.sys.Env).Redact
	r := reportedSetting{Name: s.Name, Values: []string{}, From: sourceOf(s.Origin)}
	for _, v := range s.Values {
		if s.Name == "env" {
			r.Values = append(r.Values, redactChange(v, redact))
		} else {
			r.Values = append(r.Values, redact(v))
		}
	}
	for _, o := range s.Over {
		r.Over = append(r.Over, sourceOf(o))
	}
	return r
}

// write prints the report for people.
func (r *configReport) write(w io.Writer) error {
	var rows [][]string
	for _, s := range r.Settings {
		rows = append(rows, []string{s.Name, shellWords(s.Values), s.From.String()})
	}
	if err := writeTable(w, rows); err != nil {
		return err
	}
	var b strings.Builder
	if len(r.Profiles) > 0 {
		fmt.Fprintf(&b, "\nprofiles: %s\n", strings.Join(r.Profiles, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Aliases)) {
		fmt.Fprintf(&b, "alias %s: %s\n", name, r.Aliases[name])
	}
	for _, h := range r.Hooks {
		fmt.Fprintf(&b, "hook %s: %s  %s\n", strings.Join(h.Events, ", "), shellWords(h.Command), h.From)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

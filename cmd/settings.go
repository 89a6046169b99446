package cmd

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/config"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/workspace"
)

// configure reads the configuration and decides on the provider: it returns the
// provider's name and, if there is one, the prompt.
func (p *runPlan) configure(args []string) ([]string, error) {
	if err := p.readConfigFiles(); err != nil {
		return nil, err
	}
	profile, err := p.profile()
	if err != nil {
		return nil, err
	}
	return p.nameProvider(profile, args)
}

func (p *runPlan) readConfigFiles() error {
	p.config = newConfigured()
	if p.flags.noConfig {
		return nil
	}
	dir, err := workspace.Root(p.sys.Cwd, cmp.Or(p.flags.cwd, "."))
	if err != nil {
		return nil //nolint:nilerr // placeRun tells of it
	}
	p.config, err = loadConfig(p.sys, dir)
	return err
}

// profile finds the profile that was asked for, or none.
func (p *runPlan) profile() (config.Profile, error) {
	name := p.flags.profile
	if name == "" {
		return config.Profile{}, nil
	}
	profile, ok := p.config.files.Profile(name)
	if ok {
		return profile, nil
	}
	var names []string
	for _, other := range p.config.files.Profiles() {
		names = append(names, other.Name)
	}
	err := providers.Errorf(providers.Usage, providers.ReasonConfig, "no profile %q", name)
	if near := providers.Nearest(name, names); near != "" {
		return profile, err.WithHint("did you mean %q?", near)
	}
	if len(names) == 0 {
		return profile, err.WithHint("write it as [profiles.%s] into %s", name, p.config.user)
	}
	return profile, err.WithHint("the profiles are: %s", strings.Join(names, ", "))
}

// nameProvider decides between the argument and the profile's provider. One
// argument beside such a profile is the prompt, unless it is a provider's name.
func (p *runPlan) nameProvider(profile config.Profile, args []string) ([]string, error) {
	known := len(args) > 0 && (slices.Contains(providerList(), args[0]) || p.config.files.Aliases()[args[0]].Provider != "")
	if profile.Provider != "" && len(args) < 2 && !known {
		return append([]string{profile.Provider}, args...), nil
	}
	if len(args) == 0 {
		err := providers.Errorf(providers.Usage, "", "no provider was named")
		if profile.Name != "" {
			return nil, err.WithHint("profile %s names none either: %s", profile.Name, profile.Origin)
		}
		return nil, err.WithHint("the providers are: %s", providerNames())
	}
	name := args[0]
	if alias, ok := p.config.files.Aliases()[name]; ok {
		name = alias.Provider
	}
	if profile.Provider != "" && known && name != profile.Provider {
		return nil, providers.Errorf(providers.Usage, providers.ReasonConfig, "profile %s is for %s, not for %s", profile.Name, profile.Provider, name).
			WithHint("see %s", profile.Origin)
	}
	return append([]string{name}, args[1:]...), nil
}

// applyConfig sets the flags that the command line left alone as the files say.
func (p *runPlan) applyConfig(c *cobra.Command) error {
	if p.flags.noConfig {
		return nil
	}
	if err := p.config.enter(p.job.Request.Cwd); err != nil {
		return err
	}
	p.origins = map[string]config.Origin{}
	if p.config.files == (config.Files{}) {
		return nil
	}
	for _, s := range p.config.files.Settings(p.config.schema(), p.job.Provider.About().Name, p.flags.profile) {
		known := fieldOf(s) != "" || c.Flags().Lookup(s.Name) != nil // attach has few flags
		if !known || p.typed(c, s.Name) || lifted(s) {
			continue
		}
		if err := p.apply(c, s); err != nil {
			return err
		}
	}
	return nil
}

// lifted reports whether a setting takes a limit back that a weaker section has.
func lifted(s config.Setting) bool {
	return (s.Name == "max-cost" || s.Name == "max-turns") && s.Values[0] == "0"
}

// typed reports whether the command line already says what a setting would. The
// forms of stdout go together, and a program's variable is as good as its flag.
func (p *runPlan) typed(c *cobra.Command, name string) bool {
	changed := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool {
			_, ours := p.origins[n]
			return !ours && c.Flags().Changed(n)
		})
	}
	switch name {
	case "output", "quiet":
		return changed("output", "quiet")
	case "stamp", "deltas":
		return changed(name) || changed("output") && p.flags.output == outputResult
	case "bin":
		return changed(name) || providers.Lookup(p.sys.Env)(p.job.Provider.About().Binary.Env) != ""
	}
	return c.Flags().Lookup(name) != nil && changed(name)
}

func (p *runPlan) apply(c *cobra.Command, s config.Setting) error {
	if field := fieldOf(s); field != "" {
		p.applyField(field, s)
		return nil
	}
	values := s.Values
	if s.Name == "schema" && s.Origin.Repository && !ndjson.Valid([]byte(values[0])) {
		path, err := p.config.schemaPath(s)
		if err != nil {
			return err
		}
		values = []string{path}
	}
	if s.Name == "policy" {
		values = []string{besideFile(p.sys, s)}
	}
	p.origins[s.Name] = s.Origin
	for _, v := range values {
		if err := c.Flags().Set(s.Name, v); err != nil {
			return p.blame(s.Name, providers.Errorf(providers.Usage, providers.ReasonConfig, "%s: %w", s.Name, err))
		}
	}
	return nil
}

// applyField is --set, unless that was typed for the same field.
func (p *runPlan) applyField(field string, s config.Setting) {
	for _, kv := range p.flags.set {
		name, _, _ := strings.Cut(kv, "=")
		if strings.ReplaceAll(name, "-", "_") == field {
			return
		}
	}
	p.origins[s.Name] = s.Origin
	for _, v := range s.Values {
		p.fields = append(p.fields, [2]string{field, v})
	}
}

// blame puts the place into the error of a setting that a file gave.
func (p *runPlan) blame(name string, err error) error {
	origin, ok := p.origins[name]
	e, ours := errors.AsType[*providers.Error](err)
	if !ok || !ours {
		return err
	}
	placed := *e
	placed.Message = origin.String() + ": " + e.Message
	return &placed
}

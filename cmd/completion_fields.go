package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentrun/providers"
	"agentrun/providers/all"
)

// about lists the provider that the command line names, or all.
func (s completer) about(c *cobra.Command, args []string) []providers.Provider {
	if p := s.named(c, args); p != nil {
		return []providers.Provider{p}
	}
	return all.Providers()
}

// choices offers the values of a field that has a fixed set.
func (s completer) choices(field string) list {
	return func(c *cobra.Command, args []string) []cobra.Completion {
		var words []cobra.Completion
		for _, p := range s.about(c, args) {
			for _, f := range providers.FieldsOf(p.NewFields()) {
				if f.Name == field {
					words = append(words, f.Choices...)
				}
			}
		}
		return unique(words)
	}
}

// models offers those that recorded runs had.
func (s completer) models(c *cobra.Command, args []string) []cobra.Completion {
	var words []cobra.Completion
	for _, r := range s.records(c, args) {
		if r.Model != "" {
			words = append(words, r.Model)
		}
	}
	return unique(words)
}

func (s completer) fences(c *cobra.Command, args []string) []cobra.Completion {
	var words []cobra.Completion
	for _, p := range s.about(c, args) {
		for _, f := range p.About().Fences {
			words = append(words, cobra.CompletionWithDesc(f.Name, f.Help))
		}
	}
	return unique(words)
}

// fields offers `field=`, and behind it the field's values.
func (s completer) fields(c *cobra.Command, args []string, toComplete string) ([]cobra.Completion, cobra.ShellCompDirective) {
	name, _, valued := strings.Cut(toComplete, "=")
	var words []cobra.Completion
	for _, p := range s.about(c, args) {
		for _, f := range providers.FieldsOf(p.NewFields()) {
			switch {
			case !valued:
				words = append(words, cobra.CompletionWithDesc(f.Name+"=", f.Help))
			case f.Name == strings.ReplaceAll(name, "-", "_"):
				for _, v := range valuesOf(f) {
					words = append(words, name+"="+v)
				}
			}
		}
	}
	if valued && len(words) == 0 {
		return nil, cobra.ShellCompDirectiveDefault // the value may be a file
	}
	directive := cobra.ShellCompDirectiveNoFileComp
	if !valued {
		directive |= cobra.ShellCompDirectiveNoSpace
	}
	return unique(words), directive
}

func valuesOf(f providers.Field) []string {
	if f.Type == "bool" {
		return []string{"true", "false"}
	}
	return f.Choices
}

// variables offers the names of our variables.
func (s completer) variables(suffix string) words {
	return func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		var words []cobra.Completion
		for _, kv := range s.sys.Env {
			if name, _, ok := strings.Cut(kv, "="); ok && name != "" {
				words = append(words, name+suffix)
			}
		}
		slices.Sort(words)
		return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

// unique keeps the first of those that are the same but for their description.
func unique(words []cobra.Completion) []cobra.Completion {
	seen := map[string]bool{}
	return slices.DeleteFunc(words, func(word cobra.Completion) bool {
		name, _, _ := strings.Cut(word, "\t")
		known := seen[name]
		seen[name] = true
		return known
	})
}

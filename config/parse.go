package config

import (
	"maps"
	"slices"
	"strings"
)

// The sections of a file.
const (
	sectionDefaults  = "defaults"
	sectionProviders = "providers"
	sectionProfiles  = "profiles"
	sectionAliases   = "aliases"
	sectionHooks     = "hooks" // a list
	fieldsTable      = "fields"
	providerKey      = "provider" // of a profile
)

// File is a file that was read: its settings by section, in their order.
type File struct {
	sections map[string][]Setting // by defaults, providers.NAME, profiles.NAME
	profiles map[string]Profile
	aliases  map[string]Alias
	hooks    []Hook
}

// Profile is a named set of settings.
type Profile struct {
	Name     string
	Provider string // "" is any
	Origin   Origin
}

// Alias is another name of a provider.
type Alias struct {
	Provider string
	Origin   Origin
}

// Parse reads a file. The error is an *Error for the first thing that is wrong:
// no TOML, an unknown key, a wrong value, or, with repository, what only the
// user's own file may say.
func Parse(path string, text []byte, repository bool, schema Schema) (*File, error) {
	at := Origin{File: path, Line: 1, Column: 1, Repository: repository}
	leaves, err := readTOML(at, text)
	if err != nil {
		return nil, err
	}
	p := &parser{
		schema: schema,
		file:   &File{sections: map[string][]Setting{}, profiles: map[string]Profile{}, aliases: map[string]Alias{}},
	}
	p.lookAhead(leaves)
	for _, l := range leaves {
		if err := p.take(l); err != nil {
			return nil, err
		}
	}
	if err := p.checkHooks(); err != nil {
		return nil, err
	}
	return p.file, nil
}

type parser struct {
	schema    Schema
	file      *File
	providers map[string]string // of the profiles that name one
}

// lookAhead finds the providers of the profiles, for the checks of their fields.
func (p *parser) lookAhead(leaves []leaf) {
	p.providers = map[string]string{}
	for _, l := range leaves {
		if text, ok := l.value.(string); ok && len(l.path) == 3 && l.path[0] == sectionProfiles && l.path[2] == providerKey {
			p.providers[l.path[1]] = text
		}
	}
}

// take returns a plain error, so that none is nil.
func (p *parser) take(l leaf) error {
	l.at.Section = strings.Join(l.path[:min(len(l.path), 2)], ".")
	switch l.path[0] {
	case sectionDefaults:
		l.at.Section = sectionDefaults
		return p.inSection(l, l.path[1:], "")
	case sectionProviders:
		return p.inProvider(l)
	case sectionProfiles:
		return p.inProfile(l)
	case sectionAliases:
		return p.inAliases(l)
	case sectionHooks:
		l.at.Section = sectionHooks
		return p.hook(l)
	}
	hint := "the sections are [defaults], [providers.NAME], [profiles.NAME], [aliases] and [[hooks]]"
	if _, table := l.value.(map[string]any); len(l.path) == 1 && !table {
		return l.parts[0].errorf(hint, "%q stands in no section", l.path[0])
	}
	sections := []string{sectionDefaults, sectionProviders, sectionProfiles, sectionAliases, sectionHooks}
	return l.parts[0].errorf(p.schema.meant(l.path[0], sections, hint), "unknown section %q", l.path[0])
}

func (p *parser) inProvider(l leaf) error {
	if len(l.path) < 2 {
		return l.wantsTables("providers")
	}
	if err := p.knowsProvider(l.parts[1], l.path[1]); err != nil {
		return err
	}
	return p.inSection(l, l.path[2:], l.path[1])
}

func (p *parser) knowsProvider(at Origin, name string) error {
	if _, ok := p.schema.Fields[name]; ok {
		return nil
	}
	names := slices.Sorted(maps.Keys(p.schema.Fields))
	return at.errorf(p.schema.meant(name, names, "the providers are: "+strings.Join(names, ", ")), "unknown provider %q", name)
}

func (p *parser) inProfile(l leaf) error {
	if len(l.path) < 2 {
		return l.wantsTables("profiles")
	}
	name := l.path[1]
	profile, known := p.file.profiles[name]
	if !known {
		profile = Profile{Name: name, Provider: p.providers[name], Origin: l.parts[1]}
		p.file.profiles[name] = profile
	}
	if len(l.path) != 3 || l.path[2] != providerKey {
		return p.inSection(l, l.path[2:], profile.Provider)
	}
	text, ok := l.value.(string)
	if !ok {
		return l.wrongValue(providerKey, "the name of a provider in quotes")
	}
	return p.knowsProvider(l.at, text)
}

func (p *parser) inAliases(l leaf) error {
	if _, empty := l.value.(map[string]any); empty && len(l.path) == 1 {
		return nil
	}
	text, ok := l.value.(string)
	if !ok || len(l.path) != 2 {
		return l.at.errorf(`write it like cc = "claude"`, "an alias wants the name of a provider in quotes")
	}
	if _, taken := p.schema.Fields[l.path[1]]; taken {
		return l.at.errorf("choose another name", "%q is the name of a provider and cannot be an alias", l.path[1])
	}
	if err := p.knowsProvider(l.at, text); err != nil {
		return err
	}
	l.at.Section = sectionAliases
	p.file.aliases[l.path[1]] = Alias{text, l.at}
	return nil
}

// inSection takes a setting: rest is its path in the section. Fields are checked
// where the provider is known.
func (p *parser) inSection(l leaf, rest []string, provider string) error {
	if len(rest) == 0 {
		if _, table := l.value.(map[string]any); table {
			return nil
		}
		return l.wantsTables(l.at.Section)
	}
	if rest[0] == fieldsTable {
		return p.field(l, rest[1:], provider)
	}
	key, err := p.key(l, rest[0])
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return l.wrongValue(key.Name, expected(key))
	}
	return p.add(l, key, key.Name)
}

func (p *parser) key(l leaf, word string) (Key, error) {
	name := strings.ReplaceAll(word, "_", "-")
	var names []string
	for _, k := range p.schema.Keys {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Key{}, l.at.errorf(
		p.schema.meant(name, names, "settings are named as the flags of `agentrun run`; a provider's own fields stand in [providers.NAME.fields]"),
		"unknown setting %q", word)
}

func (p *parser) field(l leaf, rest []string, provider string) error {
	if l.at.Section == sectionDefaults {
		return l.at.errorf("put them into [providers.NAME.fields] or [profiles.NAME.fields]", "fields belong to a provider")
	}
	if len(rest) == 0 {
		if _, table := l.value.(map[string]any); table {
			return nil
		}
	}
	if len(rest) != 1 {
		return l.at.errorf(`write it like fields = {name = "value"}`, "fields wants a table of values")
	}
	name := strings.ReplaceAll(rest[0], "-", "_")
	key := Key{Name: name}
	if provider != "" {
		fields := p.schema.Fields[provider]
		i := slices.IndexFunc(fields, func(k Key) bool { return k.Name == name })
		if i < 0 {
			return p.unknownField(l, provider, rest[0], fields)
		}
		key = fields[i]
	}
	return p.add(l, key, fieldsTable+"."+name)
}

func (p *parser) unknownField(l leaf, provider, word string, fields []Key) error {
	var names []string
	for _, k := range fields {
		names = append(names, k.Name)
	}
	return l.at.errorf(p.schema.meant(word, names, "see `agentrun providers "+provider+"`"), "%s has no field %q", provider, word)
}

// add keeps a setting whose value is right and which the file may give.
func (p *parser) add(l leaf, key Key, name string) error {
	values, err := p.values(l, key, name)
	if err != nil {
		return err
	}
	if l.at.Repository {
		if err := l.allowed(key, name, values); err != nil {
			return err
		}
	}
	p.file.sections[l.at.Section] = append(p.file.sections[l.at.Section], Setting{Name: name, Values: values, Origin: l.at})
	return nil
}

func (l leaf) wantsTables(section string) error {
	return l.at.errorf("write ["+section+".NAME] and the settings below it", "%q is a section, not a setting", l.path[len(l.path)-1])
}

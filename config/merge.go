package config

import (
	"maps"
	"slices"
)

// Files are the files that hold together; either may be nil.
type Files struct {
	User, Repository *File
}

// Profile finds a profile. One of the user's own file hides that of the
// repository's whole, so that nobody else changes what the user's profile means.
func (f Files) Profile(name string) (Profile, bool) {
	for _, file := range []*File{f.User, f.Repository} {
		if file != nil {
			if p, ok := file.profiles[name]; ok {
				return p, true
			}
		}
	}
	return Profile{}, false
}

// Profiles lists the profiles by name.
func (f Files) Profiles() []Profile {
	byName := map[string]Profile{}
	for _, file := range []*File{f.Repository, f.User} {
		if file != nil {
			maps.Copy(byName, file.profiles)
		}
	}
	return sorted(byName)
}

// Aliases returns the aliases by name; the user's own come first.
func (f Files) Aliases() map[string]Alias {
	all := map[string]Alias{}
	for _, file := range []*File{f.Repository, f.User} {
		if file != nil {
			maps.Copy(all, file.aliases)
		}
	}
	return all
}

func sorted[T any](byName map[string]T) []T {
	var list []T
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		list = append(list, byName[name])
	}
	return list
}

// Settings returns what holds for a run of the provider with the profile, by
// name; either may be "". A profile beats the provider's section, and that beats
// the defaults; within one section the repository's file beats the user's, but no
// limit of a repository's file is looser than the user's.
func (f Files) Settings(schema Schema, provider, profile string) []Setting {
	byName := map[string]*contest{}
	for _, layer := range f.layers(provider, profile) {
		for _, s := range layer {
			c := byName[s.Name]
			if c == nil {
				c = &contest{}
				byName[s.Name] = c
			}
			c.enter(s)
		}
	}
	var list []Setting
	for _, c := range sorted(byName) {
		list = append(list, c.winner(schema.key(c.all[0].Name)))
	}
	return list
}

// contest is all values of one setting, the strongest first.
type contest struct {
	all  []Setting
	user int // the strongest of the user's own, counted from 1; 0 is none
}

func (c *contest) enter(s Setting) {
	c.all = append(c.all, s)
	if !s.Origin.Repository && c.user == 0 {
		c.user = len(c.all)
	}
}

func (c *contest) winner(key Key) Setting {
	best, values := 0, c.all[0].Values
	if key.Reach == Tighten && c.all[0].Origin.Repository && c.user > 0 {
		own := c.all[c.user-1].Values
		switch {
		case key.Kind == List: // it can deny more, not less
			values = slices.Concat(own, values)
		case looser(key.Kind, values[0], own[0]):
			best, values = c.user-1, own
		}
	}
	won := c.all[best]
	won.Values = values
	for i, s := range c.all {
		if i != best {
			won.Over = append(won.Over, s.Origin)
		}
	}
	return won
}

// layers lists the sections that hold, the strongest first.
func (f Files) layers(provider, profile string) [][]Setting {
	var layers [][]Setting
	add := func(file *File, section string) {
		if file != nil {
			layers = append(layers, file.sections[section])
		}
	}
	if p, ok := f.Profile(profile); ok {
		owner := f.User
		if p.Origin.Repository {
			owner = f.Repository
		}
		add(owner, sectionProfiles+"."+profile)
	}
	for _, section := range []string{sectionProviders + "." + provider, sectionDefaults} {
		add(f.Repository, section)
		add(f.User, section)
	}
	return layers
}

// looser reports whether limit a allows more than limit b; 0 is no limit.
func looser(kind Kind, a, b string) bool {
	x, y := limit(kind, a), limit(kind, b)
	return y != 0 && (x == 0 || x > y)
}

package providers

import (
	"slices"
	"sort"
	"strings"
)

// Environment builds a child's complete environment: what is inherited minus
// the exact names in drop, plus the settings of set. Of a name that comes more
// than once, the last wins; what is no NAME=VALUE is not inherited. It returns
// the environment, sorted, and for people what was changed.
func Environment(inherited []string, drop []string, set []string) (env []string, changes []string) {
	values := map[string]string{}
	for _, kv := range inherited {
		name, value, ok := strings.Cut(kv, "=")
		if ok && name != "" {
			values[name] = value
		}
	}
	for _, name := range drop {
		if _, ok := values[name]; ok {
			delete(values, name)
			changes = append(changes, "-"+name)
		}
	}
	names, last := lastOf(set)
	for _, name := range names {
		if old, ok := values[name]; !ok || old != last[name] {
			changes = append(changes, "+"+name+"="+last[name])
		}
		values[name] = last[name]
	}
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	sort.Strings(env)
	return env, changes
}

// lastOf returns the names of settings in the order in which they first come,
// and the last value of each.
func lastOf(set []string) (names []string, last map[string]string) {
	last = map[string]string{}
	for _, kv := range set {
		name, value, _ := strings.Cut(kv, "=")
		if _, again := last[name]; !again && name != "" {
			names = append(names, name)
		}
		last[name] = value
	}
	return names, last
}

// Lookup returns a function that reads an environment.
func Lookup(env []string) func(string) string {
	return func(name string) string {
		for _, kv := range slices.Backward(env) {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

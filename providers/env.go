package providers

import (
	"slices"
	"sort"
	"strings"
)

// Environment builds a child's complete environment: what is inherited minus
// the exact names in drop, plus the settings of set, the later winning. It
// returns the environment and, for people, what was changed.
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
	for _, kv := range set {
		name, value, _ := strings.Cut(kv, "=")
		if old, ok := values[name]; !ok || old != value {
			changes = append(changes, "+"+kv)
		}
		values[name] = value
	}
	for name, value := range values {
		env = append(env, name+"="+value)
	}
	sort.Strings(env)
	return env, changes
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

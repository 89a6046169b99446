package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Hook is a command of the user's that runs at points of a run.
type Hook struct {
	Events    []string
	Command   []string // not empty, and neither is its first word
	Providers []string // empty is any
	Tools     []string // patterns of tools' names; empty is any
	Timeout   time.Duration
	OnFailure string // block or proceed; "" leaves it to the event
	Origin    Origin
}

// Hooks returns the hooks in their order. They are the user's alone.
func (f Files) Hooks() []Hook {
	if f.User == nil {
		return nil
	}
	return f.User.hooks
}

// The keys of a hook.
const (
	hookEvent     = "event"
	hookCommand   = "command"
	hookProvider  = "provider"
	hookTool      = "tool"
	hookTimeout   = "timeout"
	hookOnFailure = "on_failure"
)

func (p *parser) hookKeys() []Key {
	return []Key{
		{Name: hookEvent, Kind: Texts, Choices: p.schema.Events},
		{Name: hookCommand, Kind: List},
		{Name: hookProvider, Kind: Texts, Choices: slices.Sorted(maps.Keys(p.schema.Fields))},
		{Name: hookTool, Kind: Texts},
		{Name: hookTimeout, Kind: Duration},
		{Name: hookOnFailure, Kind: Text, Choices: []string{"block", "proceed"}},
	}
}

// hook takes a value of a [[hooks]] table.
func (p *parser) hook(l leaf) error {
	switch _, empty := l.value.(map[string]any); {
	case l.at.Repository:
		return l.parts[0].errorf("put them into your own file (see `agentrun config path`)", "a repository's file cannot set hooks")
	case len(l.path) == 1 && empty: // a list of none
		return nil
	case len(l.path) == 1:
		return l.parts[0].errorf("write [[hooks]] over each hook", "hooks is a list of tables")
	}
	n, err := strconv.Atoi(l.path[1])
	if err != nil {
		return err // the path is made of numbers
	}
	for len(p.file.hooks) <= n {
		p.file.hooks = append(p.file.hooks, Hook{Timeout: p.schema.HookTimeout, Origin: l.parts[1].in(sectionHooks)})
	}
	if len(l.path) == 2 {
		return nil // empty, and found to lack all
	}
	key, err := p.hookKey(l)
	if err != nil {
		return err
	}
	if len(l.path) > 3 {
		return l.wrongValue(key.Name, expected(key))
	}
	values, err := p.values(l, key, key.Name)
	if err != nil {
		return err
	}
	return p.file.hooks[n].set(l, key, values)
}

func (p *parser) hookKey(l leaf) (Key, error) {
	word := l.path[2]
	var names []string
	for _, k := range p.hookKeys() {
		if k.Name == strings.ReplaceAll(word, "-", "_") {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Key{}, l.parts[2].errorf(p.schema.meant(word, names, "the keys of a hook are: "+strings.Join(names, ", ")), "unknown key %q of a hook", word)
}

func (h *Hook) set(l leaf, key Key, values []string) error {
	if key.Kind != Duration && len(values) == 0 || slices.Contains(values, "") && key.Name != hookCommand {
		return l.wrongValue(key.Name, expected(key))
	}
	switch key.Name {
	case hookEvent:
		h.Events = values
	case hookCommand:
		if values[0] == "" {
			return l.at.errorf("", "command begins with the program, found an empty text")
		}
		h.Command = values
	case hookProvider:
		h.Providers = values
	case hookTool:
		h.Tools = values
	case hookTimeout:
		h.Timeout, _ = time.ParseDuration(values[0]) // it was checked
		if h.Timeout == 0 {
			return l.at.errorf("", "timeout wants more than 0: a hook is always bounded")
		}
	case hookOnFailure:
		h.OnFailure = values[0]
	}
	return nil
}

// checkHooks finds what a hook cannot be without.
func (p *parser) checkHooks() error {
	for _, h := range p.file.hooks {
		switch {
		case len(h.Events) == 0:
			return h.Origin.errorf("the events are: "+strings.Join(p.schema.Events, ", "), "the hook has no event")
		case len(h.Command) == 0:
			return h.Origin.errorf(`write it like command = ["notify-send", "done"]`, "the hook has no command")
		}
	}
	return nil
}

func (o Origin) in(section string) Origin {
	o.Section = section
	return o
}

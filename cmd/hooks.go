package cmd

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"agentrun/config"
	"agentrun/hooks"
	"agentrun/policy"
	"agentrun/providers"
	"agentrun/stream"
)

// hookVariable names the event in a hook's environment. A run within a hook has no
// hooks of its own, or there would be no end of them.
const hookVariable = "AGENTRUN_HOOK"

// hookEnv tells the vendor's tools, too, that all of this is within a hook.
func (p *runPlan) hookEnv() []string {
	if event := providers.Lookup(p.sys.Env)(hookVariable); event != "" {
		return []string{hookVariable + "=" + event}
	}
	return nil
}

// reasonHook is the reason of a run that a hook kept from starting, or ended.
const reasonHook = "hook"

// useHooks takes those hooks of the user's file that are for this provider. Those
// that decide need the two-way mode, as a policy does.
func (p *runPlan) useHooks() error {
	if p.flags.noHooks || providers.Lookup(p.sys.Env)(hookVariable) != "" {
		return nil
	}
	for _, h := range p.config.files.Hooks() {
		if !isFor(h, p.job.Provider.About().Name) {
			continue
		}
		hook, err := p.hook(h)
		if err != nil {
			return err
		}
		p.hooks = append(p.hooks, hook)
	}
	return p.checkDeciding()
}

func isFor(h config.Hook, provider string) bool {
	return len(h.Providers) == 0 || slices.Contains(h.Providers, provider)
}

func (p *runPlan) hook(h config.Hook) (hooks.Hook, error) {
	program := h.Command[0]
	if strings.Contains(program, "/") {
		program = besideFile(p.sys, config.Setting{Values: []string{program}, Origin: h.Origin})
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return hooks.Hook{}, providers.Errorf(providers.Usage, providers.ReasonConfig, "%s: the hook's program cannot be run: %w", h.Origin, err).
			WithHint("command is a list of the program and its arguments; without hooks: --no-hooks")
	}
	hook := hooks.Hook{
		Path: path, Args: h.Command[1:], Place: h.Origin.String(), Timeout: h.Timeout, OnFailure: stream.HookAction(h.OnFailure),
	}
	for _, e := range h.Events {
		hook.Events = append(hook.Events, stream.HookEvent(e))
	}
	for _, t := range h.Tools {
		hook.Tools = append(hook.Tools, policy.NewGlob(t))
	}
	return hook, nil
}

// checkDeciding makes sure that what the hooks are to decide about is asked, and
// that somebody can allow it.
func (p *runPlan) checkDeciding() error {
	const leave = "; or leave hooks out with --no-hooks"
	title := p.job.Provider.About().Title
	_, converses := p.job.Provider.(providers.Converser)
	for _, h := range p.hooks {
		switch {
		case !decides(h):
		case !converses:
			return providers.Errorf(providers.Unsupported, reasonHook, "%s: %s has no two-way mode, and no hook can decide there", h.Place, title).
				WithHint("name those that have one in the hook, like provider = [%s]%s", quotedList(conversers()), leave)
		case p.policy == nil && !p.flags.live:
			// Made to ask, the vendor would have every call declined; and left to itself,
			// it may run more in its two-way mode than in the other (gemini 0.61.0).
			return providers.Errorf(providers.Usage, providers.ReasonConfig, "%s: a hook only narrows, and in a run nobody but a policy allows what the agent asks", h.Place).
				WithHint("give one with --policy FILE, or policy in the configuration%s", leave)
		case slices.Contains(h.Events, stream.HookBeforeTool):
			p.job.Request.Asks = true
		}
	}
	return nil
}

// decides reports whether a hook decides about what the agent asks.
func decides(h hooks.Hook) bool {
	return slices.Contains(h.Events, stream.HookBeforeTool) || slices.Contains(h.Events, stream.HookOnRequest)
}

func quotedList(words []string) string {
	var list []string
	for _, w := range words {
		list = append(list, fmt.Sprintf("%q", w))
	}
	return strings.Join(list, ", ")
}

// forHooks adds to an error of the two-way mode that a hook is why there is one.
func (p *runPlan) forHooks(err error) error {
	i := slices.IndexFunc(p.hooks, decides)
	if p.flags.live || p.policy != nil || i < 0 {
		return err
	}
	if e, ok := errors.AsType[*providers.Error](err); ok && e.Hint == "" {
		return e.WithHint("the hook at %s needs the two-way mode; leave hooks out with --no-hooks", p.hooks[i].Place)
	}
	return err
}

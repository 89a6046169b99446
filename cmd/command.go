package cmd

import (
	"slices"
	"strings"

	"agentrun/providers"
)

// buildCommand lets the adapter make its command, and completes the environment.
func (p *runPlan) buildCommand() error {
	about := p.job.Provider.About()
	r := &p.job.Request
	inherited, err := p.inherited()
	if err != nil {
		return err
	}
	var loopback providers.LoopbackCommand
	if p.flags.mock != "" {
		if p.mock, err = startMock(p); err != nil {
			return err
		}
		loopback = p.mock.command
		inherited = only(inherited, []string{"PATH", "LANG", "TERM", "SHELL", "USER"})
	} else if p.flags.mockHome != "" || p.flags.mockLog != "" {
		return providers.Errorf(providers.Usage, "", "--mock-home and --mock-log go with --mock")
	}
	own := slices.Concat([]string{"PWD=" + r.Cwd}, p.traceEnv(), p.hookEnv(), loopback.Env)
	base, _ := providers.Environment(inherited, about.EnvDrop, slices.Concat(own, p.flags.env))
	r.Env = providers.Lookup(base)
	r.VendorArgs = append(append([]string{}, loopback.Args...), p.flags.vendorArgs...)
	p.job.Supervisor = p.sys.Self
	p.remake = func() error { return p.makeCommand(inherited, own) }
	return p.remake()
}

// makeCommand lets the adapter make its command of the request, and adds what that
// wants of the environment.
func (p *runPlan) makeCommand(inherited, own []string) (err error) {
	if p.job.Command, err = p.vendorCommand(); err != nil {
		return p.forHooks(err)
	}
	drop := slices.Concat(p.job.Provider.About().EnvDrop, p.job.Command.UnsetEnv)
	// What the user states with --env wins over what the adapter adds.
	set := slices.Concat(own, p.job.Command.SetEnv, p.flags.env)
	p.job.Env, p.changes = providers.Environment(inherited, drop, set)
	return nil
}

// inherited is what the vendor may inherit of our environment: all but our own variables.
func (p *runPlan) inherited() ([]string, error) {
	for _, kv := range p.flags.env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" {
			return nil, providers.Errorf(providers.Usage, "", "--env %s: not NAME=VALUE", kv)
		}
	}
	if len(p.flags.envOnly) > 0 {
		return only(p.sys.Env, p.flags.envOnly), nil
	}
	var env []string
	for _, kv := range p.sys.Env {
		if !strings.HasPrefix(kv, "AGENTRUN_") && (p.ci == nil || !commandFile(kv)) {
			env = append(env, kv)
		}
	}
	return env, nil
}

func only(env, names []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		for _, n := range names {
			if n == name {
				kept = append(kept, kv)
			}
		}
	}
	return kept
}

// vendorCommand is the adapter's command, of its one-way or its two-way mode.
func (p *runPlan) vendorCommand() (providers.Command, error) {
	if !p.twoWay() {
		return p.job.Provider.Command(p.job.Request)
	}
	c, err := p.converser()
	if err != nil {
		return providers.Command{}, err
	}
	r := p.job.Request
	r.Prompt = "" // it is the first message
	return c.LiveCommand(r)
}

package cmd

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentrun/live"
	"agentrun/policy"
	"agentrun/providers"
	"agentrun/stream"
)

// usePolicy reads the policy that a run is held to. It needs the two-way mode:
// nothing else lets us answer before a tool runs.
func (p *runPlan) usePolicy() error {
	if p.flags.policy == "" {
		return nil
	}
	rules, err := readPolicy(p.flags.policy)
	if err != nil {
		return p.blame("policy", err)
	}
	if _, ok := p.job.Provider.(providers.Converser); !ok {
		err := providers.Errorf(providers.Unsupported, "policy", "%s cannot be held to a policy: it has no two-way mode", p.job.Provider.About().Title)
		return p.blame("policy", err.WithHint("these providers can: %s", strings.Join(conversers(), ", ")))
	}
	p.policy = &decider{policy: rules, provider: p.job.Provider.About().Name, depths: map[string]int{}, open: map[string]openCall{}}
	p.policy.world = worldAt(p.sys, p.job.Request.Cwd)
	p.job.Request.Asks = true
	return nil
}

// conversers lists the providers that have a two-way mode.
func conversers() []string {
	return slices.DeleteFunc(providerList(), func(name string) bool {
		p, err := findProvider(name)
		_, ok := p.(providers.Converser)
		return err != nil || !ok
	})
}

// readPolicy reads a file of rules.
func readPolicy(path string) (*policy.Policy, error) {
	text, err := readConfig(path)
	switch {
	case err != nil:
		return nil, providers.Errorf(providers.Usage, "policy", "the policy cannot be read: %w", err)
	case text == nil:
		return nil, providers.Errorf(providers.Usage, "policy", "there is no policy %s", path)
	}
	rules, err := policy.Parse(path, text, policy.Vocabulary{Providers: providerList(), Nearest: providers.Nearest})
	if err == nil {
		return rules, nil
	}
	e := providers.Errorf(providers.Usage, "policy", "%w", err)
	if bad, ok := errors.AsType[*policy.Error](err); ok && bad.Hint != "" {
		e = e.WithHint("%s", bad.Hint)
	}
	return nil, e
}

// worldAt is where the calls of an agent in that directory take effect.
func worldAt(sys IO, dir string) policy.World {
	return policy.World{
		Workspace: dir, Home: providers.Lookup(sys.Env)("HOME"), Resolve: resolveLinks,
		FoldCase: runtime.GOOS == "darwin" || runtime.GOOS == "windows",
	}
}

// resolveLinks follows the links of a path as far as it exists, and then those
// of a link to nowhere.
func resolveLinks(path string) string {
	const most = 40 // links to nowhere that lead to each other
	rest := ""
	for range most {
		at := path
		for {
			if real, err := filepath.EvalSymlinks(at); err == nil {
				return filepath.Join(real, rest)
			}
			if to, err := os.Readlink(at); err == nil { // of a link to nowhere
				if !filepath.IsAbs(to) {
					to = filepath.Dir(at) + string(filepath.Separator) + to
				}
				path = to
				break
			}
			// Not filepath.Dir, which takes a/link/../b for a/b.
			i := strings.LastIndexByte(at, filepath.Separator)
			if i <= 0 {
				return filepath.Join(string(filepath.Separator), at[i+1:], rest)
			}
			at, rest = at[:i], filepath.Join(at[i+1:], rest)
		}
	}
	return filepath.Join(path, rest)
}

// message is a run's prompt as the one message of a session that nobody attends.
func (p *runPlan) message() <-chan live.Input {
	in := stream.LiveInput{Type: stream.LiveMessage, Text: p.job.Request.Prompt}
	for _, path := range p.images {
		in.Parts = append(in.Parts, stream.Part{Type: "image", Path: path})
	}
	inputs := make(chan live.Input, 1)
	inputs <- live.Input{LiveInput: in}
	close(inputs)
	return inputs
}

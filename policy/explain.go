package policy

import (
	"fmt"
	"strings"
)

// Explanation is how a decision came about.
type Explanation struct {
	Decision
	Kind  string   `json:"kind"`
	Parts []string `json:"commands,omitempty"` // of a shell command
	// Opaque says why the commands are not all that happens.
	Opaque string   `json:"opaque,omitempty"`
	Paths  []string `json:"paths,omitempty"` // links followed
	// Steps are the rules that were looked at: all that did not fit, and the one that did.
	Steps []Step `json:"steps"`
}

// Step is one rule that was looked at.
type Step struct {
	Rule   int    `json:"rule"`
	Name   string `json:"name,omitempty"`
	Action Action `json:"action"`
	Place  Place  `json:"place"`
	Fits   bool   `json:"fits"`
	Why    string `json:"why"` // what fits, or the first condition that does not
}

// Explain decides on a call and says how.
func (p *Policy) Explain(c Call, w World) Explanation {
	f := see(c, w)
	e := Explanation{Kind: f.kind, Steps: []Step{}}
	if f.script != nil {
		e.Parts, e.Opaque = f.script.parts, f.script.opaque
	}
	for _, path := range f.paths {
		e.Paths = append(e.Paths, path.real)
	}
	if answers(c.Tool) {
		e.Decision = Decision{Action: Allow, Name: "answer", Reason: "it only hands over the answer"}
		return e
	}
	for i, r := range p.Rules {
		why, fits := r.fits(f, w)
		e.Steps = append(e.Steps, Step{i + 1, r.Name, r.Action, r.Place, fits, why})
		if !fits {
			continue
		}
		e.Decision = Decision{r.Action, i + 1, r.Name, r.Reason}
		if r.Reason == "" {
			e.Reason = fmt.Sprintf("the policy says %s: %s", r.Action, why)
		}
		return e
	}
	e.Decision = Decision{Action: p.Default, Reason: fmt.Sprintf("the policy says %s: no rule fits", p.Default)}
	return e
}

// fits says whether a rule fits a call, and why: all that fits, or the first
// condition that does not.
func (r Rule) fits(f facts, w World) (string, bool) {
	var fitting []string
	for _, condition := range []func(facts, World) (string, bool){
		r.fitsProvider, r.fitsDepth, r.fitsTool, r.fitsKind, r.fitsArgs, r.fitsPath,
	} {
		why, ok := condition(f, w)
		if !ok {
			return why, false
		}
		if why != "" {
			fitting = append(fitting, why)
		}
	}
	if len(fitting) == 0 {
		return "it has no condition", true
	}
	return strings.Join(fitting, ", "), true
}

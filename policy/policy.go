// Package policy decides what an agent may do: ordered rules, of which the first
// that fits a tool call allows it, denies it, or has somebody asked. The rules
// mean the same for every vendor.
//
// A rule that allows fits only what is wholly inside of it: every part of a
// compound command, every path. One that denies or asks fits what is in it in
// part. What cannot be told, like where a command writes, allows nothing.
//
// The package is pure: it opens nothing, and links are followed for it.
package policy

import (
	"fmt"
	"regexp"

	"agentrun/ndjson"
)

// Action is what a rule says of a call.
type Action string

// The actions.
const (
	Allow Action = "allow"
	Deny  Action = "deny"
	Ask   Action = "ask" // somebody; with nobody there it is a denial
)

// Policy is a file's rules.
type Policy struct {
	Rules []Rule
	// Default is the word on a call that no rule fits: Ask unless the file says otherwise.
	Default Action
}

// Rule is one rule. A condition that is not given fits every call.
type Rule struct {
	Name   string
	Action Action
	Reason string // for the agent and the audit trail
	Place  Place

	tools     []Glob
	kinds     []string
	providers []string
	field     string // of the input that args and pattern are about; "" is the shell command
	args      []Glob
	pattern   *regexp.Regexp
	paths     []pathGlob
	minDepth  int
	maxDepth  int // -1 is none
}

// Place is where something stands in a file.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`   // from 1
	Column int    `json:"column"` // from 1, in characters
}

// String is FILE:LINE:COLUMN.
func (p Place) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Error is a file that cannot be used.
type Error struct {
	Place   Place
	Message string
	Hint    string // the way out
}

// Error names the place and what was expected there.
func (e *Error) Error() string { return e.Place.String() + ": " + e.Message }

// Call is what an agent wants to do.
type Call struct {
	Provider string
	Tool     string // the vendor's name
	Input    ndjson.RawMessage
	Command  string   // the shell command, where the vendor tells it; else it is looked for in Input
	Paths    []string // what it touches, where the vendor tells; more is looked for in Input
	Depth    int      // of the subagent that calls; 0 is the main conversation
}

// World is where calls take effect.
type World struct {
	Workspace string   // absolute, without links: the directory that the agent works in
	Also      []string // more directories that count as inside
	Home      string   // what a leading ~ means, "" when unknown
	// Resolve follows the links of an absolute path, as far as it exists; nil follows none.
	Resolve func(string) string
	// FoldCase means that names which differ in case alone are one file.
	FoldCase bool
}

// Decision is the word on a call.
type Decision struct {
	Action Action `json:"action"`
	Rule   int    `json:"rule"` // that decided, from 1; 0 is the default
	Name   string `json:"name,omitempty"`
	Reason string `json:"reason"`
}

// Label names the rule for people: its name, else its number.
func (d Decision) Label() string {
	switch {
	case d.Name != "":
		return d.Name
	case d.Rule == 0:
		return "default"
	}
	return fmt.Sprint(d.Rule)
}

// Decide gives the word on a call: that of the first rule that fits it.
func (p *Policy) Decide(c Call, w World) Decision { return p.Explain(c, w).Decision }

// Warning is something that is no error and most likely not meant.
type Warning struct {
	Place   Place
	Message string
}

// Warnings lists the rules that can never decide: those behind one without a condition.
func (p *Policy) Warnings() []Warning {
	for i, r := range p.Rules {
		if r.conditions() == 0 && i+1 < len(p.Rules) {
			return []Warning{{p.Rules[i+1].Place, fmt.Sprintf("rule %d has no condition: this rule and those behind it never decide", i+1)}}
		}
	}
	return nil
}

func (r Rule) conditions() int {
	n := len(r.tools) + len(r.kinds) + len(r.providers) + len(r.args) + len(r.paths)
	if r.pattern != nil || r.minDepth > 0 || r.maxDepth >= 0 {
		n++
	}
	return n
}

package policy

import (
	"fmt"
	"slices"
	"strings"

	"agentrun/ndjson"
)

// The conditions say what fits or does not; "" is a condition that is not given.

func (r Rule) fitsProvider(f facts, _ World) (string, bool) {
	if len(r.providers) == 0 {
		return "", true
	}
	return "provider " + f.call.Provider, slices.Contains(r.providers, f.call.Provider)
}

func (r Rule) fitsDepth(f facts, _ World) (string, bool) {
	d := f.call.Depth
	if r.minDepth == 0 && r.maxDepth < 0 {
		return "", true
	}
	return fmt.Sprintf("depth %d", d), d >= r.minDepth && (r.maxDepth < 0 || d <= r.maxDepth)
}

func (r Rule) fitsTool(f facts, _ World) (string, bool) {
	if len(r.tools) == 0 {
		return "", true
	}
	return "tool " + f.call.Tool, anyFits(r.tools, f.call.Tool)
}

func (r Rule) fitsKind(f facts, _ World) (string, bool) {
	if len(r.kinds) == 0 {
		return "", true
	}
	return "kind " + f.kind, slices.Contains(r.kinds, f.kind)
}

func (r Rule) fitsArgs(f facts, _ World) (string, bool) {
	if len(r.args) == 0 && r.pattern == nil {
		return "", true
	}
	if r.field != "" {
		return r.fitsField(f)
	}
	if f.script == nil {
		return "it has no shell command", false
	}
	if len(r.args) > 0 {
		if why, ok := r.fitsCommand(*f.script, func(s string) bool { return anyFits(r.args, s) }); !ok {
			return why, false
		}
	}
	if r.pattern == nil {
		return "args", true
	}
	why, ok := r.fitsCommand(*f.script, r.pattern.MatchString)
	if ok && len(r.args) > 0 {
		why = "args, pattern"
	} else if ok {
		why = "pattern"
	}
	return why, ok
}

// fitsCommand is about a shell command: one that allows has to fit all of it.
func (r Rule) fitsCommand(s script, fits func(string) bool) (string, bool) {
	if r.Action != Allow {
		return "command " + quoted(s.whole), slices.ContainsFunc(append(s.pieces, s.whole), fits)
	}
	if r.takesWhole(s.whole) {
		return "", true
	}
	if s.opaque != "" {
		return "an allowed command must be plain, and " + s.opaque, false
	}
	for _, part := range s.parts {
		if !fits(part) {
			return "command " + quoted(part), false
		}
	}
	return "", len(s.parts) > 0
}

// takesWhole reports whether a rule is about any command, or about this very text.
func (r Rule) takesWhole(whole string) bool {
	return r.pattern == nil && slices.ContainsFunc(r.args, func(g Glob) bool {
		return g.text == "*" || g.literal() && g.text == whole
	})
}

// fitsField is about a field of the input, which may be deeper: "a.b".
func (r Rule) fitsField(f facts) (string, bool) {
	var value any = f.input
	for name := range strings.SplitSeq(r.field, ".") {
		object, _ := value.(map[string]any)
		inner, ok := object[name]
		if value = inner; !ok {
			return "it has no input field " + r.field, false
		}
	}
	text, ok := value.(string)
	if !ok {
		raw, err := ndjson.Marshal(value)
		if err != nil {
			return "input field " + r.field, false // it was decoded from JSON
		}
		text = string(raw)
	}
	fits := len(r.args) == 0 || anyFits(r.args, text)
	return fmt.Sprintf("input field %s = %s", r.field, quoted(text)), fits && (r.pattern == nil || r.pattern.MatchString(text))
}

func (r Rule) fitsPath(f facts, w World) (string, bool) {
	if len(r.paths) == 0 {
		return "", true
	}
	if len(f.paths) == 0 {
		return "it tells of no path", false
	}
	for _, path := range f.paths {
		fits := r.fitsOne(path, w)
		if r.Action == Allow && !fits {
			return "path " + path.real, false
		}
		if r.Action != Allow && fits {
			return "path " + path.real, true
		}
	}
	if r.Action == Allow && len(f.paths) > 1 {
		return "all paths", true
	}
	return "path " + f.paths[0].real, r.Action == Allow
}

// fitsOne is about one path. What a rule allows is where the path leads; what it
// denies may not be written in another way either.
func (r Rule) fitsOne(p place, w World) bool {
	return slices.ContainsFunc(r.paths, func(g pathGlob) bool {
		literal := g.text != inside && g.text != outside
		return g.fits(p.real, w) || r.Action != Allow && literal && g.fits(p.written, w)
	})
}

func anyFits(globs []Glob, text string) bool {
	return slices.ContainsFunc(globs, func(g Glob) bool { return g.Fits(text) })
}

func quoted(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

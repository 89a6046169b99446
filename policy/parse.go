package policy

import (
	"slices"
	"strings"
)

// Vocabulary is what a file is held against beside its own grammar.
type Vocabulary struct {
	Providers []string
	// Nearest finds the candidate that a word most likely meant, or "".
	Nearest func(word string, candidates []string) string
}

// Parse reads a file. The error is an *Error for the first thing that is wrong.
func Parse(path string, text []byte, v Vocabulary) (*Policy, error) {
	doc, err := readTOML(path, text)
	if err != nil {
		return nil, err
	}
	p := &parser{vocabulary: v, policy: &Policy{Default: Ask}}
	for _, k := range doc.keys {
		if err := p.top(doc, k); err != nil {
			return nil, err
		}
	}
	for _, t := range doc.rules {
		if err := p.rule(t); err != nil {
			return nil, err
		}
	}
	if len(doc.rules) == 0 && len(doc.keys) == 0 {
		return nil, doc.place.errorf("write [[rules]] with an action, or a default", "the policy is empty")
	}
	return p.policy, nil
}

type parser struct {
	vocabulary Vocabulary
	policy     *Policy
}

func (p *parser) top(doc document, k entry) error {
	switch k.name {
	case "default":
		action, err := p.action(k)
		p.policy.Default = action
		return err
	case "rules":
		if doc.rules != nil {
			return nil
		}
		return k.place.errorf("write [[rules]] over each rule", "rules is a list of rules")
	}
	return p.unknown(k, []string{"default", "rules"})
}

func (p *parser) unknown(k entry, known []string) error {
	hint := "the keys are: " + strings.Join(known, ", ")
	if near := p.vocabulary.Nearest(k.name, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return k.place.errorf(hint, "unknown key %q", k.name)
}

func (p *parser) rule(t table) error {
	r := Rule{Place: t.place, maxDepth: -1}
	for _, k := range t.keys {
		if k.name == "action" {
			action, err := p.action(k)
			if err != nil {
				return err
			}
			r.Action = action
		}
	}
	if r.Action == "" {
		return t.place.errorf("an action is allow, deny or ask", "the rule has no action")
	}
	for _, k := range t.keys {
		if err := p.key(&r, k); err != nil {
			return err
		}
	}
	for _, k := range t.keys {
		if k.name == "field" && len(r.args) == 0 && r.pattern == nil {
			return k.place.errorf("", "field says what args or pattern is about, and there is neither")
		}
	}
	if r.maxDepth >= 0 && r.minDepth > r.maxDepth {
		return t.place.errorf("", "min-depth is over max-depth: the rule fits nothing")
	}
	p.policy.Rules = append(p.policy.Rules, r)
	return nil
}

func (p *parser) key(r *Rule, k entry) (err error) {
	switch k.name {
	case "action":
	case "name":
		r.Name, err = k.text()
	case "reason":
		r.Reason, err = k.text()
	case "tool":
		r.tools, err = each(k, NewGlob)
	case "kind":
		r.kinds, err = p.oneOf(k, kinds())
	case "provider":
		r.providers, err = p.oneOf(k, p.vocabulary.Providers)
	case "field":
		r.field, err = k.text()
	case "args":
		r.args, err = each(k, NewGlob)
	case "pattern":
		r.pattern, err = k.regexp()
	case "path":
		r.paths, err = k.paths()
	case "depth":
		r.minDepth, err = k.depth()
		r.maxDepth = r.minDepth
	case "min-depth":
		r.minDepth, err = k.depth()
	case "max-depth":
		r.maxDepth, err = k.depth()
	default:
		return p.unknown(k, []string{
			"name", "action", "reason", "tool", "kind", "args", "pattern", "field", "path", "provider", "depth", "min-depth", "max-depth",
		})
	}
	return err
}

func (p *parser) action(k entry) (Action, error) {
	actions := []string{string(Allow), string(Deny), string(Ask)}
	words, err := p.oneOf(k, actions)
	if err != nil {
		return "", err
	}
	if len(words) != 1 {
		return "", k.place.errorf("", "%s is one of %s", k.name, strings.Join(actions, ", "))
	}
	return Action(words[0]), nil
}

func (p *parser) oneOf(k entry, known []string) ([]string, error) {
	words, err := k.texts()
	if err != nil {
		return nil, err
	}
	for _, w := range words {
		if slices.Contains(known, w) {
			continue
		}
		hint := ""
		if near := p.vocabulary.Nearest(w, known); near != "" {
			hint = "did you mean " + near + "?"
		}
		return nil, k.place.errorf(hint, "%s: %q is none of %s", k.name, w, strings.Join(known, ", "))
	}
	return words, nil
}

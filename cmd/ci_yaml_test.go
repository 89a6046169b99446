package cmd_test

import (
	"fmt"
	"strings"
)

// parseYAML reads the YAML that our recipes use: maps, lists, literal blocks and
// scalars on one line. Anything else is an error. Values are map[string]any,
// []any and string.
func parseYAML(text string) (any, error) {
	p := &yamlReader{}
	for line := range strings.SplitSeq(text, "\n") {
		p.lines = append(p.lines, strings.TrimRight(line, " "))
	}
	v, err := p.value(0)
	if err == nil && p.skip() {
		err = fmt.Errorf("line %d: not understood: %q", p.at+1, p.lines[p.at])
	}
	return v, err
}

type yamlReader struct {
	lines []string
	at    int
}

// skip goes to the next line that says something; it reports whether there is one.
func (p *yamlReader) skip() bool {
	for p.at < len(p.lines) {
		if text := strings.TrimSpace(p.lines[p.at]); text != "" && text[0] != '#' {
			return true
		}
		p.at++
	}
	return false
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// value reads a map or a list that is indented so far at least.
func (p *yamlReader) value(least int) (any, error) {
	if !p.skip() || indentOf(p.lines[p.at]) < least {
		return "", nil
	}
	indent := indentOf(p.lines[p.at])
	if strings.HasPrefix(p.lines[p.at][indent:], "- ") {
		return p.list(indent)
	}
	return p.mapping(indent)
}

func (p *yamlReader) list(indent int) (any, error) {
	var list []any
	for p.skip() && indentOf(p.lines[p.at]) == indent && strings.HasPrefix(p.lines[p.at][indent:], "- ") {
		item := p.lines[p.at][indent+2:]
		if _, _, isMap := yamlKey(item); isMap {
			p.lines[p.at] = strings.Repeat(" ", indent+2) + item
			v, err := p.mapping(indent + 2)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
			continue
		}
		v, err := p.scalar(item, indent)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func (p *yamlReader) mapping(indent int) (any, error) {
	m := map[string]any{}
	for p.skip() && indentOf(p.lines[p.at]) == indent {
		key, rest, ok := yamlKey(p.lines[p.at][indent:])
		if !ok {
			return nil, fmt.Errorf("line %d: no key: %q", p.at+1, p.lines[p.at])
		}
		if _, twice := m[key]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice", p.at+1, key)
		}
		var err error
		if rest == "" {
			p.at++
			m[key], err = p.value(indent + 1)
		} else {
			m[key], err = p.scalar(rest, indent)
		}
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

func yamlKey(text string) (key, rest string, ok bool) {
	key, rest, ok = strings.Cut(text, ":")
	if !ok || rest != "" && rest[0] != ' ' || strings.ContainsAny(key, " \"'{[$") {
		return "", "", false
	}
	return key, strings.TrimSpace(rest), true
}

// scalar reads a value that begins on this line.
func (p *yamlReader) scalar(text string, indent int) (any, error) {
	p.at++
	switch {
	case text == "|":
		return p.literal(indent), nil
	case strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`), strings.HasPrefix(text, "'") && strings.HasSuffix(text, "'"):
		return text[1 : len(text)-1], nil
	case strings.ContainsAny(text[:1], "{[&*!|>%@`\"'"):
		return nil, fmt.Errorf("line %d: not understood: %q", p.at, text)
	}
	text, _, _ = strings.Cut(text, " #")
	return strings.TrimSpace(text), nil
}

// literal reads the lines of a block.
func (p *yamlReader) literal(indent int) string {
	var b strings.Builder
	inner := -1
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if line == "" {
			b.WriteByte('\n')
			continue
		}
		if indentOf(line) <= indent {
			break
		}
		if inner < 0 {
			inner = indentOf(line)
		}
		b.WriteString(line[inner:] + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

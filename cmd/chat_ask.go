package cmd

import (
	"slices"
	"strconv"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// ask is a request of the agent that waits for the person.
type ask struct {
	id      string
	request stream.LiveLine
	fields  []askField // of a question, still to be asked
	given   map[string]any
	sent    bool   // answered, as far as the person is concerned
	rule    string // of the policy that has it asked
}

// askField is one thing that a question wants to know.
type askField struct {
	name string
	askSchema
}

// askSchema is as much of a JSON Schema as can be asked for at a prompt.
type askSchema struct {
	Type        string               `json:"type"`
	Title       string               `json:"title"`
	Description string               `json:"description"`
	Enum        []string             `json:"enum"`
	Examples    []string             `json:"examples"`
	Const       string               `json:"const"`
	AnyOf       []askSchema          `json:"anyOf"`
	OneOf       []askSchema          `json:"oneOf"`
	Items       *askSchema           `json:"items"`
	Properties  map[string]askSchema `json:"properties"`
	Required    []string             `json:"required"`
}

func newAsk(l stream.LiveLine, rule string) *ask {
	a := &ask{id: l.ID, request: l, rule: rule}
	a.again()
	return a
}

// again begins the request anew.
func (a *ask) again() {
	a.sent, a.fields, a.given = false, nil, map[string]any{}
	var s askSchema
	if a.request.Kind != stream.AskQuestion || ndjson.Unmarshal(a.request.Schema, &s) != nil {
		return
	}
	names := slices.Clone(s.Required)
	for name := range s.Properties {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names[len(s.Required):])
	for _, name := range names {
		a.fields = append(a.fields, askField{name, s.Properties[name]})
	}
}

// asked is the request that the next line answers, nil for none.
func (c *chat) asked() *ask {
	i := slices.IndexFunc(c.asks, func(a *ask) bool { return !a.sent })
	if i < 0 {
		return nil
	}
	return c.asks[i]
}

// reopen asks again where an answer was refused.
func (c *chat) reopen(l stream.LiveLine) {
	i := slices.IndexFunc(c.asks, func(a *ask) bool { return l.Input == stream.LiveAnswer && a.id == l.ID })
	if i >= 0 {
		c.asks[i].again()
	}
}

func (a *ask) prompt(session bool) string {
	switch {
	case len(a.fields) > 0:
		f := a.fields[0]
		name := f.Title
		if name == "" {
			name = f.name
		}
		return strings.ReplaceAll(providers.Plain(name), "\n", " ") + "? "
	case a.request.Kind == stream.AskToolPermission && session:
		return "allow? [y]es, [n]o, [a]lways in this session, [c]ancel the turn: "
	}
	return "[y]es, [n]o, [c]ancel the turn: "
}

// choices are the answers that the agent offers.
func (s askSchema) choices() []string {
	if s.Items != nil {
		return s.Items.choices()
	}
	list := slices.Concat(s.Enum, s.Examples)
	for _, one := range slices.Concat(s.AnyOf, s.OneOf) {
		if one.Const != "" {
			list = append(list, one.Const)
		}
	}
	return list
}

// answer takes a line as the answer, or the next part of it.
func (c *chat) answer(a *ask, line string) {
	in := stream.LiveInput{Type: stream.LiveAnswer, ID: a.id, RequestID: a.id, Action: stream.Accept}
	c.mu.Lock()
	if len(a.fields) > 0 {
		f := a.fields[0]
		a.given[f.name], a.fields = f.value(line), a.fields[1:]
		if len(a.fields) > 0 {
			c.mu.Unlock()
			return
		}
		in.Data, _ = ndjson.Marshal(a.given)
	} else {
		switch strings.ToLower(line) {
		case "y", "yes":
		case "a", "always":
			in.For = "session"
		case "n", "no":
			in.Action = stream.Decline
		case "c", "cancel":
			in.Action = stream.Cancel
		case "s", "show":
			c.mu.Unlock()
			c.say(a.words(true)...)
			return
		default:
			c.mu.Unlock()
			c.say("! y, n or c")
			return
		}
	}
	a.sent = true
	c.mu.Unlock()
	c.send(in)
}

// value is what a line means for the schema: the number of a choice, or words.
func (s askSchema) value(line string) any {
	if s.Items != nil || s.Type == "array" {
		list := []any{}
		for one := range strings.SplitSeq(line, ",") {
			list = append(list, askSchema{Type: "string", Enum: s.choices()}.value(strings.TrimSpace(one)))
		}
		return list
	}
	choices := s.choices()
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(choices) {
		return choices[n-1]
	}
	switch s.Type {
	case "boolean":
		return slices.Contains([]string{"y", "yes", "true", "1"}, strings.ToLower(line))
	case "number", "integer":
		if n, err := strconv.ParseFloat(line, 64); err == nil {
			return n
		}
	}
	return line
}

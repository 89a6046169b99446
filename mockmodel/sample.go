package mockmodel

import (
	"strings"

	"agentrun/ndjson"
)

// schema is the part of JSON Schema that sample obeys.
type schema struct {
	Type       ndjson.RawMessage   `json:"type"` // a word or a list of words
	Const      ndjson.RawMessage   `json:"const"`
	Default    ndjson.RawMessage   `json:"default"`
	Enum       []ndjson.RawMessage `json:"enum"`
	Properties map[string]schema   `json:"properties"`
	Required   []string            `json:"required"`
	Items      *schema             `json:"items"`
	AnyOf      []schema            `json:"anyOf"`
	OneOf      []schema            `json:"oneOf"`
	AllOf      []schema            `json:"allOf"`
	Ref        string              `json:"$ref"`
	Defs       map[string]schema   `json:"$defs"`
	OldDefs    map[string]schema   `json:"definitions"`
	MinItems   int                 `json:"minItems"`
	MinLength  int                 `json:"minLength"`
	Minimum    float64             `json:"minimum"`
}

// sample returns a small value that fits an ordinary schema: required
// properties, first choices, least sizes. Without a schema it is an object with
// one answer.
func sample(text ndjson.RawMessage) ndjson.RawMessage {
	var s schema
	if text == nil || ndjson.Unmarshal(text, &s) != nil {
		return ndjson.RawMessage(`{"answer":"ok"}`)
	}
	out, err := ndjson.Marshal(s.value(s, 0))
	if err != nil {
		return ndjson.RawMessage(`{}`)
	}
	return out
}

// deepest ends the descent into a schema that refers to itself.
const deepest = 16

func (s schema) value(root schema, depth int) any {
	if depth > deepest {
		return nil
	}
	if choice, ok := s.choice(root); ok {
		return choice.value(root, depth+1)
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case s.Default != nil:
		return s.Default
	}
	switch s.word() {
	case "string":
		return strings.Repeat("o", max(0, s.MinLength-2)) + "ok"
	case "integer", "number":
		return max(1, s.Minimum)
	case "boolean":
		return true
	case "null":
		return nil
	case "array":
		return s.list(root, depth)
	}
	return s.object(root, depth)
}

// choice follows a reference, or takes the first of several schemas.
func (s schema) choice(root schema) (schema, bool) {
	if s.Ref != "" {
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		if d, ok := root.Defs[name]; ok {
			return d, true
		}
		d, ok := root.OldDefs[name]
		return d, ok
	}
	for _, list := range [][]schema{s.AnyOf, s.OneOf, s.AllOf} {
		if len(list) > 0 {
			return list[0], true
		}
	}
	return schema{}, false
}

// word is the first type, lower case because Google writes STRING.
func (s schema) word() string {
	var word string
	if ndjson.Unmarshal(s.Type, &word) == nil {
		return strings.ToLower(word)
	}
	var words []string
	if ndjson.Unmarshal(s.Type, &words) == nil && len(words) > 0 {
		return strings.ToLower(words[0])
	}
	if s.Items != nil {
		return "array"
	}
	return "object"
}

func (s schema) list(root schema, depth int) any {
	list := []any{}
	if s.Items == nil {
		return list
	}
	for range max(1, s.MinItems) {
		list = append(list, s.Items.value(root, depth+1))
	}
	return list
}

func (s schema) object(root schema, depth int) any {
	value := object{}
	for _, name := range s.Required {
		value[name] = s.Properties[name].value(root, depth+1)
	}
	return value
}

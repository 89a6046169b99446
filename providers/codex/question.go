package codex

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// question is one that the agent asks a person.
type question struct {
	ID       string `json:"id"`
	Header   string `json:"header"`
	Question string `json:"question"`
	Other    bool   `json:"isOther"` // another answer than the options is welcome
	Secret   bool   `json:"isSecret"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

// questionsOf is what is asked in words, and the schema of the answers: one per question.
func questionsOf(list []question) (string, ndjson.RawMessage) {
	type property struct {
		Type        string   `json:"type"`
		Title       string   `json:"title,omitempty"`
		Description string   `json:"description"`
		Enum        []string `json:"enum,omitempty"`
		Examples    []string `json:"examples,omitempty"`
		WriteOnly   bool     `json:"writeOnly,omitempty"`
	}
	schema := struct {
		Type       string              `json:"type"`
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}{"object", map[string]property{}, []string{}}
	var words []string
	for _, q := range list {
		p := property{Type: "string", Title: q.Header, Description: q.Question, WriteOnly: q.Secret}
		for _, o := range q.Options {
			p.Examples = append(p.Examples, o.Label)
		}
		if !q.Other {
			p.Enum, p.Examples = p.Examples, nil
		}
		schema.Properties[q.ID] = p
		schema.Required = append(schema.Required, q.ID)
		words = append(words, q.Question)
	}
	return strings.Join(words, "\n"), ndjson.Encode(schema)
}

// answers is how the server takes them.
type answers struct {
	Answers map[string]oneAnswer `json:"answers"`
}

type oneAnswer struct {
	Answers []string `json:"answers"`
}

func answersOf(list []question, data ndjson.RawMessage) (answers, error) {
	all := answers{map[string]oneAnswer{}}
	var given map[string]string
	if len(data) == 0 || ndjson.Unmarshal(data, &given) != nil {
		return all, providers.Errorf(providers.Usage, "data", "the questions want their answers as data: an object with a string for each")
	}
	for _, q := range list {
		text, ok := given[q.ID]
		if !ok {
			return all, providers.Errorf(providers.Usage, "data", "question %q has no answer in the data", q.ID)
		}
		all.Answers[q.ID] = oneAnswer{[]string{text}}
	}
	return all, nil
}

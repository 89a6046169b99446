package claude

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// questionInput is the input of AskUserQuestion.
type questionInput struct {
	Questions []question `json:"questions"`
}

type question struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Multi    bool   `json:"multiSelect"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

// answerSchema is the part of JSON Schema that an answer's schema needs. An
// answer beside the options is allowed, as the CLI's own dialog does.
type answerSchema struct {
	Type        string                   `json:"type,omitempty"`
	Title       string                   `json:"title,omitempty"`
	Description string                   `json:"description,omitempty"`
	Const       string                   `json:"const,omitempty"`
	AnyOf       []answerSchema           `json:"anyOf,omitempty"`
	Items       *answerSchema            `json:"items,omitempty"`
	Properties  map[string]*answerSchema `json:"properties,omitempty"`
	Required    []string                 `json:"required,omitempty"`
}

// questions are the words of an ask and the schema of its answers: an object
// with the answer to each question under the question's own words.
func questions(input ndjson.RawMessage) (message string, schema ndjson.RawMessage) {
	var in questionInput
	if ndjson.Unmarshal(input, &in) != nil {
		return "", anyObject()
	}
	s := answerSchema{Type: "object", Properties: map[string]*answerSchema{}}
	var words []string
	for _, q := range in.Questions {
		one := answerSchema{Type: "string"}
		for _, o := range q.Options {
			one.AnyOf = append(one.AnyOf, answerSchema{Const: o.Label, Description: o.Description})
		}
		if len(one.AnyOf) > 0 {
			one.AnyOf = append(one.AnyOf, answerSchema{Type: "string", Description: "other words"})
		}
		if q.Multi {
			one = answerSchema{Type: "array", Items: &answerSchema{Type: "string", AnyOf: one.AnyOf}}
		}
		one.Title = q.Header
		s.Properties[q.Question] = &one
		s.Required = append(s.Required, q.Question)
		words = append(words, q.Question)
	}
	return strings.Join(words, "\n"), ndjson.Encode(s)
}

// withAnswers is the tool's input with the answers in it, several of one
// question joined as the CLI does.
func withAnswers(input, data ndjson.RawMessage) (ndjson.RawMessage, error) {
	var given map[string]ndjson.RawMessage
	if len(data) == 0 || ndjson.Unmarshal(data, &given) != nil {
		return nil, providers.Errorf(providers.Usage, "data", "the answers are missing: data is an object with the answer to each question")
	}
	answers := map[string]string{}
	for question, raw := range given {
		var one string
		var many []string
		switch {
		case ndjson.Unmarshal(raw, &one) == nil:
			answers[question] = one
		case ndjson.Unmarshal(raw, &many) == nil:
			answers[question] = strings.Join(many, ", ")
		default:
			return nil, providers.Errorf(providers.Usage, "data", "the answer to %q is neither a string nor a list of strings", question)
		}
	}
	text, err := ndjson.Marshal(answers)
	if err != nil {
		return nil, providers.Errorf(providers.Usage, "data", "the answers cannot be written as JSON: %w", err)
	}
	whole := map[string]ndjson.RawMessage{}
	if ndjson.Unmarshal(input, &whole) != nil {
		whole = map[string]ndjson.RawMessage{}
	}
	whole["answers"] = text
	return ndjson.Marshal(whole)
}

package providers

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"agentrun/ndjson"
)

// Schema is a compiled JSON Schema, of draft 2020-12 or draft 7.
type Schema struct{ resolved *jsonschema.Resolved }

// CompileSchema compiles JSON Schema text. It loads nothing from outside; the
// error is an *Error of class usage.
func CompileSchema(text []byte) (*Schema, error) {
	var doc any
	if err := ndjson.Unmarshal(text, &doc); err != nil || !ndjson.Valid(text) {
		return nil, Errorf(Usage, "schema", "the schema is not JSON: %w", err)
	}
	if err := knownTypes(doc, ""); err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not a JSON Schema: %w", err)
	}
	var schema jsonschema.Schema
	if err := schema.UnmarshalJSON(text); err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not a JSON Schema: %w", err)
	}
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{Loader: noLoader})
	if err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not a JSON Schema: %w", err)
	}
	return &Schema{resolved}, nil
}

// Check validates a JSON value; the error says where it does not fit.
func (s *Schema) Check(value []byte) error {
	var doc any
	if err := ndjson.Unmarshal(value, &doc); err != nil {
		return err
	}
	err := s.resolved.Validate(doc)
	if err == nil {
		return nil
	}
	return errors.New(place(err.Error()))
}

// place shortens "validating root: validating /a: validating /a/b: what" to "at /a/b: what".
func place(message string) string {
	at := ""
	for {
		path, rest, ok := strings.Cut(strings.TrimPrefix(message, "validating "), ": ")
		if !ok || !strings.HasPrefix(message, "validating ") {
			break
		}
		at, message = path, rest
	}
	if at == "" || at == "root" {
		return message
	}
	return "at " + at + ": " + message
}

// noLoader refuses references to other documents.
func noLoader(*url.URL) (*jsonschema.Schema, error) {
	return nil, errors.New("only references inside the schema are allowed")
}

// knownTypes refuses a schema that asks for a type that JSON does not have: the
// library takes it, and then no value would ever fit. At is where in the schema v is.
func knownTypes(v any, at string) error {
	switch v := v.(type) {
	case []any:
		for i, element := range v {
			if err := knownTypes(element, fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, member := range v {
			if slices.Contains([]string{"enum", "const", "default", "examples"}, key) {
				continue // values, not schemas
			}
			if err := knownTypes(member, at+"/"+key); err != nil {
				return err
			}
		}
		return typeWords(v["type"], at)
	}
	return nil
}

// typeWords checks what "type" says. Anything but a word or a list of words is
// the schema of a property of that name, or for the library to refuse.
func typeWords(v any, at string) error {
	words, ok := v.([]any)
	if !ok {
		words = []any{v}
	}
	for _, w := range words {
		word, ok := w.(string)
		if ok && !slices.Contains([]string{"array", "boolean", "integer", "null", "number", "object", "string"}, word) {
			return fmt.Errorf("at %q: no type %q", at, word)
		}
	}
	return nil
}

package providers

import (
	"bytes"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema.
type Schema struct{ compiled *jsonschema.Schema }

// CompileSchema compiles JSON Schema text. It loads nothing from outside; the error is an *Error of class usage.
func CompileSchema(text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const name = "schema.json"
	if err := c.AddResource(name, doc); err != nil {
		return nil, Errorf(Usage, "schema", "the schema cannot be used: %w", err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not a JSON Schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// Check validates a JSON value.
func (s *Schema) Check(value []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return s.compiled.Validate(doc)
}

// noLoader refuses references to other documents.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, Errorf(Usage, "schema", "the schema refers to %s; only references inside it are allowed", url)
}

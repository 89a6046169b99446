package providers

import (
	"bytes"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is a compiled JSON Schema.
type Schema struct{ compiled *jsonschema.Schema }

// CompileSchema compiles JSON Schema text. It loads nothing from outside; the
// error is an *Error of class usage.
func CompileSchema(text []byte) (*Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	const name = "schema:///given.json" // not a path: nothing is looked up, and messages name no file
	if err := c.AddResource(name, doc); err != nil {
		return nil, Errorf(Usage, "schema", "the schema cannot be used: %w", err)
	}
	compiled, err := c.Compile(name)
	if err != nil {
		return nil, Errorf(Usage, "schema", "the schema is not a JSON Schema: %w", err)
	}
	return &Schema{compiled}, nil
}

// Check validates a JSON value; the error says where it does not fit.
func (s *Schema) Check(value []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	err = s.compiled.Validate(doc)
	if wrong, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		// The first line names the schema, and there is only one.
		_, what, _ := strings.Cut(wrong.Error(), "\n")
		return errors.New(strings.TrimPrefix(what, "- "))
	}
	return err
}

// noLoader refuses references to other documents.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("only references inside the schema are allowed")
}

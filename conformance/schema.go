package conformance

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"agentrun/stream"
)

// Valid returns every line, joined, that does not fit the named schema of what we print.
func Valid(name string, lines []byte) error {
	schema, err := compile(name)
	if err != nil {
		return err
	}
	return validate(schema, lines)
}

func validate(schema *jsonschema.Schema, lines []byte) error {
	var faults []error
	n := 0
	for line := range bytes.Lines(lines) {
		n++
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		if err == nil {
			err = schema.Validate(doc)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: %w: %.300s", n, err, line))
		}
		if !bytes.HasSuffix(line, []byte("\n")) {
			faults = append(faults, fmt.Errorf("line %d has no newline", n))
		}
	}
	return errors.Join(faults...)
}

func compile(name string) (*jsonschema.Schema, error) {
	text, ok := stream.Schema(name)
	if !ok {
		return nil, fmt.Errorf("no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		return nil, err
	}
	return c.Compile(name)
}

package ndjson

import "github.com/goccy/go-json"

// Valid reports whether data is one JSON value.
func Valid(data []byte) bool { return json.Valid(data) }

// Unmarshal decodes one JSON value.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// Marshal encodes v without escaping <, > and &.
func Marshal(v any) ([]byte, error) {
	return json.MarshalWithOption(v, json.DisableHTMLEscape())
}

// Decode decodes the record.
func (r Record) Decode(v any) error { return json.Unmarshal(r.Raw, v) }

// RawMessage is JSON text kept as it is.
type RawMessage = json.RawMessage

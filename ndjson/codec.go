package ndjson

import (
	"errors"

	"github.com/goccy/go-json"
)

// ErrSyntax says that data is not one JSON value.
var ErrSyntax = errors.New("not valid JSON")

// RawMessage is JSON text kept as it is.
type RawMessage = json.RawMessage

// Unmarshal decodes one JSON value, as encoding/json would. It fails with
// ErrSyntax on anything else, also inside parts that v has no place for.
func Unmarshal(data []byte, v any) error {
	// The library skips what v has no place for without looking at it closely.
	if !Valid(data) {
		return ErrSyntax
	}
	return decode(data, v)
}

func decode(data []byte, v any) error { return json.Unmarshal(data, v) }

// Marshal encodes v without escaping <, > and &.
func Marshal(v any) ([]byte, error) {
	return json.MarshalWithOption(v, json.DisableHTMLEscape())
}

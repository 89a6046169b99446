package ndjson

import "github.com/goccy/go-json"

// RawMessage is JSON text kept as it is.
type RawMessage = json.RawMessage

// Present returns raw, or nil where the member was null or not there.
func Present(raw RawMessage) RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

// Unmarshal decodes one JSON value, as encoding/json would. What it stores in v
// does not share data's bytes. Anything else than one value is an error, also
// where it is broken in a part that v has no place for.
func Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }

// Marshal encodes v without escaping <, > and &.
func Marshal(v any) ([]byte, error) {
	return json.MarshalWithOption(v, json.DisableHTMLEscape())
}

// Encode is Marshal for what always encodes: texts, numbers, and JSON that was
// decoded before. It returns nil for anything else.
func Encode(v any) RawMessage {
	data, err := Marshal(v)
	if err != nil {
		return nil
	}
	return data
}

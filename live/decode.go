package live

import (
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// inputLimit is the longest line that a live session takes, in bytes.
const inputLimit = 32 << 20

// Read reads inputs, one JSON object per line, until the end of r, and closes
// the channel then. A line that is no input comes with its error.
func Read(r io.Reader) <-chan Input {
	inputs := make(chan Input)
	go func() {
		defer close(inputs)
		lines := ndjson.NewReader(r, inputLimit)
		for {
			rec, err := lines.Next()
			_, large := errors.AsType[*ndjson.TooLargeError](err)
			_, cut := errors.AsType[*ndjson.CutError](err)
			switch {
			case err == nil:
				inputs <- decode(rec)
			case large, cut:
				inputs <- Input{Err: malformed("%w", err)}
			default:
				return
			}
		}
	}()
	return inputs
}

func decode(rec ndjson.Record) Input {
	if rec.Kind != ndjson.Object {
		return Input{Err: malformed("not a JSON object")}
	}
	var in Input
	if err := rec.Decode(&in.LiveInput); err != nil {
		in.Err = malformed("%w", err)
		return in
	}
	var keys map[string]ndjson.RawMessage
	if err := rec.Decode(&keys); err != nil {
		in.Err = malformed("%w", err)
		return in
	}
	known := inputKeys()
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if !slices.Contains(known, k) {
			e := malformed("unknown key %q", k)
			if near := providers.Nearest(k, known); near != "" {
				e = e.WithHint("did you mean %q?", near)
			}
			in.Err = e
			return in
		}
	}
	return in
}

func malformed(format string, args ...any) *providers.Error {
	return providers.Errorf(providers.Usage, providers.ReasonMalformed, format, args...)
}

// inputKeys lists the keys of an input.
func inputKeys() []string {
	var keys []string
	for f := range reflect.TypeFor[stream.LiveInput]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}

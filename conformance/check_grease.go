package conformance

import (
	"bytes"
	"strings"

	"github.com/google/go-cmp/cmp"

	"agentrun/providers"
)

// grease is a field that no vendor has. It is put into every object.
const grease = `"x_grease":{}`

// telemetry is an event that nobody knows and that carries nothing.
const telemetry = `{"type":"x_grease_event","n":1}`

// unknownFields: fields that a newer vendor adds change nothing.
func unknownFields(s *subject) error {
	return s.unchanged(greased, func(line string) string {
		line = strings.ReplaceAll(line, grease+",", "")
		line = strings.ReplaceAll(line, grease, "")
		quoted := strings.ReplaceAll(grease, `"`, `\"`)
		line = strings.ReplaceAll(line, quoted+",", "")
		return strings.ReplaceAll(line, quoted, "")
	})
}

// unknownTelemetry: events that a newer vendor adds and that carry nothing change nothing but notices.
func unknownTelemetry(s *subject) error {
	return s.unchanged(func(data []byte) []byte { return between(data, telemetry+"\n") }, nil)
}

// noiseLines: words, empty lines and CRLF between the records change nothing but notices.
func noiseLines(s *subject) error {
	return s.unchanged(func(data []byte) []byte {
		return between(bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), "\n  \nWarning: x_grease is deprecated\n")
	}, nil)
}

// unchanged replays every whole recording with a change of its stdout.
func (s *subject) unchanged(change func([]byte) []byte, clean func(string) string) error {
	var c complaint
	for _, p := range s.plays {
		if len(p.rec.Stdout) == 0 || p.err != nil || p.cut() {
			continue
		}
		rec := p.rec
		rec.Stdout = change(rec.Stdout)
		q := s.playOf(rec)
		got := q.content()
		if clean != nil {
			for i := range got {
				got[i] = clean(got[i])
			}
		}
		if diff := cmp.Diff(p.content(), got); diff != "" {
			c.add("%s (-as recorded +changed):\n%s", rec.Dir, diff)
		}
	}
	return c.err()
}

// cut reports whether the recording ends inside a record: its error counts bytes.
func (p play) cut() bool {
	return p.out.Err != nil && p.out.Err.Origin == providers.OriginHost && p.out.Err.Reason == providers.ReasonIncomplete
}

// unknownContent: an event that nobody knows and that may be an answer ends the
// run with class protocol, and is passed over under --tolerate-drift.
func unknownContent(s *subject) error {
	const event = `{"type":"x_grease_event","text":"words that must not be lost","result":"x"}` + "\n"
	var c complaint
	for _, p := range s.plays {
		if p.out.Err != nil || bytes.Count(p.rec.Stdout, []byte("\n")) < 2 {
			continue
		}
		rec := p.rec
		first := bytes.IndexByte(rec.Stdout, '\n') + 1
		rec.Stdout = bytes.Join([][]byte{rec.Stdout[:first], rec.Stdout[first:]}, []byte(event))
		q := s.playOf(rec)
		if q.out.Err == nil || q.out.Err.Class != providers.Protocol || q.out.Err.Reason != providers.ReasonUnknownEvent {
			c.add("%s: an unknown event with words gave %v", rec.Dir, q.out.Err)
		}
		rec.Args.Tolerate = true
		if diff := cmp.Diff(p.content(), s.playOf(rec).content()); diff != "" {
			c.add("%s under --tolerate-drift:\n%s", rec.Dir, diff)
		}
	}
	return c.err()
}

// between puts text before every line.
func between(data []byte, text string) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(data) {
		b.WriteString(text)
		b.Write(line)
	}
	return b.Bytes()
}

// greased puts the unknown field into every object of every record, but for
// those whose keys are names of models and the like: there it would be data.
func greased(data []byte) []byte {
	var b bytes.Buffer
	begin, key, inString, escaped := 0, "", false, false
	for i, ch := range data {
		b.WriteByte(ch)
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped, inString = ch == '\\', ch != '"'
			if !inString {
				key = string(data[begin:i])
			}
		case ch == '"':
			begin, inString = i+1, true
		case ch == '{' && !keyedByNames(key):
			b.WriteString(grease)
			if rest := bytes.TrimLeft(data[i+1:min(i+64, len(data))], " \t\r\n"); len(rest) == 0 || rest[0] != '}' {
				b.WriteByte(',')
			}
		}
	}
	return b.Bytes()
}

// keyedByNames reports whether the keys of the object under that key are data.
func keyedByNames(key string) bool {
	switch key {
	case "modelUsage", "model_usage_since_last_result", "models", "agents_states":
		return true
	}
	return false
}

package main

import (
	"errors"
	"io"
	"os"
	"regexp"
	"slices"

	"agentrun/ndjson"
)

// shape is what a CLI printed, one record per line, without what varies from
// run to run: numbers are 0, and ids, times, paths and versions have
// placeholders, as have long texts, long lists of words, and pieces of an answer,
// which come as they come. Of equal records in a row the first is kept.
func shape(r io.Reader, top string) ([]byte, error) {
	n := newNormal(top)
	records := ndjson.NewReader(r, 0)
	var out []byte
	last := ""
	for {
		rec, err := records.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		var v any = map[string]any{"noise": string(rec.Raw)}
		if rec.Kind == ndjson.Object {
			if err := rec.Decode(&v); err != nil {
				return nil, err
			}
		}
		line, err := ndjson.Marshal(n.value(n.whole(v)))
		if err != nil {
			return nil, err
		}
		if string(line) != last {
			last = string(line)
			out = append(append(out, line...), '\n')
		}
	}
}

// normal puts placeholders for what varies.
type normal struct {
	rules []rule
}

type rule struct {
	pattern *regexp.Regexp
	with    string
}

func newNormal(top string) *normal {
	here, _ := os.Getwd()
	tail := `[^\s"',;:)\]]*`
	n := &normal{}
	for _, r := range [][2]string{
		{regexp.QuoteMeta(top) + tail, "<path>"},
		{regexp.QuoteMeta(here) + tail, "<path>"},
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "<uuid>"},
		{`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?`, "<time>"},
		{`(127\.0\.0\.1|localhost|\[::1\]):\d+`, "<host>"},
		{`\b[0-9a-f]{8,}\b|_[0-9a-f]{12,}\b`, "<id>"},
		{`\b\d+\.\d+\.\d+\b`, "<version>"},
		{`\b\d+(\.\d+)?(ms|s|m|h)\b`, "<duration>"},
	} {
		n.rules = append(n.rules, rule{regexp.MustCompile(r[0]), r[1]})
	}
	return n
}

// whole leaves out what a record holds of an answer that is still growing.
func (n *normal) whole(v any) any {
	record, ok := v.(map[string]any)
	if !ok {
		return v
	}
	kind, _ := record["type"].(string)
	if record["delta"] != true && !slices.Contains([]string{"message_start", "message_update", "tool_execution_update"}, kind) {
		return v
	}
	return growing(v)
}

func growing(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for key, value := range m {
		switch key {
		case "content", "delta", "partial", "partialResult":
			out[key] = "<piece>"
		default:
			out[key] = growing(value)
		}
	}
	return out
}

func (n *normal) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[n.text(key)] = n.value(value)
		}
		return out
	case []any:
		if words(v) || definitions(v) {
			return []any{"…"}
		}
		out := make([]any, 0, len(v))
		for _, e := range v {
			out = append(out, n.value(e))
		}
		return out
	case string:
		return n.text(v)
	case bool, nil:
		return v
	}
	return 0
}

// words: a long list of names, such as tools or commands.
func words(list []any) bool {
	const most = 8
	for _, e := range list {
		if _, ok := e.(string); !ok {
			return false
		}
	}
	return len(list) > most
}

// definitions: a list of tools, with their schemas.
func definitions(list []any) bool {
	for _, e := range list {
		tool, ok := e.(map[string]any)
		if !ok || tool["name"] == nil || tool["parameters"] == nil {
			return false
		}
	}
	return len(list) > 0
}

func (n *normal) text(s string) string {
	const most = 120
	for _, r := range n.rules {
		s = r.pattern.ReplaceAllString(s, r.with)
	}
	if len([]rune(s)) > most {
		return "<text>"
	}
	return s
}

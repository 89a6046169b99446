package cmd

import (
	"fmt"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// words say what is asked, in a few lines or, with whole, in all that there are.
func (a *ask) words(whole bool) []string {
	const most = 12 // lines
	w := wording{}
	w.add("? ", a.request.Message)
	if a.rule != "" {
		w.add("  ", "(asked by rule "+a.rule+")")
	}
	if x := a.request.Context; x != nil && a.request.Kind != stream.AskQuestion {
		w.add("  ", x.Reason)
		switch {
		case x.Command != "":
			w.add("  ", x.Command)
		case len(x.ToolInput) > 0:
			w.value("  ", x.ToolInput)
		case len(x.Content) > 0:
			w.value("  ", x.Content)
		}
	}
	lines := w.lines
	if n := len(lines) - most; n > 1 && !whole {
		lines = append(lines[:most], fmt.Sprintf("  … %d more lines: s shows them", n))
	}
	for _, f := range a.fields {
		for i, choice := range f.choices() {
			lines = append(lines, fmt.Sprintf("  %d  %s", i+1, providers.Plain(choice)))
		}
	}
	return lines
}

// wording is what is said about a tool's input, line by line and nothing left out.
type wording struct{ lines []string }

func (w *wording) add(indent, text string) {
	text = strings.TrimRight(providers.Plain(text), "\n")
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		w.lines = append(w.lines, indent+line)
	}
}

// value tells of a JSON value: what has room on a line comes first, since the rest
// may be long.
func (w *wording) value(indent string, raw []byte) {
	var list []ndjson.RawMessage
	switch {
	case raw[0] == '{':
		var long wording
		for f := (ndjson.Record{Raw: raw}).Fields(); f.Next(); {
			m := wording{}
			if m.member(indent, string(f.Key())+":", f.Value()); len(m.lines) > 1 {
				long.lines = append(long.lines, m.lines...)
			} else {
				w.lines = append(w.lines, m.lines...)
			}
		}
		w.lines = append(w.lines, long.lines...)
	case raw[0] == '[' && ndjson.Unmarshal(raw, &list) == nil:
		for _, item := range list {
			w.member(indent, "-", item)
		}
	default:
		w.add(indent, inWords(raw))
	}
}

// member tells of a value with its name, on one line if it has room there.
func (w *wording) member(indent, name string, raw []byte) {
	text := strings.TrimRight(inWords(raw), "\n")
	simple := raw[0] != '{' && raw[0] != '['
	if simple && !strings.Contains(text, "\n") {
		w.add(indent, name+" "+text)
		return
	}
	w.add(indent, name)
	w.value(indent+"  ", raw)
}

// inWords is a string without its quotes, or the value as it is.
func inWords(raw []byte) string {
	var text string
	if ndjson.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

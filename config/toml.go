package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// leaf is a value of a file, or an empty table.
type leaf struct {
	path  []string
	value any // string, int64, float64, bool, []any, a date, or map[string]any
	at    Origin
	parts []Origin // of the path
}

// readTOML returns the values of a file in their order.
func readTOML(file Origin, text []byte) ([]leaf, error) {
	var root map[string]any
	if err := toml.Unmarshal(text, &root); err != nil {
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			file.Line, file.Column = bad.Position()
		}
		return nil, file.errorf("the format is TOML: https://toml.io", "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	places := positions(file, text)
	leaves := flatten(nil, root, nil)
	for i, l := range leaves {
		for n := range l.path {
			leaves[i].parts = append(leaves[i].parts, places[pathKey(l.path[:n+1])])
		}
		leaves[i].at = leaves[i].parts[len(l.path)-1]
	}
	slices.SortStableFunc(leaves, func(a, b leaf) int {
		if a.at.Line != b.at.Line {
			return a.at.Line - b.at.Line
		}
		return a.at.Column - b.at.Column
	})
	return leaves, nil
}

func flatten(path []string, table map[string]any, list []leaf) []leaf {
	for name, value := range table {
		here := append(slices.Clone(path), name)
		if inner, ok := value.(map[string]any); ok && len(inner) > 0 {
			list = flatten(here, inner, list)
			continue
		}
		list = append(list, leaf{path: here, value: value})
	}
	return list
}

func pathKey(path []string) string { return strings.Join(path, "\x00") }

// positions finds where each key of a valid file is, tables and their parts included.
func positions(file Origin, text []byte) map[string]Origin {
	w := walker{file: file, places: map[string]Origin{}}
	w.parser.Reset(text)
	var table []string
	for w.parser.NextExpression() {
		switch e := w.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = w.note(nil, e.Key())
		case unstable.KeyValue:
			w.value(table, e)
		default:
		}
	}
	return w.places
}

type walker struct {
	parser unstable.Parser
	file   Origin
	places map[string]Origin
}

// note keeps the place of each part of a key that is seen first, and returns its path.
func (w *walker) note(path []string, key unstable.Iterator) []string {
	path = slices.Clone(path)
	for key.Next() {
		n := key.Node()
		path = append(path, string(n.Data))
		if _, seen := w.places[pathKey(path)]; !seen {
			start := w.parser.Shape(n.Raw).Start
			at := w.file
			at.Line, at.Column = start.Line, start.Column
			w.places[pathKey(path)] = at
		}
	}
	return path
}

func (w *walker) value(table []string, e *unstable.Node) {
	path := w.note(table, e.Key())
	if e.Value().Kind != unstable.InlineTable {
		return
	}
	inner := e.Value().Children()
	for inner.Next() {
		w.value(path, inner.Node())
	}
}

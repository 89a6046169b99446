package config

import (
	"errors"
	"slices"
	"strconv"
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
		at := file
		for n := range l.path {
			if place, ok := places[pathKey(l.path[:n+1])]; ok {
				at = place // else it stands within what is around it
			}
			leaves[i].parts = append(leaves[i].parts, at)
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
		if path == nil && name == sectionHooks {
			value = numbered(value)
		}
		if inner, ok := value.(map[string]any); ok && len(inner) > 0 {
			list = flatten(here, inner, list)
			continue
		}
		list = append(list, leaf{path: here, value: value})
	}
	return list
}

// numbered is a list of tables as a table of them by number, and nil of anything else.
func numbered(value any) any {
	list, ok := value.([]any)
	tables := map[string]any{}
	for i, item := range list {
		if _, table := item.(map[string]any); !table {
			return nil
		}
		tables[strconv.Itoa(i)] = item
	}
	if !ok {
		return nil
	}
	return tables
}

func pathKey(path []string) string { return strings.Join(path, "\x00") }

// positions finds where each key of a valid file is, tables and their parts included.
func positions(file Origin, text []byte) map[string]Origin {
	w := walker{file: file, places: map[string]Origin{}}
	w.parser.Reset(text)
	var table []string
	for w.parser.NextExpression() {
		switch e := w.parser.Expression(); e.Kind {
		case unstable.Table:
			table = w.note(nil, e.Key())
		case unstable.ArrayTable:
			table = w.note(nil, e.Key())
			if pathKey(table) == sectionHooks {
				table = w.hook(e)
			}
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
	hooks  int // met so far
}

// hook notes the place of one more [[hooks]], and returns the path of its keys.
func (w *walker) hook(e *unstable.Node) []string {
	key := e.Key()
	key.Next()
	path := []string{sectionHooks, strconv.Itoa(w.hooks)}
	w.places[pathKey(path)] = w.place(key.Node())
	w.hooks++
	return path
}

func (w *walker) place(n *unstable.Node) Origin {
	start := w.parser.Shape(n.Raw).Start
	at := w.file
	at.Line, at.Column = start.Line, start.Column
	return at
}

// note keeps the place of each part of a key that is seen first, and returns its path.
func (w *walker) note(path []string, key unstable.Iterator) []string {
	path = slices.Clone(path)
	for key.Next() {
		n := key.Node()
		path = append(path, string(n.Data))
		if _, seen := w.places[pathKey(path)]; !seen {
			w.places[pathKey(path)] = w.place(n)
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

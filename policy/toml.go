package policy

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// document is a file that is TOML: its keys and its [[rules]], in their order.
type document struct {
	place Place
	keys  []entry
	rules []table
}

type table struct {
	place Place
	keys  []entry
}

// entry is a key with its value: a text, int64, float64, bool, list, table or date.
type entry struct {
	name  string
	value any
	place Place
}

func readTOML(path string, text []byte) (document, error) {
	doc := document{place: Place{path, 1, 1}}
	var root map[string]any
	if err := toml.Unmarshal(text, &root); err != nil {
		at := doc.place
		if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
			at.Line, at.Column = bad.Position()
		}
		return doc, at.errorf("the format is TOML: https://toml.io", "%s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	places := findPlaces(doc.place, text)
	doc.keys = entries(root, places.top, doc.place)
	list, _ := root["rules"].([]any)
	for i, item := range list {
		rule, ok := item.(map[string]any)
		if !ok || i >= len(places.rules) {
			doc.rules = nil
			break
		}
		at := places.rules[i]
		doc.rules = append(doc.rules, table{at.head, entries(rule, at.keys, at.head)})
	}
	return doc, nil
}

func entries(values map[string]any, at map[string]Place, otherwise Place) []entry {
	var list []entry
	for name, value := range values {
		place, ok := at[name]
		if !ok {
			place = otherwise
		}
		list = append(list, entry{name, value, place})
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(a.place.Line-b.place.Line, a.place.Column-b.place.Column, strings.Compare(a.name, b.name))
	})
	return list
}

// places are where the keys of a valid file stand.
type places struct {
	top   map[string]Place
	rules []rulePlaces
}

type rulePlaces struct {
	head Place
	keys map[string]Place
}

func findPlaces(file Place, text []byte) places {
	w := walker{file: file, places: places{top: map[string]Place{}}}
	w.parser.Reset(text)
	for w.parser.NextExpression() {
		switch e := w.parser.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			w.header(e)
		case unstable.KeyValue:
			w.value(e)
		default:
		}
	}
	return w.places
}

type walker struct {
	parser unstable.Parser
	file   Place
	places places
	keys   map[string]Place // of the table that is open; nil is the top
}

func (w *walker) place(n *unstable.Node) Place {
	at, start := w.file, w.parser.Shape(n.Raw).Start
	at.Line, at.Column = start.Line, start.Column
	return at
}

func (w *walker) first(e *unstable.Node) (string, Place, bool) {
	key := e.Key()
	if !key.Next() {
		return "", w.file, false
	}
	n := key.Node()
	return string(n.Data), w.place(n), key.IsLast()
}

func (w *walker) header(e *unstable.Node) {
	name, at, whole := w.first(e)
	note(w.places.top, name, at)
	switch {
	case name == "rules" && whole && e.Kind == unstable.ArrayTable:
		w.keys = map[string]Place{}
		w.places.rules = append(w.places.rules, rulePlaces{at, w.keys})
	case name == "rules" && !whole && len(w.places.rules) > 0: // a table of the last rule
		key := e.Key()
		key.Next()
		key.Next()
		note(w.places.rules[len(w.places.rules)-1].keys, string(key.Node().Data), w.place(key.Node()))
		w.keys = map[string]Place{}
	default:
		w.keys = map[string]Place{} // its keys are named by the table
	}
}

func (w *walker) value(e *unstable.Node) {
	name, at, _ := w.first(e)
	if w.keys != nil {
		note(w.keys, name, at)
		return
	}
	note(w.places.top, name, at)
	if name != "rules" || e.Value().Kind != unstable.Array {
		return
	}
	items := e.Value().Children()
	for items.Next() {
		rule := rulePlaces{at, map[string]Place{}}
		if n := items.Node(); n.Kind == unstable.InlineTable {
			keys := n.Children()
			for keys.Next() {
				name, at, _ := w.first(keys.Node())
				note(rule.keys, name, at)
				if len(rule.keys) == 1 {
					rule.head = at
				}
			}
		}
		w.places.rules = append(w.places.rules, rule)
	}
}

// note keeps the place that is seen first.
func note(places map[string]Place, name string, at Place) {
	if _, seen := places[name]; !seen {
		places[name] = at
	}
}

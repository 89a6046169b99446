package mockmodel

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"agentrun/ndjson"
)

// checkKeys refuses an object key in data that the type of v does not know, at
// any depth. data is valid JSON.
func checkKeys(data []byte, v any) error {
	return checkType(data, reflect.TypeOf(v), "")
}

func checkType(data []byte, t reflect.Type, at string) error {
	switch {
	case t == reflect.TypeFor[ndjson.RawMessage]():
		return nil
	case t.Kind() == reflect.Pointer:
		return checkType(data, t.Elem(), at)
	case t.Kind() == reflect.Struct:
		return checkStruct(data, t, at)
	case t.Kind() == reflect.Slice:
		var list []ndjson.RawMessage
		if ndjson.Unmarshal(data, &list) != nil {
			return fmt.Errorf("%s: a list is needed", at)
		}
		for i, e := range list {
			if err := checkType(e, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkStruct(data []byte, t reflect.Type, at string) error {
	known := map[string]reflect.Type{}
	var names []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[name] = field.Type
		names = append(names, name)
	}
	var object map[string]ndjson.RawMessage
	if ndjson.Unmarshal(data, &object) != nil {
		return fmt.Errorf("%s: an object is needed", cmp.Or(strings.TrimPrefix(at, "."), "the script"))
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		field, ok := known[key]
		place := strings.TrimPrefix(at+"."+key, ".")
		if !ok {
			return fmt.Errorf("unknown key %s; known here: %s", place, strings.Join(names, ", "))
		}
		if err := checkType(object[key], field, place); err != nil {
			return err
		}
	}
	return nil
}

package main

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentrun/ndjson"
)

// difference shows what came (+) and went (-), field by field.
func difference(before, now []byte) string {
	a, b := flat(before), flat(now)
	// common[i][j] is the length of what a[i:] and b[j:] have in common.
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i, x := range slices.Backward(a) {
		for j, y := range slices.Backward(b) {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if x == y {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(&out, "  - %s\n", a[i])
			i++
		default:
			fmt.Fprintf(&out, "  + %s\n", b[j])
			j++
		}
	}
	return out.String()
}

// flat are all fields of all records, each with its path, behind the record's type.
func flat(text []byte) []string {
	var list []string
	for line := range bytes.Lines(text) {
		var v map[string]any
		if ndjson.Unmarshal(line, &v) != nil {
			list = append(list, string(line))
			continue
		}
		list = append(list, fields(fmt.Sprint(v["type"]), v)...)
	}
	return list
}

func fields(path string, v any) []string {
	var list []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range sorted(v) {
			list = append(list, fields(path+"."+k, v[k])...)
		}
	case []any:
		for _, e := range v {
			list = append(list, fields(path+"[]", e)...)
		}
	}
	if len(list) == 0 {
		list = []string{fmt.Sprintf("%s = %#v", path, v)}
	}
	return list
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

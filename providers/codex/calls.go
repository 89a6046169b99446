package codex

import (
	"bytes"
	"slices"

	"agentrun/ndjson"
)

// calls are the tool calls under way that a request of the server may be about
// without saying what they do.
type calls []openCall

type openCall struct {
	id, name  string
	arguments ndjson.RawMessage // of an MCP tool
	changes   ndjson.RawMessage // of files
}

func (c *calls) watch(s *serverItem, done bool) {
	if s.Type != "fileChange" && s.Type != "mcpToolCall" {
		return
	}
	*c = slices.DeleteFunc(*c, func(o openCall) bool { return o.id == s.ID })
	if !done {
		*c = append(*c, openCall{s.ID, toolName(s.asExec()), s.Arguments, s.Changes})
	}
}

// find returns the newest call of a name, with these arguments where there is one.
func (c calls) find(name string, arguments ndjson.RawMessage) string {
	newest := ""
	for _, o := range slices.Backward(c) {
		if o.name != name {
			continue
		}
		if bytes.Equal(o.arguments, arguments) {
			return o.id
		}
		if newest == "" {
			newest = o.id
		}
	}
	return newest
}

// changesOf returns the input of a call that changes files, and the files.
func (c calls) changesOf(id string) (input ndjson.RawMessage, paths []string) {
	for _, o := range c {
		if o.id != id {
			continue
		}
		var list []struct {
			Path string `json:"path"`
			Kind struct {
				To string `json:"move_path"`
			} `json:"kind"`
		}
		_ = ndjson.Unmarshal(o.changes, &list) // without a list there are no paths
		for _, change := range list {
			paths = append(paths, change.Path)
			if change.Kind.To != "" {
				paths = append(paths, change.Kind.To)
			}
		}
		return toolInput(&item{Type: itemChange, Changes: o.changes}), paths
	}
	return nil, nil
}

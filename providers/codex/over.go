package codex

import "slices"

// over are the ids of the last items that are complete: news of them that come
// once more, or late, tell nothing.
type over []string

const mostOver = 256

func (o over) has(id string) bool { return id != "" && slices.Contains(o, id) }

func (o *over) add(id string) {
	if len(*o) == mostOver {
		*o = slices.Delete(*o, 0, 1)
	}
	*o = append(*o, id)
}

package codex

// over are the ids of the last items that are complete: news of them that come
// once more, or late, tell nothing. Every item is looked up, so that this is no list.
type over struct {
	ids  map[string]bool
	last []string // a ring, in the order in which they came
	next int      // the oldest, when the ring is full
}

const mostOver = 256

func (o *over) has(id string) bool { return id != "" && o.ids[id] }

func (o *over) add(id string) {
	switch {
	case o.ids == nil:
		o.ids = map[string]bool{}
	case o.ids[id]:
		return
	}
	o.ids[id] = true
	if len(o.last) < mostOver {
		o.last = append(o.last, id)
		return
	}
	delete(o.ids, o.last[o.next])
	o.last[o.next] = id
	o.next = (o.next + 1) % mostOver
}

package codex

import (
	"fmt"
	"testing"
)

// The last ids are known, each once, however often they come; one that is none never is.
func TestOver(t *testing.T) {
	var o over
	o.add("")
	if o.has("") || o.has("0") {
		t.Error("it knows what never came")
	}
	const more = 3
	for i := range mostOver + more {
		o.add(fmt.Sprint(i))
		o.add(fmt.Sprint(i))
	}
	for i := range mostOver + more {
		if id := fmt.Sprint(i); o.has(id) != (i >= more) {
			t.Errorf("%s of %d is known: %v", id, mostOver+more, o.has(id))
		}
	}
}

package hooks

import (
	"slices"
	"testing"
)

// TestQueue: what is added is done in its order, one at a time, and all of it before Wait returns.
func TestQueue(t *testing.T) {
	var q Queue
	q.Wait() // for nothing
	var done []int
	for range 3 { // it begins again after it was empty
		begun, end := make(chan struct{}), make(chan struct{})
		q.Add(func() { close(begun); <-end })
		<-begun
		for i := range 100 {
			q.Add(func() { done = append(done, i) })
		}
		close(end)
		q.Wait()
	}
	if len(done) != 300 || !slices.IsSorted(done[:100]) || !slices.IsSorted(done[200:]) {
		t.Errorf("done: %v", done)
	}
}

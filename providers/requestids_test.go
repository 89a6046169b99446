package providers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRequestIDs: the vendor's own ids, and another name where one is missing or comes again.
func TestRequestIDs(t *testing.T) {
	ids := RequestIDs{}
	var names []string
	for _, id := range []string{"a", "b-2", "", "b", "b", "b", ""} {
		names = append(names, ids.Name(id))
	}
	if diff := cmp.Diff([]string{"a", "b-2", "-2", "b", "b-3", "b-4", "-3"}, names); diff != "" {
		t.Error(diff)
	}
}

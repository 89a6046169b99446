package conformance

import (
	"testing"
	"time"
)

// gone waits until no process of the run is left, for a few seconds at most.
func gone(t *testing.T, run string) {
	t.Helper()
	if run == "" {
		t.Fatal("no run id")
	}
	limit := time.Now().Add(15 * time.Second)
	Eventually(t, "the end of all processes of the run", func() bool {
		left := marked(run)
		if len(left) > 0 && time.Now().After(limit) {
			t.Fatalf("processes left: %v", left)
		}
		return len(left) == 0
	})
}

package conformance

import (
	"testing"
	"time"
)

// eventually waits until the condition holds, as long as patience lasts.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(patience); time.Now().Before(limit); <-tick.C {
		if holds() {
			return
		}
	}
	t.Fatalf("waited in vain: %s", what)
}

// gone waits until no process of the run is left, for a few seconds at most.
func gone(t *testing.T, run string) {
	t.Helper()
	if run == "" {
		t.Fatal("no run id")
	}
	limit := time.Now().Add(15 * time.Second)
	eventually(t, "the end of all processes of the run", func() bool {
		left := marked(run)
		if len(left) > 0 && time.Now().After(limit) {
			t.Fatalf("processes left: %v", left)
		}
		return len(left) == 0
	})
}

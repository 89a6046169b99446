package conformance

import (
	"testing"
	"time"
)

// patience bounds whatever a test waits for.
const patience = 100 * time.Second

// Eventually waits until the condition holds, as long as patience lasts.
func Eventually(t *testing.T, what string, holds func() bool) {
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

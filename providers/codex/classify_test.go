package codex

import (
	"testing"
	"time"
)

func TestUnwrap(t *testing.T) {
	for message, want := range map[string][2]string{
		"in words":         {"in words", ""},
		`{"detail":"why"}`: {"why", "400"},
		`{}`:               {`{}`, "400"},
		`{broken`:          {`{broken`, ""},
		`{"error":{"message":"why","type":"kind","code":"code"}}`:             {"why", "kind code"},
		`{"error":{"message":"why","type":"kind","code":7}}`:                  {"why", "kind"},
		`{"error":{"message":"why","type":null,"code":null},"detail":"more"}`: {"why", ""},
	} {
		if text, code := unwrap(message); [2]string{text, code} != want {
			t.Errorf("%s: got %q, %q, want %q", message, text, code, want)
		}
	}
}

func TestRetryAfter(t *testing.T) {
	for message, want := range map[string]time.Duration{
		"try again in 20 seconds.":     20 * time.Second,
		"Please Try again in 1m30s.":   90 * time.Second,
		"try again in 2 hours, or pay": 2 * time.Hour,
		"try again in 1 minute":        time.Minute,
		"try again in (0.5s)":          0,
		"try again in 0.5s)":           500 * time.Millisecond,
		"try again in -5s":             0,
		"try again in 0 seconds":       0,
		"try again in a while":         0,
		"try again in 5":               0,
		"try again in 5 moons":         0,
		"try again in ":                0,
		"try again at 7:00 PM":         0,
	} {
		if got, ok := retryAfter(message); got != want || ok != (want > 0) {
			t.Errorf("%q: got %v, %v, want %v", message, got, ok, want)
		}
	}
}

func TestResetsAt(t *testing.T) {
	for message, want := range map[string]string{
		"You've hit it. Try it, or try again at 7:00 PM.":    "7:00 PM",
		"try again at Dec 3rd, 2026 7:00 PM.\nRead on at x.": "Dec 3rd, 2026 7:00 PM",
		"try again later": "",
	} {
		if got := resetsAt(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

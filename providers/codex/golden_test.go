package codex_test

import (
	"testing"

	"agentrun/conformance"
	"agentrun/providers/codex"
)

func TestRecordings(t *testing.T) {
	conformance.Golden(t, codex.New(), "testdata/recordings")
}

func TestCases(t *testing.T) {
	conformance.Cases(t, codex.New(), "testdata/cases")
}

package gemini_test

import (
	"testing"

	"agentrun/conformance"
	"agentrun/providers/gemini"
)

func TestRecordings(t *testing.T) {
	conformance.Golden(t, gemini.New(), "testdata/recordings")
}

func TestCases(t *testing.T) {
	conformance.Cases(t, gemini.New(), "testdata/cases")
}

package claude

import (
	"testing"

	"agentrun/conformance"
)

func TestRecordings(t *testing.T) { conformance.Golden(t, New(), "testdata/recordings") }

func TestCases(t *testing.T) { conformance.Cases(t, New(), "testdata/cases") }

package acp_test

import (
	"testing"

	"agentrun/conformance"
	"agentrun/providers/acp"
)

func TestRecordings(t *testing.T) {
	conformance.Golden(t, acp.New(), "testdata/recordings")
}

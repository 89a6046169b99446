package cmd_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestChatNeedsTerminal: in a pipe there is nobody to talk with.
func TestChatNeedsTerminal(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "agentrun", "chat", "claude").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "chat needs a terminal") || !strings.Contains(string(out), "agentrun live") {
		t.Errorf("%v, and it said %q", err, out)
	}
}

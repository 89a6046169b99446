package claude

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
)

// TestAskAll: under a policy a hook before every tool call makes the CLI ask.
func TestAskAll(t *testing.T) {
	var sent []string
	do := func(e providers.Effect) {
		if s, ok := e.(providers.Send); ok {
			sent = append(sent, string(s.Line))
		}
	}
	d := conformance.Watch(New().(providers.Converser), providers.Request{Fields: &request{}, Asks: true})
	d.Open(do)
	line := `{"type":"control_request","request_id":"h","request":{"subtype":"hook_callback","callback_id":"ask","input":{"hook_event_name":"PreToolUse","tool_name":"Read"},"tool_use_id":"t"}}`
	if err := d.Receive(ndjson.Record{Kind: ndjson.Object, Raw: []byte(line)}, do); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"type":"control_request","request_id":"agentrun-1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":["ask"]}]}}}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"h","response":{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}}}`,
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if err := d.Err(); err != nil {
		t.Error(err)
	}
}

// TestAskAllRefuses: what keeps the CLI from asking does not go with a policy.
func TestAskAllRefuses(t *testing.T) {
	provider := New().(providers.Converser)
	for _, c := range []struct{ field, words string }{
		{"bare=true", "bare"},
		{"permission_prompt_tool=mcp__a__ask", "permission_prompt_tool"},
		{"permission_prompts=none", "permission_prompts none"},
		{"access=edit", ""},
		{"permission_prompt_tool=stdio", ""},
	} {
		r := requestOf(t, "", c.field)
		if _, err := provider.LiveCommand(r); err != nil {
			t.Errorf("%s without a policy: %v", c.field, err)
		}
		r.Asks = true
		_, err := provider.LiveCommand(r)
		var refused *providers.Error
		switch {
		case c.words == "" && err != nil:
			t.Errorf("%s: %v", c.field, err)
		case c.words != "" && (!errors.As(err, &refused) || refused.Class != providers.Unsupported || !strings.HasPrefix(err.Error(), c.words)):
			t.Errorf("%s: error %v", c.field, err)
		}
	}
	r := requestOf(t, "")
	r.Asks, r.VendorArgs = true, []string{"--bare"}
	if _, err := provider.LiveCommand(r); err == nil {
		t.Error("the vendor argument --bare is taken")
	}
}

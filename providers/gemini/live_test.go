package gemini_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"agentrun/conformance"
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/gemini"
	"agentrun/stream"
)

func liveRequest(t *testing.T, fields map[string]string) providers.Request {
	t.Helper()
	p := gemini.New()
	r := providers.Request{
		Fields: p.NewFields(), Set: map[string]bool{}, Cwd: "/repo", Dir: "/run", Root: true, Env: func(string) string { return "" },
	}
	for name, value := range fields {
		if err := providers.SetField(r.Fields, name, value); err != nil {
			t.Fatal(err)
		}
		r.Set[name] = true
	}
	return r
}

// TestLiveCommand: whole commands of the two-way mode.
func TestLiveCommand(t *testing.T) {
	const deny = "[[rule]]\ntoolName = [\"enter_plan_mode\", \"exit_plan_mode\"]\ndecision = \"deny\"\npriority = 999\n"
	const ask = "[[rule]]\ntoolName = \"run_shell_command\"\nargsPattern = \".\"\ndecision = \"ask_user\"\npriority = 50\n\n" +
		"[[rule]]\ntoolName = \"*\"\ndecision = \"ask_user\"\npriority = 50\n\n" +
		"[[rule]]\ntoolName = \"*\"\nmcpName = \"*\"\ndecision = \"ask_user\"\npriority = 50\n\n"
	defaults := providers.File{
		Name:    "system-defaults.json",
		Content: []byte(`{"general":{"sessionRetention":{"enabled":false}},"tools":{"shell":{"enableInteractiveShell":false}}}`),
	}
	env := []string{"GEMINI_CLI_NO_RELAUNCH=true", "TMPDIR=/run/tmp", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=/run/system-defaults.json"}
	for _, c := range []struct {
		name   string
		fields map[string]string
		asks   bool
		want   providers.Command
	}{
		{"defaults", nil, false, providers.Command{
			Args: []string{"--acp", "--approval-mode", "default", "--admin-policy", "/run/policy.toml"}, SetEnv: env,
			Files: []providers.File{{Name: "tmp/.keep"}, {Name: "policy.toml", Content: []byte(deny)}, defaults},
		}},
		{"resumed, asked about all", map[string]string{"resume": "5f0c1d2e-0000-4000-8000-00000000000a", "model": "flash", "access": "full", "trust": "true"}, true, providers.Command{
			Args: []string{"--acp", "--approval-mode", "yolo", "--model", "flash", "--skip-trust", "--admin-policy", "/run/policy.toml"}, SetEnv: env,
			Files: []providers.File{{Name: "tmp/.keep"}, {Name: "policy.toml", Content: []byte(
				ask + deny,
			)}, defaults},
		}},
		{"edit, asked about all", map[string]string{"access": "edit", "allow_tool": "write_file"}, true, providers.Command{
			Args: []string{"--acp", "--approval-mode", "default", "--admin-policy", "/run/policy.toml"}, SetEnv: env,
			Files: []providers.File{{Name: "tmp/.keep"}, {Name: "policy.toml", Content: []byte(
				ask + deny + "\n[[rule]]\ntoolName = \"write_file\"\ndecision = \"ask_user\"\npriority = 900\n",
			)}, defaults},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := liveRequest(t, c.fields)
			r.Asks = c.asks
			got, err := gemini.New().(providers.Converser).LiveCommand(r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLiveRefused: what has no meaning in a live session is refused before it starts.
func TestLiveRefused(t *testing.T) {
	for name, value := range map[string]string{
		"image": "a.png", "continue": "true", "session_id": "x-1", "session_file": "x", "sandbox": "true", "raw_output": "true",
		"max_turns": "0", "resume": "17", "deny_tool": "a b",
	} {
		_, err := gemini.New().(providers.Converser).LiveCommand(liveRequest(t, map[string]string{name: value}))
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Usage {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
	r := liveRequest(t, nil)
	r.Prompt = "hi"
	if _, err := gemini.New().(providers.Converser).LiveCommand(r); err == nil {
		t.Error("a prompt is not refused")
	}
}

// TestLiveUnaskable: what keeps the CLI from asking does not go with a policy.
func TestLiveUnaskable(t *testing.T) {
	for name, value := range map[string]string{
		"approval_mode": "auto_edit",
		"mcp_config":    `{"mcpServers":{"a":{"command":"b","trust":true}}}`,
		"settings":      `{"mcpServers":{"a":{"command":"b","trust":true}}}`,
	} {
		r := liveRequest(t, map[string]string{name: value})
		if _, err := gemini.New().(providers.Converser).LiveCommand(r); err != nil {
			t.Errorf("%s without a policy: %v", name, err)
		}
		r.Asks = true
		_, err := gemini.New().(providers.Converser).LiveCommand(r)
		var e *providers.Error
		if !errors.As(err, &e) || e.Class != providers.Unsupported || e.Reason != "policy" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLiveAccessUnderPolicy: an update of the access leaves the CLI in a mode in which it asks.
func TestLiveAccessUnderPolicy(t *testing.T) {
	for asks, want := range map[bool]string{false: "autoEdit", true: "default"} {
		r := liveRequest(t, nil)
		r.Asks = asks
		d := conformance.Watch(gemini.New().(providers.Converser), r)
		var sent string
		do := func(e providers.Effect) {
			if s, ok := e.(providers.Send); ok {
				sent = string(s.Line)
			}
		}
		d.Open(do)
		for _, line := range []string{
			`{"id":0,"result":{"protocolVersion":1}}`,
			`{"id":1,"result":{"sessionId":"s","modes":{"currentModeId":"yolo","availableModes":[{"id":"default"},{"id":"autoEdit"},{"id":"yolo"}]}}}`,
		} {
			if err := d.Receive(ndjson.Record{Kind: ndjson.Object, Raw: []byte(line)}, do); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Update(stream.LiveInput{Access: "edit"}, do); !errors.Is(err, providers.ErrLater) || !strings.Contains(sent, `"modeId":"`+want+`"`) {
			t.Errorf("asks: %v: %v, sent %s", asks, err, sent)
		}
		if err := d.Err(); err != nil {
			t.Error(err)
		}
	}
}

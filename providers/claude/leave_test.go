package claude

import (
	"fmt"
	"strings"
	"testing"
)

func TestLeave(t *testing.T) {
	tasks := func(kinds ...string) string {
		var list []string
		for _, k := range kinds {
			list = append(list, `{"task_type":"`+k+`"}`)
		}
		return `{"type":"system","subtype":"background_tasks_changed","tasks":[` + strings.Join(list, ",") + `]}`
	}
	status := func(s string) string {
		return `{"type":"system","subtype":"session_state_changed","state":"` + s + `"}`
	}
	cost := func(n int) string {
		return fmt.Sprintf(`{"type":"control_response","response":{"subtype":"success","request_id":"agentrun-%d"}}`, n)
	}
	t.Run("nothing in the background", func(t *testing.T) {
		s := newScene(request{})
		s.w.Close(s.do)
		s.want(t, "CloseStdin")
		s.got(t, status("idle"))
		s.want(t)
	})
	t.Run("a subagent and the turn behind it", func(t *testing.T) {
		s := newScene(request{})
		s.got(t, status("running"), initRecord, tasks("local_agent"), result(""))
		s.notes = nil
		s.w.Close(s.do)
		s.got(t, ask("r", "Bash", `,"agent_id":"a"`))
		s.want(t, `request r tool_permission "allow Bash?" background`)
		s.got(t, tasks(), cost(1))
		s.want(t, "ask mcp_status")
		s.got(t, initRecord, textRecord, result(""))
		s.want(t, "TurnStart", "emit text", "turn end completed")
		s.got(t, status("idle"), cost(2))
		s.want(t, "ask mcp_status", "withdraw r", "CloseStdin")
	})
	t.Run("a command may never end", func(t *testing.T) {
		s := newScene(request{})
		s.got(t, initRecord, tasks("local_bash"), result(""), status("idle"))
		s.notes = nil
		s.w.Close(s.do)
		s.got(t, cost(1))
		s.want(t, "ask mcp_status", "CloseStdin")
		s.got(t, tasks(), initRecord) // the turn behind it
		if err := s.w.Abort(s.do); err == nil {
			t.Error("an abort that the CLI cannot hear is not refused")
		}
		s.got(t, textRecord, result(""))
		s.want(t, "TurnStart", "emit text", "turn end completed")
	})
}

package codex

import (
	"strings"
	"testing"

	"agentrun/ndjson"
)

// A failed tool is denied only where codex says that it was not allowed to run.
func TestDenied(t *testing.T) {
	const bwrap = `"bwrap: no permission\n"`
	long := ndjson.RawMessage(`"bwrap: ` + strings.Repeat("x", 1000) + `"`)
	for _, tt := range []struct {
		name string
		item item
		want string // its beginning, "" when it was not denied
	}{
		{"declined", item{Type: itemChange, Status: "declined"}, "declined by"},
		{"failed", item{Type: itemChange, Status: "failed"}, ""},
		{"an MCP tool that was rejected", item{Type: itemMCP, Status: "failed", Error: &fault{Message: "User rejected MCP tool call"}}, "User rejected"},
		{"an MCP tool that failed", item{Type: itemMCP, Status: "failed", Error: &fault{Message: "no such file"}}, ""},
		{"an MCP tool without words", item{Type: itemMCP, Status: "failed"}, ""},
		{"another tool with such words", item{Type: itemOther, Status: "failed", Error: &fault{Message: "user rejected mcp tool call"}}, ""},
		{"no sandbox", item{Type: itemCommand, Status: "failed", Output: ndjson.RawMessage(bwrap)}, "the sandbox cannot start: bwrap: no permission"},
		{"a command that went well", item{Type: itemCommand, Status: "completed", Output: ndjson.RawMessage(bwrap)}, ""},
		{"another kind of item", item{Type: itemChange, Status: "failed", Output: ndjson.RawMessage(bwrap)}, ""},
		{"a command of bwrap's own", item{Type: itemCommand, Status: "failed", Command: "bwrap --x", Output: ndjson.RawMessage(bwrap)}, ""},
		{"a command that prints much", item{Type: itemCommand, Status: "failed", Output: long}, ""},
		{"a command that failed", item{Type: itemCommand, Status: "failed", Output: ndjson.RawMessage(`"no"`)}, ""},
	} {
		if got := denied(&tt.item); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: denied %q, want %q", tt.name, got, tt.want)
		}
	}
}

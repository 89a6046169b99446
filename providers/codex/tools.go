package codex

import (
	"bytes"
	"strings"

	"agentrun/ndjson"
)

// toolName is the vendor's name of the tool: for MCP server/tool, for a
// subagent's tool that tool, else the item's kind.
func toolName(it *item) string {
	switch it.Type {
	case itemMCP:
		return it.Server + "/" + it.Tool
	case itemCollab, itemOther:
		return it.Tool
	}
	return it.Type
}

func toolInput(it *item) ndjson.RawMessage {
	switch it.Type {
	case itemCommand:
		return ndjson.Encode(struct {
			Command string `json:"command"`
		}{it.Command})
	case itemChange:
		return ndjson.Encode(struct {
			Changes ndjson.RawMessage `json:"changes,omitempty"`
		}{it.Changes})
	case itemMCP, itemOther:
		return it.Arguments
	case itemCollab:
		return ndjson.Encode(struct {
			Prompt    ndjson.RawMessage `json:"prompt,omitempty"`
			Sender    ndjson.RawMessage `json:"sender_thread_id,omitempty"`
			Receivers ndjson.RawMessage `json:"receiver_thread_ids,omitempty"`
		}{ndjson.Present(it.Prompt), it.Sender, it.Receivers})
	}
	return ndjson.Encode(search{it.Query, it.Action})
}

type search struct {
	Query  ndjson.RawMessage `json:"query,omitempty"`
	Action ndjson.RawMessage `json:"action,omitempty"`
}

func toolOutput(it *item) ndjson.RawMessage {
	switch it.Type {
	case itemCommand:
		return ndjson.Present(it.Output)
	case itemChange:
		return ndjson.Present(it.Changes)
	case itemMCP, itemOther:
		if it.Error != nil {
			return ndjson.Encode(it.Error.Message)
		}
		return ndjson.Present(it.Result)
	case itemCollab:
		return ndjson.Encode(struct {
			Receivers ndjson.RawMessage `json:"receiver_thread_ids,omitempty"`
			States    ndjson.RawMessage `json:"agents_states,omitempty"`
		}{it.Receivers, it.States})
	}
	return ndjson.Encode(search{it.Query, it.Action})
}

// denied returns why the tool was not allowed to run, or "".
func denied(it *item) string {
	switch {
	case it.Status == "declined":
		return "declined by codex's approval policy or its reviewer"
	case it.Type == itemMCP && it.Error != nil && deniedMCP(it.Error.Message):
		return it.Error.Message
	case it.Type == itemCommand && it.Status == "failed":
		return noSandbox(it)
	}
	return ""
}

// noSandbox returns what codex's sandbox (bubblewrap, on Linux) said when it
// could not start, in the place of the command's own output. codex goes on as
// if the command had failed.
func noSandbox(it *item) string {
	if !bytes.HasPrefix(it.Output, []byte(`"bwrap: `)) || len(it.Output) > 1000 || strings.Contains(it.Command, "bwrap") {
		return ""
	}
	var said string
	if ndjson.Unmarshal(it.Output, &said) != nil {
		return ""
	}
	return "the sandbox cannot start: " + strings.TrimSpace(said)
}

// deniedMCP knows the words of codex 0.171.0 and of older ones, for a call that
// its approval gate ended.
func deniedMCP(message string) bool {
	lower := strings.ToLower(message)
	for _, words := range []string{"requires approval", "user cancelled mcp tool call", "user rejected mcp tool call", "user declined mcp tool call"} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return false
}

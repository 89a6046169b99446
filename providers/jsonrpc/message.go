// Package jsonrpc is JSON-RPC 2.0 with an agent, one message a line: the lines
// that the agent prints, and the client's side of what is written to it. It does
// no I/O: what is to be written is an effect.
package jsonrpc

import "agentrun/ndjson"

// Message is a line of the agent: a request (ID and Method), a notification
// (Method alone), or the response to a request of ours (ID, and Result or Error).
// Each side counts its own requests, so that an id means something else in each.
type Message struct {
	ID     ndjson.RawMessage `json:"id"`
	Method string            `json:"method"`
	Params ndjson.RawMessage `json:"params"`
	Result ndjson.RawMessage `json:"result"`
	Error  *Error            `json:"error"`
}

// Error is why a request was refused.
type Error struct {
	Code    int               `json:"code"`
	Message string            `json:"message"`
	Data    ndjson.RawMessage `json:"data,omitempty"`
}

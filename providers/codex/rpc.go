package codex

import (
	"strconv"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
)

// rpcLine is one line of the app server: a response without a method, a request
// of its own with an id, else a notification. Both sides count their own
// requests, so that the same id means two things.
type rpcLine struct {
	ID     ndjson.RawMessage `json:"id"`
	Method string            `json:"method"`
	Params ndjson.RawMessage `json:"params"`
	Result ndjson.RawMessage `json:"result"`
	Error  *rpcError         `json:"error"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// rpcCall is a request of ours, or without an id a notification.
type rpcCall struct {
	ID     int    `json:"id,omitempty"`
	Method string `json:"method"`
	Params any    `json:"params,omitempty"`
}

// rpcAnswer answers a request of the server.
type rpcAnswer struct {
	ID     ndjson.RawMessage `json:"id"`
	Result any               `json:"result,omitempty"`
	Error  *rpcError         `json:"error,omitempty"`
}

// codeNoMethod is JSON-RPC's code for a method that nobody serves.
const codeNoMethod = -32601

// response takes the server's answer to a call.
type response func(*rpcLine, func(providers.Effect))

// call sends a request of ours; then is called with its response.
func (d *driver) call(method string, params any, do func(providers.Effect), then response) {
	d.calls++
	d.waiting[d.calls] = then
	send(rpcCall{ID: d.calls, Method: method, Params: params}, do)
}

// answered takes a response. One to nothing is harmless.
func (d *driver) answered(line *rpcLine, do func(providers.Effect)) {
	id, err := strconv.Atoi(string(line.ID))
	if err != nil {
		return
	}
	if then := d.waiting[id]; then != nil {
		delete(d.waiting, id)
		then(line, do)
	}
}

// send writes a line of ours.
func send(line any, do func(providers.Effect)) {
	text, err := ndjson.Marshal(line)
	if err != nil {
		return // our own structs, and JSON that was decoded before
	}
	do(providers.Send{Line: text})
}

// requestName is a server's request id as the name of an AgentRequest.
func requestName(id ndjson.RawMessage) string { return strings.Trim(string(id), `"`) }

// fault is a refusal of the server as a failure.
func (e *rpcError) fault() *providers.Error {
	err := providers.Classify(append(startupRules(), turnRules()...), e.Message)
	if err == nil {
		err = &providers.Error{Class: providers.Agent, Reason: providers.ReasonRequest, Origin: providers.OriginProvider}
	}
	err.Message = e.Message
	return err
}

package acp

import (
	"strconv"

	"agentrun/ndjson"
	"agentrun/providers"
)

// message is one line of the agent: a request (method and id), a notification
// (method) or the answer to a request of ours (id).
type message struct {
	ID     ndjson.RawMessage `json:"id"`
	Method string            `json:"method"`
	Params ndjson.RawMessage `json:"params"`
	Result ndjson.RawMessage `json:"result"`
	Error  *rpcError         `json:"error"`
}

type rpcError struct {
	Code    int               `json:"code"`
	Message string            `json:"message"`
	Data    ndjson.RawMessage `json:"data"`
}

// The error codes that mean something to us.
const (
	codeNoMethod = -32601
	codeAuth     = -32000
	codeMissing  = -32002 // a session or file is not there
)

// words is the error's message with what its data adds to it.
func (e *rpcError) words() string {
	var data struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}
	_ = ndjson.Unmarshal(e.Data, &data) // data may be anything
	more := data.Details
	if more == "" {
		more = data.Message
	}
	switch {
	case more == "":
		return e.Message
	case e.Message == "" || e.Message == "Internal error":
		return more
	}
	return e.Message + ": " + more
}

func there(raw ndjson.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// What we send. IDs are ours alone: the agent counts its own requests.
type (
	outRequest struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	outNotification struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}
	outAnswer struct {
		Version string            `json:"jsonrpc"`
		ID      ndjson.RawMessage `json:"id"`
		Result  any               `json:"result,omitempty"`
		Error   *outError         `json:"error,omitempty"`
	}
	outError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
)

// reply takes the agent's answer to a request of ours.
type reply func(message, func(providers.Effect))

// request sends a request; then is called with its answer.
func (d *driver) request(method string, params any, do func(providers.Effect), then reply) {
	id := d.sent
	d.sent++
	d.waiting[id] = then
	send(outRequest{"2.0", id, method, params}, do)
}

// answered takes an answer. One to nothing we asked, or a second one, is harmless.
func (d *driver) answered(m message, do func(providers.Effect)) {
	id, err := strconv.Atoi(string(m.ID))
	if err != nil {
		return
	}
	if then := d.waiting[id]; then != nil {
		delete(d.waiting, id)
		then(m, do)
	}
}

func send(line any, do func(providers.Effect)) {
	data, err := ndjson.Marshal(line)
	if err != nil {
		return // strings, numbers and what came as JSON always encode
	}
	do(providers.Send{Line: data})
}

package jsonrpc

import (
	"strconv"

	"agentrun/ndjson"
	"agentrun/providers"
)

// noMethod is the code of an error for a method that nobody serves.
const noMethod = -32601

// Client sends requests to the agent and knows which have no response yet.
type Client struct {
	version string
	next    int
	waiting map[int]Then
}

// Then takes the response to a request.
type Then func(response *Message, do func(providers.Effect))

// NewClient returns a client whose lines say the version in their member jsonrpc,
// which "" leaves out, and whose requests are counted up from first.
func NewClient(version string, first int) *Client {
	return &Client{version: version, next: first, waiting: map[int]Then{}}
}

type (
	call struct {
		Version string `json:"jsonrpc,omitempty"`
		ID      *int   `json:"id,omitempty"` // a notification has none
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
	}
	response struct {
		Version string            `json:"jsonrpc,omitempty"`
		ID      ndjson.RawMessage `json:"id"`
		Result  any               `json:"result,omitempty"`
		Error   *Error            `json:"error,omitempty"`
	}
)

// Request sends a request; then, unless it is nil, is called with its response,
// if that ever comes.
func (c *Client) Request(method string, params any, do func(providers.Effect), then Then) {
	id := c.next
	c.next++
	c.waiting[id] = then
	providers.SendLine(call{c.version, &id, method, params}, do)
}

// Notify sends a notification. Nil params are left out.
func (c *Client) Notify(method string, params any, do func(providers.Effect)) {
	providers.SendLine(call{c.version, nil, method, params}, do)
}

// Respond answers the agent's request of the id. The result is not nil.
func (c *Client) Respond(id ndjson.RawMessage, result any, do func(providers.Effect)) {
	providers.SendLine(response{Version: c.version, ID: id, Result: result}, do)
}

// Refuse answers the agent's request of the id: nobody here serves its method.
func (c *Client) Refuse(id ndjson.RawMessage, words string, do func(providers.Effect)) {
	providers.SendLine(response{Version: c.version, ID: id, Error: &Error{Code: noMethod, Message: words}}, do)
}

// Receive takes a response. One to nothing that waits, as a second one, is harmless.
func (c *Client) Receive(response *Message, do func(providers.Effect)) {
	id, err := strconv.Atoi(string(response.ID))
	if err != nil {
		return
	}
	then := c.waiting[id]
	delete(c.waiting, id)
	if then != nil {
		then(response, do)
	}
}

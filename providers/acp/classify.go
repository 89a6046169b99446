package acp

import (
	"fmt"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
)

// The error codes that mean something to us.
const (
	codeAuth    = -32000
	codeMissing = -32002 // a session or file is not there
)

// rules turn the words of agents into classes, where their codes do not tell.
func rules() []providers.Rule {
	return []providers.Rule{
		{Words: []string{"rate limit", "too many requests", "quota"}, Class: providers.Quota, Reason: providers.ReasonRateLimit, Retryable: true},
		{Words: []string{"api key", "unauthorized", "authentication", "not logged in", "please log in"}, Class: providers.Auth, Reason: providers.ReasonNotLoggedIn},
		{Words: []string{"prompt is too long", "context length", "context window"}, Class: providers.Context},
		{Words: []string{"overloaded"}, Class: providers.Unavailable, Reason: providers.ReasonOverloaded, Retryable: true},
		{Words: []string{"econnrefused", "econnreset", "enotfound", "etimedout", "connection refused", "fetch failed"}, Class: providers.Unavailable, Reason: providers.ReasonNetwork, Retryable: true},
	}
}

// failure classifies an error of the agent.
func (d *driver) failure(e *jsonrpc.Error) *providers.Error {
	said := words(e)
	if e.Code == codeAuth {
		return d.loginFailure(e)
	}
	if own := d.cfg.Dialect.Fail; own != nil {
		return own(e.Code, said)
	}
	err := providers.Classify(rules(), said)
	if err == nil {
		err = &providers.Error{Class: providers.Agent, Message: said, Origin: providers.OriginProvider}
	}
	if said == "" {
		err.Message = fmt.Sprintf("%s gave the error %d", d.cfg.Agent, e.Code)
	}
	return err
}

// words is the error's message with what its data adds to it.
func words(e *jsonrpc.Error) string {
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

// loginFailure is a session that needs a login.
func (d *driver) loginFailure(e *jsonrpc.Error) *providers.Error {
	err := &providers.Error{Class: providers.Auth, Reason: providers.ReasonNotLoggedIn, Message: words(e), Origin: providers.OriginProvider}
	err.Hint = "log in with the agent's own program first"
	if len(d.set.logins) > 0 {
		err.Hint += ", or put its key into the environment (its ways to log in: " + strings.Join(d.set.logins, ", ") + ")"
	}
	return err
}

// sessionFailure is an error for the request of a session.
func (d *driver) sessionFailure(e *jsonrpc.Error) *providers.Error {
	err := d.failure(e)
	if d.cfg.Load != "" && (e.Code == codeMissing || err.Class == providers.Agent) {
		err.Class, err.Reason, err.Retryable = providers.Session, providers.ReasonNotFound, false
		err.Hint = "sessions belong to the agent and, mostly, to the exact directory they began in"
	}
	return err
}

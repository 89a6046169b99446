package codex

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// The params of initialize.
type (
	initialize struct {
		Client       clientInfo   `json:"clientInfo"`
		Capabilities capabilities `json:"capabilities"`
	}
	clientInfo struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	capabilities struct {
		// Experimental allows thread/backgroundTerminals/clean, which ends what an
		// interrupt leaves running, and the questions of the agent.
		Experimental bool     `json:"experimentalApi"`
		OptOut       []string `json:"optOutNotificationMethods"`
	}
)

// threadParams are those of thread/start, thread/resume and thread/fork.
type threadParams struct {
	Thread       string `json:"threadId,omitempty"`
	ExcludeTurns bool   `json:"excludeTurns,omitempty"`
	Cwd          string `json:"cwd,omitempty"`
	Model        string `json:"model,omitempty"`
	// Sandbox is read-only at first, whatever the turns may do: with another one
	// codex writes the directory's trust into the user's config.
	Sandbox   string `json:"sandbox,omitempty"`
	Approval  string `json:"approvalPolicy,omitempty"`
	Reviewer  string `json:"approvalsReviewer,omitempty"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
}

// threadOpened is the response to those.
type threadOpened struct {
	Thread struct {
		ID string `json:"id"`
	} `json:"thread"`
	Model string `json:"model"`
}

// Open begins with initialize; the thread is opened when the server has answered.
func (d *driver) Open(do func(providers.Effect)) {
	d.rpc.Request("initialize", initialize{
		Client:       clientInfo{Name: "agentrun", Title: "agentrun", Version: "1"},
		Capabilities: capabilities{Experimental: true, OptOut: optOut(d.req.Deltas)},
	}, do, func(line *jsonrpc.Message, do func(providers.Effect)) {
		if d.refusedToOpen(line, do) {
			return
		}
		d.rpc.Notify("initialized", nil, do)
		method, params := d.openThread()
		d.rpc.Request(method, params, do, d.threadOpened)
	})
}

// optOut lists the notifications that nobody reads.
func optOut(deltas bool) []string {
	list := []string{"item/commandExecution/outputDelta", "item/fileChange/outputDelta", "account/rateLimits/updated"}
	if !deltas {
		list = append(list, "item/agentMessage/delta", "item/reasoning/summaryTextDelta", "item/reasoning/summaryPartAdded", "item/reasoning/textDelta")
	}
	return list
}

func (d *driver) openThread() (method string, params threadParams) {
	f := d.fields
	p := threadParams{Cwd: d.req.Cwd, Model: f.Model, Ephemeral: f.Ephemeral, Approval: d.next.Approval, Reviewer: d.next.Reviewer}
	if d.next.Sandbox != nil {
		p.Sandbox = accessRead
		if !d.req.Fenced(fenceTrust) {
			p.Sandbox = d.next.Sandbox.mode()
		}
	}
	switch {
	case f.Fork:
		p.Thread, p.ExcludeTurns = f.Resume, true
		return "thread/fork", p
	case f.Resume != "":
		p.Thread, p.ExcludeTurns, p.Ephemeral = f.Resume, true, false // it is kept as it was
		return "thread/resume", p
	}
	return "thread/start", p
}

func (d *driver) threadOpened(line *jsonrpc.Message, do func(providers.Effect)) {
	var opened threadOpened
	if d.refusedToOpen(line, do) {
		return
	}
	if err := ndjson.Unmarshal(line.Result, &opened); err != nil || opened.Thread.ID == "" {
		d.cannotOpen(providers.Errorf(providers.Protocol, providers.ReasonUnknownEvent, "codex opened a thread without an id"), do)
		return
	}
	d.m.thread, d.model, d.opened = opened.Thread.ID, opened.Model, true
	do(providers.Emit{Chunk: stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{
		Notice: stream.NoticeSession, SessionID: d.m.thread, Model: d.model,
	}}})
	do(providers.Ready{})
}

func (d *driver) refusedToOpen(line *jsonrpc.Message, do func(providers.Effect)) bool {
	if line.Error == nil {
		return false
	}
	d.cannotOpen(refusal(line.Error), do)
	return true
}

// cannotOpen ends the process, which cannot be used.
func (d *driver) cannotOpen(err *providers.Error, do func(providers.Effect)) {
	d.fault = err
	d.Close(do)
}

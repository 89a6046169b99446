package acp

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

const protocolVersion = 1

type (
	initialize struct {
		Version int        `json:"protocolVersion"`
		Caps    clientCaps `json:"clientCapabilities"`
		Client  agentInfo  `json:"clientInfo"`
	}
	// clientCaps says that files and commands are the agent's own business, and
	// that questions can be answered.
	clientCaps struct {
		FS struct {
			Read  bool `json:"readTextFile"`
			Write bool `json:"writeTextFile"`
		} `json:"fs"`
		Terminal    bool `json:"terminal"`
		Elicitation struct {
			Form struct{} `json:"form"`
			URL  struct{} `json:"url"`
		} `json:"elicitation"`
	}
	agentInfo struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	agentCaps struct {
		Load   bool `json:"loadSession"`
		Prompt struct {
			Image bool `json:"image"`
		} `json:"promptCapabilities"`
		Session struct {
			Resume ndjson.RawMessage `json:"resume"`
		} `json:"sessionCapabilities"`
		MCP struct {
			HTTP bool `json:"http"`
			SSE  bool `json:"sse"`
		} `json:"mcpCapabilities"`
	}
	initialized struct {
		Version     int       `json:"protocolVersion"`
		Agent       agentInfo `json:"agentInfo"`
		Caps        agentCaps `json:"agentCapabilities"`
		AuthMethods []struct {
			ID string `json:"id"`
		} `json:"authMethods"`
	}
	openSession struct {
		ID      string   `json:"sessionId,omitempty"`
		Cwd     string   `json:"cwd"`
		Servers []Server `json:"mcpServers"`
	}
)

// Open says hello; the session follows.
func (d *driver) Open(do func(providers.Effect)) {
	hello := initialize{Version: protocolVersion, Client: agentInfo{"agentrun", "1"}}
	d.rpc.Request("initialize", hello, do, d.met)
}

// met takes the agent's hello.
func (d *driver) met(m *jsonrpc.Message, do func(providers.Effect)) {
	var hello initialized
	switch {
	case m.Error != nil:
		d.fail(d.failure(m.Error), do)
		return
	case ndjson.Unmarshal(m.Result, &hello) != nil:
		d.fail(providers.Errorf(providers.Protocol, providers.ReasonMalformed, "%s gave a broken answer to initialize", d.cfg.Agent), do)
		return
	case hello.Version != protocolVersion:
		d.fail(providers.Errorf(providers.Unsupported, "protocol_version", "%s speaks version %d of the protocol, agentrun speaks %d",
			d.cfg.Agent, hello.Version, protocolVersion), do)
		return
	}
	d.agent, d.caps = hello.Agent, hello.Caps
	for _, a := range hello.AuthMethods {
		d.set.logins = append(d.set.logins, a.ID)
	}
	if err := d.cannot(); err != nil {
		d.fail(err, do)
		return
	}
	if d.cfg.Auth == "" {
		d.enter(do)
		return
	}
	login := struct {
		Method string `json:"methodId"`
	}{d.cfg.Auth}
	d.rpc.Request("authenticate", login, do, func(m *jsonrpc.Message, do func(providers.Effect)) {
		if m.Error != nil {
			d.fail(d.loginFailure(m.Error), do)
			return
		}
		d.enter(do)
	})
}

// cannot finds what the session needs and the agent cannot do.
func (d *driver) cannot() *providers.Error {
	for _, s := range d.cfg.Servers {
		if s.Type == "http" && !d.caps.MCP.HTTP || s.Type == "sse" && !d.caps.MCP.SSE {
			return providers.Errorf(providers.Unsupported, "mcp_config", "%s takes no MCP servers by %s (server %s)", d.cfg.Agent, s.Type, s.Name)
		}
	}
	return nil
}

func (d *driver) noImages() *providers.Error {
	return providers.Errorf(providers.Unsupported, "images", "%s takes no images", d.cfg.Agent)
}

// enter begins the session, or carries one on: best without its history told again.
func (d *driver) enter(do func(providers.Effect)) {
	open := openSession{d.cfg.Load, d.cfg.Cwd, d.cfg.Servers}
	if open.Servers == nil {
		open.Servers = []Server{}
	}
	switch {
	case d.cfg.Load == "":
		d.rpc.Request("session/new", open, do, d.entered)
	case ndjson.Present(d.caps.Session.Resume) != nil:
		d.rpc.Request("session/resume", open, do, d.entered)
	case d.caps.Load:
		d.rpc.Request("session/load", open, do, d.entered)
	default:
		d.fail(providers.Errorf(providers.Unsupported, "load", "%s cannot carry a session on", d.cfg.Agent), do)
	}
}

// entered takes the session, sets what the request wants of it, and is ready.
func (d *driver) entered(m *jsonrpc.Message, do func(providers.Effect)) {
	var s struct {
		ID string `json:"sessionId"`
		state
	}
	switch {
	case m.Error != nil:
		d.fail(d.sessionFailure(m.Error), do)
		return
	case ndjson.Unmarshal(m.Result, &s) != nil || s.ID == "" && d.cfg.Load == "":
		d.fail(providers.Errorf(providers.Protocol, providers.ReasonMalformed, "%s gave a broken answer to the request for a session", d.cfg.Agent), do)
		return
	}
	if d.session = d.cfg.Load; d.session == "" {
		d.session = s.ID
	}
	d.set.state(s.state)
	changes, err := d.changes(d.cfg.Model, d.cfg.Mode, d.cfg.Effort)
	if err != nil {
		d.fail(err, do)
		return
	}
	d.apply(changes, do, func(err *providers.Error, do func(providers.Effect)) {
		switch {
		case err != nil:
			d.fail(err, do)
		case d.cfg.Load != "" && d.cfg.Dialect.LoadsOn:
			d.calm(do)
		default:
			d.begin(do)
		}
	})
}

// calm waits until no more of the history comes: until nothing came between a
// question and its answer. The question is an extension that no agent knows.
func (d *driver) calm(do func(providers.Effect)) {
	before := d.replay
	d.rpc.Request("_agentrun/ping", struct{}{}, do, func(_ *jsonrpc.Message, do func(providers.Effect)) {
		if d.replay != before {
			d.calm(do)
			return
		}
		d.begin(do)
	})
}

func (d *driver) begin(do func(providers.Effect)) {
	d.ready = true
	meta := &stream.Metadata{Notice: stream.NoticeSession, SessionID: d.session, Model: d.set.model, Version: d.agent.Version}
	emit(stream.Chunk{Type: stream.System, Content: strings.TrimSpace(d.agent.Name + " " + d.agent.Version), Metadata: meta}, do)
	do(providers.Ready{})
}

// fail gives the session up before it began.
func (d *driver) fail(err *providers.Error, do func(providers.Effect)) {
	d.failed = err
	d.Close(do)
}

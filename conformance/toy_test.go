package conformance

import (
	"fmt"
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// toy is a provider of a made-up vendor. It is good, unless it has a fault.
type toy struct {
	fault  string
	calls  int              // what a pure provider has not
	state  providers.Facts  // neither
	about  *providers.About // nor this
	fields *toyFields       // nor that
}

type toyFields struct {
	Resume    string   `field:"resume" help:"carry on a session"`
	Continue  bool     `field:"continue" help:"carry on the newest session"`
	Fork      bool     `field:"fork" help:"in a copy"`
	Schema    string   `field:"schema" kind:"json-or-file" help:"schema of the answer"`
	Access    string   `field:"access" choices:"read-only full" help:"what it may do"`
	MaxTurns  int      `field:"max_turns" help:"limit of turns"`
	MaxCost   float64  `field:"max_cost" help:"limit of money"`
	Image     []string `field:"image" kind:"content" help:"image"`
	MCPConfig []string `field:"mcp_config" kind:"json-or-file" help:"MCP servers"`
}

func (t *toy) has(fault string) bool { return t.fault == fault }

func (t *toy) About() providers.About {
	if t.about != nil && t.has("frozen declaration") {
		return *t.about
	}
	can := providers.Capabilities{
		Transport: providers.Subprocess, Resumable: true, ResumeField: "resume", Forkable: true,
		EmitsToolEvents: !t.has("tool events"), EmitsThinking: !t.has("thinking"), EmitsDeltas: !t.has("deltas"),
		ReportsUsage: !t.has("usage"), ReportsCost: !t.has("cost"), EndsWithTerminalRecord: !t.has("terminal record"),
		StructuredOutput: "native", Access: []string{"read-only", "full"},
		TurnLimit: !t.has("capability fields"), CostLimit: true, Images: true, MCPConfig: true,
	}
	t.about = &providers.About{
		Name: "toy", Title: "Toy", Capabilities: can,
		Binary: providers.Binary{Name: "toy", Env: "TOY_BIN", VersionArgs: []string{"--version"}, Oldest: "1.0", Newest: "2.0", Install: "make toy"},
	}
	if t.has("declaration") {
		t.about.Title = ""
	}
	return *t.about
}

func (t *toy) NewFields() any {
	if t.fields == nil || !t.has("fields") {
		t.fields = &toyFields{}
	}
	return t.fields
}

func (t *toy) Command(r providers.Request) (providers.Command, error) {
	f, ok := r.Fields.(*toyFields)
	switch {
	case !ok:
		return providers.Command{}, fmt.Errorf("fields of type %T", r.Fields)
	case r.Set["resume"] && (f.Resume == "" || strings.HasPrefix(f.Resume, "-")),
		r.Set["resume"] && f.Continue && !t.has("request validation"):
		return providers.Command{}, providers.Errorf(providers.Usage, "", "that session cannot be")
	}
	t.calls++
	cmd := providers.Command{Args: []string{"run"}, Stdin: []byte(r.Prompt)}
	if f.Resume != "" && !t.has("resume") {
		cmd.Args = append(cmd.Args, "--resume", f.Resume)
	}
	if f.Fork && !t.has("fork") {
		cmd.Args = append(cmd.Args, "--fork")
	}
	switch t.fault {
	case "pure command":
		cmd.Args = append(cmd.Args, fmt.Sprint(t.calls))
	case "prompt delivery":
		cmd.Args, cmd.Stdin = append(cmd.Args, r.Prompt), nil
	case "private files":
		cmd.Files = []providers.File{{Name: "../outside"}}
	}
	return cmd, nil
}

func (t *toy) Loopback(l providers.Loopback) providers.LoopbackCommand {
	cmd := providers.LoopbackCommand{Env: []string{"HOME=" + l.Home, "TOY_URL=" + l.URL}}
	if t.has("loopback") {
		cmd.Env = cmd.Env[1:]
	}
	return cmd
}

func (t *toy) NewMapper(r providers.Request) providers.Mapper {
	t.calls++
	m := &toyMapper{toy: t, deltas: r.Deltas}
	if t.has("own state") {
		t.state = providers.Facts{}
		m.facts = &t.state
	}
	return m
}

// toyMapper maps the toy's events.
type toyMapper struct {
	toy    *toy
	deltas bool
	facts  *providers.Facts
	words  string
	failed string
	value  ndjson.RawMessage
}

type toyEvent struct {
	Type    string            `json:"type"`
	ID      string            `json:"id"`
	Text    string            `json:"text"`
	Tool    string            `json:"tool"`
	Input   ndjson.RawMessage `json:"input"`
	Session string            `json:"session"`
	Tokens  int64             `json:"tokens"`
	USD     float64           `json:"usd"`
	Value   ndjson.RawMessage `json:"value"`
}

func (m *toyMapper) Map(rec ndjson.Record, emit func(stream.Chunk)) error {
	var e toyEvent
	if err := rec.Decode(&e); err != nil {
		return err
	}
	if m.facts == nil {
		m.facts = &providers.Facts{}
	}
	m.facts.Progress++
	m.misbehave(rec, e, emit)
	meta := &stream.Metadata{MessageID: e.ID}
	switch e.Type {
	case "start":
		m.facts.SessionID = e.Session
	case "say":
		if m.words != e.ID || m.toy.has("pieces and whole") && m.deltas {
			emit(stream.Chunk{Type: stream.Text, Content: e.Text, Metadata: meta})
		}
	case "piece":
		m.words = e.ID // the whole follows, and is not said again
		emit(stream.Chunk{Type: stream.Text, Content: e.Text, IsDelta: true, Metadata: meta})
	case "think":
		emit(stream.Chunk{Type: stream.Thinking, Content: e.Text, Metadata: meta})
	case "call":
		emit(stream.Chunk{Type: stream.ToolUse, ToolName: e.Tool, ToolID: e.ID, ToolInput: e.Input})
	case "return":
		emit(stream.Chunk{Type: stream.ToolResult, ToolName: e.Tool, ToolID: e.ID})
	case "end", "fail":
		m.end(e)
	default:
		return m.unknown(e, rec, emit)
	}
	return nil
}

// misbehave is what the faulty mappers do at every event.
func (m *toyMapper) misbehave(rec ndjson.Record, e toyEvent, emit func(stream.Chunk)) {
	switch m.toy.fault {
	case "stream order":
		if e.Type == "return" {
			emit(stream.Chunk{Type: stream.ToolResult, ToolID: e.ID})
		}
	case "same again":
		emit(stream.Chunk{Type: stream.System, Content: fmt.Sprint(m.toy.calls), Metadata: &stream.Metadata{Notice: stream.NoticeInfo}})
	case "one-byte reads": // it looks behind the record
		emit(stream.Chunk{Type: stream.System, Content: fmt.Sprint(cap(rec.Raw)), Metadata: &stream.Metadata{Notice: stream.NoticeInfo}})
	case "unknown fields":
		if strings.Contains(string(rec.Raw), "x_grease") {
			m.failed = "a field that nobody knows"
		}
	case "own bytes":
		emit(stream.Chunk{Type: stream.System, Metadata: &stream.Metadata{Notice: stream.NoticeInfo, Data: ndjson.RawMessage(rec.Raw)}})
	case "own state":
		m.facts.NumTurns = new(m.facts.Progress)
	}
}

func (m *toyMapper) end(e toyEvent) {
	m.facts.Settled = true
	if e.Type == "fail" {
		m.failed = e.Text
		return
	}
	m.value = e.Value
	m.facts.Usage = &stream.Usage{TotalTokens: new(e.Tokens), Scope: stream.ScopeRun}
	m.facts.CostUSD = new(e.USD)
}

func (m *toyMapper) unknown(e toyEvent, rec ndjson.Record, emit func(stream.Chunk)) error {
	switch m.toy.fault {
	case "unknown content":
		return nil
	case "unknown telemetry":
		return providers.Errorf(providers.Protocol, providers.ReasonUnknownEvent, "%s", e.Type)
	}
	return providers.Unknown(e.Type, rec.Raw, emit)
}

func (m *toyMapper) Noise([]byte) bool {
	if m.toy.has("noise") {
		m.failed = "noise"
	}
	return false
}

func (m *toyMapper) Facts() providers.Facts {
	if m.facts == nil {
		return providers.Facts{}
	}
	return *m.facts
}

func (m *toyMapper) Verdict(providers.Exit) providers.Verdict {
	f := m.Facts()
	v := providers.Verdict{Metadata: stream.Metadata{SessionID: f.SessionID, Usage: f.Usage, TotalCostUSD: f.CostUSD, NumTurns: f.NumTurns}}
	switch {
	case m.failed != "":
		v.Err = providers.Errorf(providers.Agent, "", "%s", m.failed)
	case !f.Settled && !m.toy.has("every prefix"):
		v.Err = providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "no end")
	case !m.toy.has("structured output"):
		v.Metadata.StructuredOutput = m.value
	}
	return v
}

package codex

import (
	"maps"
	"slices"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// agents are the subagents of the thread, each a thread of its own.
type agents struct {
	parents map[string]string // the call that began it, by thread
	turns   map[string]string // the turn that runs, by thread
}

// of returns the mapper of a thread. What a subagent says names the call that
// began it, or its thread where that is not known.
func (d *driver) of(thread string, do func(providers.Effect)) (*mapper, func(stream.Chunk)) {
	if thread == "" || d.m.thread == "" || thread == d.m.thread {
		return d.m, providers.Emitter(do)
	}
	m := d.others[thread]
	if m == nil {
		m = newMapper(d.req)
		m.thread, m.open = thread, d.m.open // the stream has one call of an id at a time
		d.others[thread] = m
	}
	return m, func(c stream.Chunk) {
		if c.Metadata == nil {
			c.Metadata = &stream.Metadata{}
		}
		c.Metadata.ParentToolID = d.parent(thread)
		do(providers.Emit{Chunk: c})
	}
}

// parent is the call that began the subagent of a thread, "" for the thread itself.
func (d *driver) parent(thread string) string {
	switch call := d.agents.parents[thread]; {
	case thread == "" || thread == d.m.thread:
		return ""
	case call != "":
		return call
	}
	return thread
}

// spawned notes whose call began a subagent.
func (a *agents) spawned(s *serverItem) {
	for _, thread := range s.Receivers {
		if s.Tool == "spawnAgent" && a.parents[thread] == "" {
			a.parents[thread] = s.ID
		}
	}
}

// activity tells of a subagent of the newer kind, for whose calls there are no items.
func (a *agents) activity(s *serverItem, done bool, emit func(stream.Chunk)) {
	if s.Kind == "started" && a.parents[s.Agent] == "" {
		a.parents[s.Agent] = s.ID
	}
	if !done {
		return
	}
	c := stream.Notice(stream.NoticeTask, "subagent "+s.AgentPath+" "+s.Kind)
	c.Metadata.Data = ndjson.Encode(struct {
		ID     string `json:"id"`
		Kind   string `json:"kind"`
		Thread string `json:"agent_thread_id"`
		Path   string `json:"agent_path"`
	}{s.ID, s.Kind, s.Agent, s.AgentPath})
	emit(c)
}

// interrupt ends the turns of the subagents.
func (a *agents) interrupt(d *driver, do func(providers.Effect)) {
	for _, thread := range slices.Sorted(maps.Keys(a.turns)) {
		d.rpc.Request("turn/interrupt", turnInterrupt{thread, a.turns[thread]}, do, nil)
	}
}

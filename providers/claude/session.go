package claude

import (
	"slices"

	"agentrun/ndjson"
	"agentrun/stream"
)

// init opens the session the first time; it comes again before every turn.
func (m *mapper) init(rec ndjson.Record) error {
	var line initLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(true)
	if line.SessionID != "" {
		m.facts.SessionID = line.SessionID
	}
	if line.Model != "" {
		m.facts.Model = line.Model
	}
	changed := m.started && line.Model != m.model
	m.model = line.Model
	switch {
	case changed:
		c := notice(stream.NoticeModel, "the model is now "+line.Model, nil)
		c.Metadata.Model = line.Model
		m.emit(c)
	case !m.started:
		m.started = true
		m.opened(&line)
	}
	return nil
}

func (m *mapper) opened(line *initLine) {
	c := notice(stream.NoticeSession, "", sessionFacts{
		line.PermissionMode, line.APIKeySource, line.Tools, line.MCPServers,
	})
	c.Metadata.SessionID, c.Metadata.Model = line.SessionID, line.Model
	c.Metadata.Cwd, c.Metadata.Version = line.Cwd, line.Version
	m.emit(c)
	for _, server := range line.MCPServers {
		if server.Status == "failed" || server.Status == "needs-auth" {
			m.warn("mcp_server_" + server.Status + ": " + server.Name)
			m.notice(stream.NoticeWarning, "MCP server "+server.Name+": "+server.Status, nil)
		}
	}
}

func (m *mapper) reset(rec ndjson.Record) error {
	var line resetLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	if line.SessionID != "" {
		m.facts.SessionID = line.SessionID
		c := notice(stream.NoticeSession, "the vendor began a new session", nil)
		c.Metadata.SessionID = line.SessionID
		m.emit(c)
	}
	return nil
}

// writesLost: the CLI could not keep its transcript (2.1.332: ENOSPC, EDQUOT).
// Of a home that it may not write to at all it says nothing.
func (m *mapper) writesLost(rec ndjson.Record) error {
	var line lostLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	if slices.Contains(line.Lost, "transcript") {
		m.facts.Unsaved = true
		m.warn("session_writes_lost: " + line.Code)
		m.notice(stream.NoticeWarning, "the vendor could not save the session: "+line.Code, nil)
	}
	return nil
}

package claude

import (
	"agentrun/ndjson"
	"agentrun/stream"
)

// task tells of background tasks and subagents. The words of a notification
// hold a background subagent's report.
func (m *mapper) task(rec ndjson.Record, subtype string) error {
	var line taskLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(false)
	if line.Status == "" {
		line.Status = line.Patch.Status
	}
	content := line.Summary
	_, open := m.open[line.ToolUseID]
	l := m.lanes[line.ToolUseID]
	if content == "" || open || line.IsReport && l != nil && l.spoke {
		// The report is, or will be, in the subagent's own text or its tool result.
		content = line.Description
	}
	if content == "" {
		content = line.Status
	}
	if subtype == "task_notification" && !open {
		m.leave(line.ToolUseID)
	}
	c := notice(stream.NoticeTask, content, taskFacts{
		subtype, line.TaskID, line.TaskType, line.Description, line.Status, line.OutputFile, line.Usage,
	})
	c.Metadata.ParentToolID, c.Metadata.AgentType = line.ToolUseID, line.SubagentType
	m.emit(c)
	return nil
}

func (m *mapper) tasks(rec ndjson.Record) error {
	var line tasksLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(false)
	m.pending, m.agents = len(line.Tasks), 0
	for _, t := range line.Tasks {
		if t.Type == "local_agent" {
			m.agents++
		}
	}
	return nil
}

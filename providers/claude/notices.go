package claude

import (
	"fmt"
	"time"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// system maps the events of type system, by subtype.
func (m *mapper) system(rec ndjson.Record) error {
	var h head
	if rec.Decode(&h) != nil {
		return providers.Unknown("system", rec.Raw, m.emit)
	}
	var err error
	switch h.Subtype {
	case "init":
		err = m.init(rec)
	case "api_retry":
		err = m.retry(rec)
	case "permission_denied":
		err = m.permissionDenied(rec)
	case "task_started", "task_progress", "task_updated", "task_notification":
		err = m.task(rec, h.Subtype)
	case "background_tasks_changed":
		err = m.tasks(rec)
	case "informational", "notification":
		err = m.info(rec)
	case "model_fallback", "model_refusal_fallback", "model_refusal_no_fallback":
		err = m.fallback(rec)
	case "compact_boundary":
		err = m.compact(rec)
	case "status":
		err = m.status(rec)
	case "hook_response":
		err = m.hook(rec)
	case "session_writes_lost":
		err = m.writesLost(rec)
	case "thinking_tokens":
		m.progress(true)
	case "hook_started", "hook_progress", "session_state_changed", "ui_invalidate", "files_persisted", "memory_recall",
		"mirror_error", "elicitation_complete", "local_command_output", "commands_changed", "plugin_install",
		"worker_shutting_down", "control_request_progress", "session_title_changed",
		"turn_preempted", "vcs_state_changed":
		// Telemetry.
	default:
		return providers.Unknown("system/"+h.Subtype, rec.Raw, m.emit)
	}
	if err != nil {
		return providers.Unknown("system/"+h.Subtype, rec.Raw, m.emit)
	}
	return nil
}

// retry is no progress: the CLI waits, and stderr stays empty.
func (m *mapper) retry(rec ndjson.Record) error {
	var line retryLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.ended = false
	m.facts.Retrying = line.Error
	if line.Status != 0 {
		m.facts.Retrying = fmt.Sprintf("%s (%d)", line.Error, line.Status)
	}
	m.notice(stream.NoticeRetry, fmt.Sprintf("the model request failed: %s; attempt %d of %d follows in %d ms",
		m.facts.Retrying, line.Attempt, line.MaxRetries, line.DelayMS), line)
	return nil
}

func (m *mapper) permissionDenied(rec ndjson.Record) error {
	var line deniedLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(false)
	if _, open := m.open[line.ToolUseID]; open {
		m.denied[line.ToolUseID] = true
	} else {
		m.deny(stream.Denial{ToolName: line.ToolName, ToolID: line.ToolUseID, Message: line.Message})
	}
	m.emit(deniedNotice(line.ToolName, line.ToolUseID, line.Message))
	return nil
}

func deniedNotice(name, id, words string) stream.Chunk {
	c := notice(stream.NoticeDenied, words, nil)
	c.ToolName, c.ToolID = name, id
	return c
}

func (m *mapper) info(rec ndjson.Record) error {
	var line infoLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	word := stream.NoticeInfo
	if line.Level == "warning" || line.Level == "error" || line.Priority == "high" {
		word = stream.NoticeWarning
	}
	if line.PromptOutcome != nil && line.PromptOutcome.Kind != "" {
		m.blocked = line.PromptOutcome.Kind + ": " + line.PromptOutcome.Reason
	}
	m.notice(word, line.Content+line.Text, nil)
	return nil
}

func (m *mapper) fallback(rec ndjson.Record) error {
	var line modelLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(true)
	if len(line.Retracted) > 0 {
		m.retracted(m.recent.messages(line.Retracted))
	}
	content := line.Content
	if content == "" {
		content = "the model " + line.Original + " refused"
	}
	if line.Fallback != "" {
		m.facts.Model = line.Fallback
	}
	c := notice(stream.NoticeModel, content, modelFacts{line.Original, line.Fallback, line.Trigger, line.Category})
	c.Metadata.Model = m.facts.Model
	m.emit(c)
	return nil
}

func (m *mapper) compact(rec ndjson.Record) error {
	var line compactLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.progress(true)
	m.notice(stream.NoticeCompaction, "the vendor shortened the conversation", line.Compact)
	return nil
}

// status is a heartbeat, but for a compaction that failed.
func (m *mapper) status(rec ndjson.Record) error {
	var line statusLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	if line.CompactError != "" {
		m.notice(stream.NoticeWarning, "compaction failed: "+line.CompactError, nil)
	}
	return nil
}

func (m *mapper) hook(rec ndjson.Record) error {
	var line hookLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	m.notice(stream.NoticeVendorHook, line.Name+": "+line.Outcome, line)
	return nil
}

func (m *mapper) rateLimit(rec ndjson.Record) error {
	var line rateLimitLine
	if err := rec.Decode(&line); err != nil {
		return err
	}
	content := "rate limit " + line.Info.Type + ": " + line.Info.Status
	if line.Info.ResetsAt != 0 {
		content += ", resets at " + resetTime(line.Info.ResetsAt)
	}
	m.notice(stream.NoticeRateLimit, content, line.Info)
	return nil
}

func resetTime(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

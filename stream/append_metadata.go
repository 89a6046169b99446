package stream

// appendJSON writes all fields in their order.
func (m *Metadata) appendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	m.origin(&o)
	m.totals(&o)
	m.failure(&o)
	return o.end()
}

// origin writes where a chunk comes from, and what is special about it.
func (m *Metadata) origin(o *object) {
	o.string("stream", m.Stream)
	o.string("run_id", m.RunID)
	o.string("provider", m.Provider)
	o.string("binary", m.Binary)
	o.string("vendor_version", m.Version)
	o.string("cwd", m.Cwd)
	o.raw("capabilities", m.Capabilities)
	o.string("notice", m.Notice)
	o.raw("data", m.Data)
	o.string("session_id", m.SessionID)
	o.string("model", m.Model)
	o.string("message_id", m.MessageID)
	o.string("parent_tool_id", m.ParentToolID)
	o.string("agent_type", m.AgentType)
	o.bool("aborted", m.Aborted)
	list(o, "supersedes", m.Supersedes, appendStringOf)
	o.bool("denied", m.Denied)
	o.intPtr("exit_code", m.ExitCode)
	o.int("duration_ms", m.DurationMS)
}

// totals writes what is on the terminal chunk of a run.
func (m *Metadata) totals(o *object) {
	o.usage("usage", m.Usage)
	o.floatPtr("total_cost_usd", m.TotalCostUSD)
	o.string("cost_scope", string(m.CostScope))
	o.usage("session_usage", m.SessionUsage)
	o.floatPtr("session_cost_usd", m.SessionCostUSD)
	o.intPtr("num_turns", m.NumTurns)
	o.int("duration_api_ms", m.DurationAPIMS)
	o.string("stop_reason", m.StopReason)
	o.raw("structured_output", m.StructuredOutput)
	list(o, "denials", m.Denials, (*Denial).appendJSON)
	list(o, "warnings", m.Warnings, appendStringOf)
	list(o, "open_tools", m.OpenTools, (*OpenTool).appendJSON)
	o.string("partial_text", m.PartialText)
}

// failure writes what is on an error chunk.
func (m *Metadata) failure(o *object) {
	o.string("class", m.Class)
	o.string("reason", m.Reason)
	o.string("origin", m.Origin)
	o.boolPtr("retryable", m.Retryable)
	o.floatPtr("retry_after", m.RetryAfter)
	o.string("resets_at", m.ResetsAt)
	o.string("hint", m.Hint)
	o.intPtr("exit_status", m.ExitStatus)
	o.string("signal", m.Signal)
	o.string("stderr", m.Stderr)
}

func (d *Denial) appendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	o.string("tool_name", d.ToolName)
	o.string("tool_id", d.ToolID)
	o.string("message", d.Message)
	o.raw("tool_input", d.Input)
	return o.end()
}

func (t *OpenTool) appendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	o.string("tool_name", t.ToolName)
	o.string("tool_id", t.ToolID)
	return o.end()
}

func (u *Usage) appendJSON(dst []byte) []byte {
	o := object{append(dst, '{')}
	o.int64Ptr("input_tokens", u.InputTokens)
	o.int64Ptr("cached_input_tokens", u.CachedInputTokens)
	o.int64Ptr("cache_write_tokens", u.CacheWriteTokens)
	o.int64Ptr("output_tokens", u.OutputTokens)
	o.int64Ptr("reasoning_tokens", u.ReasoningTokens)
	o.int64Ptr("total_tokens", u.TotalTokens)
	o.string("scope", string(u.Scope))
	o.bool("partial", u.Partial)
	return o.end()
}

func appendStringOf(s *string, dst []byte) []byte { return appendString(dst, *s) }

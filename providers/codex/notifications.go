package codex

import (
	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/providers/jsonrpc"
	"agentrun/stream"
)

// notified takes a notification of the server.
func (d *driver) notified(line *jsonrpc.Message, do func(providers.Effect)) error {
	switch line.Method {
	case "item/started", "item/completed":
		return d.item(line, line.Method == "item/completed", do)
	case "item/agentMessage/delta":
		return d.delta(line, stream.Text, do)
	case "item/reasoning/summaryTextDelta", "item/reasoning/summaryPartAdded", "item/reasoning/textDelta":
		return d.delta(line, stream.Thinking, do)
	case "thread/tokenUsage/updated":
		return d.usage(line, do)
	case "turn/started", "turn/completed":
		return d.turnEvent(line, do)
	case "error":
		return d.failing(line, do)
	case "turn/plan/updated":
		return d.plan(line, do)
	case "serverRequest/resolved":
		return d.resolved(line, do)
	case "warning", "configWarning", "guardianWarning", "deprecationNotice", "model/rerouted", "mcpServer/startupStatus/updated":
		return d.warned(line, do)
	}
	if telemetry(line.Method) {
		return nil
	}
	return providers.Unknown(line.Method, line.Params, providers.Emitter(do))
}

// turnEvent is the beginning or end of a turn. A subagent's is its own affair.
func (d *driver) turnEvent(line *jsonrpc.Message, do func(providers.Effect)) error {
	var e struct {
		Thread string     `json:"threadId"`
		Turn   serverTurn `json:"turn"`
	}
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	begins := line.Method == "turn/started"
	switch m, _ := d.of(e.Thread, do); {
	case m != d.m && begins:
		d.agents.turns[e.Thread] = e.Turn.ID
	case m != d.m:
		delete(d.agents.turns, e.Thread)
	case begins:
		d.announced(e.Turn, do)
	default:
		d.completed(e.Turn)
	}
	return nil
}

// failing is an error that codex will try to get over, or the cause that the
// turn's end repeats.
func (d *driver) failing(line *jsonrpc.Message, do func(providers.Effect)) error {
	var e struct {
		Thread string `json:"threadId"`
		Retry  bool   `json:"willRetry"`
		Error  struct {
			Message string `json:"message"`
			Details string `json:"additionalDetails"`
		} `json:"error"`
	}
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	m, emit := d.of(e.Thread, do)
	words := e.Error.Message
	if !e.Retry {
		m.topError(words, emit)
		return nil
	}
	d.said.retract(e.Thread, emit)
	if e.Error.Details != "" {
		words += " (" + e.Error.Details + ")"
	}
	data, ok := readRetry(words)
	if !ok {
		data.Cause = words
	}
	m.retry(words, data, emit)
	return nil
}

// todo is a step of the plan, as exec tells of it.
type todo struct {
	Text      string `json:"text"`
	Completed bool   `json:"completed"`
}

func (d *driver) plan(line *jsonrpc.Message, do func(providers.Effect)) error {
	var e struct {
		Thread string `json:"threadId"`
		Plan   []struct {
			Step   string `json:"step"`
			Status string `json:"status"`
		} `json:"plan"`
	}
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	list := make([]todo, 0, len(e.Plan))
	for _, p := range e.Plan {
		list = append(list, todo{p.Step, p.Status == "completed"})
	}
	m, emit := d.of(e.Thread, do)
	m.todo(&item{Items: ndjson.Encode(list)}, emit)
	m.moved()
	return nil
}

// warned is news of trouble, or of another model.
func (d *driver) warned(line *jsonrpc.Message, do func(providers.Effect)) error {
	var e struct {
		Thread  string `json:"threadId"`
		Message string `json:"message"` // warning, guardianWarning
		Summary string `json:"summary"` // configWarning, deprecationNotice
		Details string `json:"details"`
		From    string `json:"fromModel"` // model/rerouted
		To      string `json:"toModel"`
		Name    string `json:"name"` // mcpServer/startupStatus/updated
		Status  string `json:"status"`
		Error   string `json:"error"`
	}
	if err := ndjson.Unmarshal(line.Params, &e); err != nil {
		return providers.Unknown(line.Method+" in another form", line.Params, providers.Emitter(do))
	}
	m, emit := d.of(e.Thread, do)
	words := e.Message + e.Summary
	if e.Details != "" {
		words += ": " + e.Details
	}
	switch {
	case e.To != "":
		words = "the model was rerouted from " + e.From + " to " + e.To
	case e.Name != "" && e.Status == "failed":
		words = "MCP server " + e.Name + " failed to start: " + e.Error
	}
	if words != "" {
		m.warning(words, emit)
	}
	return nil
}

// telemetry knows what says nothing of the work (0.171.0).
func telemetry(method string) bool {
	switch method {
	case "thread/started", "thread/status/changed", "thread/readState/changed", "thread/closed", "thread/archived",
		"thread/unarchived", "thread/deleted", "thread/reverted", "thread/name/updated", "thread/section/changed",
		"thread/attachment/updated", "thread/goal/updated", "thread/goal/cleared", "thread/prediction/updated",
		"thread/queue/changed", "thread/project/updated", "thread/environment/connected",
		"thread/environment/disconnected", "thread/settings/updated", "thread/compacted",
		"project/changed", "skills/changed", "app/list/updated", "fs/changed",
		"account/updated", "account/rateLimits/updated", "account/login/completed", "account/gatewayOAuth/changed",
		"remoteControl/status/changed", "hook/started", "hook/completed", "turn/diff/updated", "turn/moderationMetadata",
		"item/commandExecution/outputDelta", "item/commandExecution/terminalInteraction", "item/fileChange/outputDelta",
		"item/fileChange/patchUpdated", "item/plan/delta", "item/mcpToolCall/progress",
		"item/autoApprovalReview/started", "item/autoApprovalReview/completed", "autoApprovalReview/strictReviewRequired",
		"mcpServer/oauthLogin/completed", "mcpServer/event/stream/notification", "model/verification",
		"model/safetyBuffering/updated", "modelProvider/authRecoveryStarted", "modelProvider/authRecoveryCompleted":
		return true
	}
	return false
}

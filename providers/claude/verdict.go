package claude

import (
	"strings"

	"agentrun/ndjson"
	"agentrun/providers"
	"agentrun/stream"
)

// Verdict decides from the last result, the failed request before it, and how
// the process ended. The exit status alone decides nothing: an interrupted run
// ends with 0.
func (m *mapper) Verdict(exit providers.Exit) providers.Verdict {
	v := providers.Verdict{Metadata: m.metadata()}
	switch {
	case m.last == nil:
		v.Err = m.noResult(exit)
	case m.last.failed():
		v.Err = m.failed()
	default:
		v.Err = m.hollow(exit)
	}
	if m.last != nil && v.Err == nil {
		v.Content = m.content()
	}
	return v
}

// content is the terminal text that was in no text chunk: what a local command
// printed, or the JSON text of a structured output.
func (m *mapper) content() string {
	if m.spoke && !m.structured() {
		return ""
	}
	return m.last.Result
}

func (m *mapper) structured() bool { return ndjson.Present(m.last.StructuredOutput) != nil }

func (m *mapper) metadata() stream.Metadata {
	facts := m.Facts()
	meta := stream.Metadata{
		SessionID: facts.SessionID, Model: facts.Model, Usage: facts.Usage,
		TotalCostUSD: facts.CostUSD, CostScope: facts.CostScope, NumTurns: facts.NumTurns,
		Denials: m.denials, Warnings: m.warnings,
	}
	if m.last == nil {
		return meta
	}
	meta.DurationMS = m.totals.duration
	if !m.resumed {
		meta.DurationAPIMS = m.totals.apiTime // a running total as well
	}
	meta.StopReason = m.last.StopReason
	if m.structured() {
		meta.StructuredOutput = m.last.StructuredOutput
	}
	return meta
}

// hollow finds the failures that the vendor calls success. A result that the
// CLI held back for a background task is flushed when a signal ends it.
func (m *mapper) hollow(exit providers.Exit) *providers.Error {
	if err := signalled(exit); err != nil {
		return err
	}
	r := m.last
	idle := !m.worked && r.LocalCommand == "" && !m.structured()
	switch {
	case strings.HasPrefix(r.TerminalReason, "aborted"):
		return interrupted()
	case !m.ended: // another turn began, and its result never came
		return m.noResult(exit)
	case m.blocked != "" && !m.worked:
		return providers.Errorf(providers.Permission, "prompt_blocked", "a hook refused the prompt: %s", m.blocked).
			WithHint("see the UserPromptSubmit hooks in the settings")
	case idle && r.Result == "" && m.totals.turns == 0:
		err := providers.Errorf(providers.Session, providers.ReasonNoWork, "claude took the prompt and did nothing: no turn, no answer")
		err.Retryable = true
		return err.WithHint("run it again; a resumed session whose last turn was cut may need it")
	case m.schema && !m.structured():
		return providers.Errorf(providers.StructuredOutput, providers.ReasonNoValue, "a schema was asked for and claude gave no structured output").
			WithHint("ask for the structured output in the prompt, or simplify the schema")
	case idle && r.Result == "":
		err := providers.Errorf(providers.Agent, providers.ReasonEmpty, "the model gave an empty answer")
		err.Retryable = true
		return err
	}
	return nil
}

// signalled tells of a signal, also where the CLI turned it into its exit status.
func signalled(exit providers.Exit) *providers.Error {
	name := exit.Signal
	switch {
	case name != "":
	case exit.Code == 129:
		name = "SIGHUP"
	case exit.Code == 130:
		name = "SIGINT"
	case exit.Code == 137:
		name = "SIGKILL"
	case exit.Code == 143:
		name = "SIGTERM"
	default:
		return nil
	}
	err := providers.Errorf(providers.Process, providers.ReasonSignal, "claude was ended by %s%s", name, exit.LastWords())
	err.Retryable = true
	return err
}

func interrupted() *providers.Error {
	err := providers.Errorf(providers.Process, providers.ReasonSignal, "claude was interrupted before the end of its turn")
	err.Retryable = true
	return err
}

// noResult looks for the cause of a stream without its terminal record.
func (m *mapper) noResult(exit providers.Exit) *providers.Error {
	if err := m.fromStderr(exit); err != nil {
		return err
	}
	if err := signalled(exit); err != nil {
		return err
	}
	if m.failure != nil {
		return m.requestFailed()
	}
	if exit.Code != 0 {
		return providers.Errorf(providers.Process, providers.ReasonCrash, "claude ended with status %d and no result%s", exit.Code, exit.LastWords())
	}
	return providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "claude's stream ended without a result record, after %d records%s", exit.Records, exit.LastWords())
}

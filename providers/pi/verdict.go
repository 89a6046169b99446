package pi

import (
	"fmt"
	"slices"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// Verdict decides from the last assistant message, for pi exits 0 on every
// failure of the model; stderr and the exit status count where it settled nothing.
func (m *mapper) Verdict(x providers.Exit) providers.Verdict {
	m.settled = m.settled || m.endedLegacy(x)
	m.refresh()
	warned, rest := warnings(x.Stderr)
	x.Stderr = rest
	f := m.Facts()
	v := providers.Verdict{Metadata: stream.Metadata{
		SessionID: f.SessionID, Model: f.Model, Usage: f.Usage, TotalCostUSD: f.CostUSD, CostScope: f.CostScope,
		NumTurns: f.NumTurns, DurationAPIMS: int64(m.sum.apiMS), StopReason: m.stopReason(),
		Warnings: append(m.warnings, m.news(warned)...),
	}}
	if v.Err = m.judge(x); v.Err == nil {
		v.Metadata.Warnings = append(v.Metadata.Warnings, m.doubts()...)
	}
	return v
}

// judge leaves the exit status of a run that settled well to the host, who may have ended it.
func (m *mapper) judge(x providers.Exit) *providers.Error {
	if m.settled {
		return m.outcome()
	}
	return m.unsettled(x)
}

// endedLegacy reports whether the run ended as it must before 0.80.4, which
// had no agent_settled: with agent_end and then exit status 0.
func (m *mapper) endedLegacy(x providers.Exit) bool {
	return m.ended && x.Code == 0 && x.Signal == "" && (m.legacy || m.before("0.80.4"))
}

// outcome judges a settled run by its last message.
func (m *mapper) outcome() *providers.Error {
	msg := m.last
	switch {
	case m.aborted || msg.StopReason == "aborted":
		return &providers.Error{
			Class: providers.Agent, Reason: "aborted", Message: "pi aborted the run" + because(msg.ErrorMessage),
			Origin: providers.OriginProvider,
		}
	case msg.StopReason == "error":
		return classifyModel(msg)
	case msg.StopReason == "length":
		return &providers.Error{
			Class: providers.Limit, Reason: providers.ReasonTruncated, Origin: providers.OriginProvider,
			Message: "the answer was cut at the model's output limit",
			Hint:    "ask for less at once, or raise the model's maxTokens in pi's models.json",
		}
	case msg.Role == "":
		return providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "pi settled without an answer")
	case !m.worked:
		return &providers.Error{
			Class: providers.Agent, Reason: providers.ReasonEmpty, Message: "the model gave an empty answer",
			Origin: providers.OriginProvider, Retryable: true,
		}
	}
	switch msg.StopReason {
	case "stop", "toolUse":
		return nil
	}
	return &providers.Error{
		Class: providers.Agent, Reason: "stop_reason", Origin: providers.OriginProvider,
		Message: fmt.Sprintf("pi ended with the stop reason %q", msg.StopReason),
	}
}

// doubts are said about a success that may not be whole.
func (m *mapper) doubts() []string {
	var list []string
	if m.last.RawStopReason == "pause_turn" {
		list = append(list, "the model paused its turn: the answer may be unfinished")
	}
	if !m.answered {
		list = append(list, "the last message had no text")
	}
	return list
}

// news leaves out the warning that every new session with a chosen id has.
func (m *mapper) news(warned []string) []string {
	return slices.DeleteFunc(warned, func(w string) bool {
		return m.request.Given("session_id") && strings.HasSuffix(w, "; creating a new session with that id.")
	})
}

// unsettled judges a run that has no terminal record.
func (m *mapper) unsettled(x providers.Exit) *providers.Error {
	if name := signalOf(x.Code); x.Signal == "" {
		x.Signal = name
	}
	if x.Signal != "" {
		return providers.SignalError(x)
	}
	if err := classifyStderr(x); err != nil {
		return err
	}
	if x.Code != 0 {
		return providers.Errorf(providers.Agent, "", "pi exited with status %d%s", x.Code, x.LastWords()).
			WithHint("pi's own words are in metadata.stderr")
	}
	return m.silent()
}

// silent judges an exit with status 0, nothing settled and nothing said.
func (m *mapper) silent() *providers.Error {
	switch {
	case m.last.Role != "" || m.worked || m.session != "" && m.confirmed && !m.resumes():
		return providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "pi exited without its terminal record agent_settled")
	case m.resumes():
		return providers.Errorf(providers.Session, providers.ReasonNoWork, "pi took the session up and did nothing")
	}
	err := providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "pi exited and ran nothing")
	if strings.HasPrefix(strings.TrimSpace(m.request.Prompt), "/") {
		return err.WithHint("pi took the prompt for one of its slash commands")
	}
	return err
}

func (m *mapper) resumes() bool {
	return m.request.Given("resume") || m.request.Given("session_file") || m.given.Continue
}

func (m *mapper) stopReason() string {
	if m.last.RawStopReason != "" {
		return m.last.RawStopReason
	}
	return m.last.StopReason
}

// signalOf names the signals that pi handles by leaving with 128 and their number.
func signalOf(code int) string {
	switch code {
	case 129:
		return "SIGHUP"
	case 143:
		return "SIGTERM"
	}
	return ""
}

func because(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

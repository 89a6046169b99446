package gemini

import (
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// wants is what the verdict must know of the request.
type wants struct {
	resume   bool // a session by its id
	last     bool // the newest session
	policy   bool // the request's rules are a promise, not only a fence
	settings bool // the request needs our settings
	private  bool // a home that is gone after the run
}

func wantsOf(r providers.Request, f *fields) wants {
	return wants{
		resume:   r.Given("resume"),
		last:     f.Continue,
		policy:   len(f.DenyTool) > 0 || f.Access == accessReadOnly,
		settings: len(settingsFields(r)) > 0,
		private:  f.Ephemeral,
	}
}

// Verdict decides how the run ended.
func (m *mapper) Verdict(exit providers.Exit) providers.Verdict {
	v := providers.Verdict{Metadata: stream.Metadata{SessionID: m.session, Model: m.model}}
	if m.result == nil {
		v.Err = m.unfinished(exit)
		return v
	}
	if s := m.result.Stats; s != nil {
		v.Metadata.Usage, v.Metadata.DurationMS = usageOf(s), s.DurationMS
	}
	if v.Err = m.failure(exit); v.Err == nil {
		v.Err = m.broken(exit)
	}
	return v
}

// unfinished is a run without a result record: the exit status and stderr tell
// why. Exit status 0 is then no success; the CLI gives it when it is signalled.
func (m *mapper) unfinished(exit providers.Exit) *providers.Error {
	if exit.Signal != "" {
		return providers.SignalError(telling(exit))
	}
	if exit.Code != 0 {
		return startError(exit)
	}
	if m.held != nil {
		return classify(m.held.Message)
	}
	if exit.Records == 0 {
		err := providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "gemini ended with no output%s", telling(exit).LastWords())
		err.Retryable = true
		return err
	}
	err := providers.Errorf(providers.Protocol, providers.ReasonIncomplete, "gemini ended without its result record%s", telling(exit).LastWords())
	err.Retryable = true
	return err
}

// failure is what the result record says, read with the events before it: its
// status alone is "success" after a loop, a hook's stop and a context overflow.
func (m *mapper) failure(exit providers.Exit) *providers.Error {
	e := m.result
	switch {
	case e.Error != nil:
		return resultError(e.Error, exit)
	case m.held != nil:
		return classify(m.held.Message)
	case e.Status != "success":
		return providers.Errorf(providers.Agent, "", "gemini reported the status %q", e.Status)
	case m.stopped != "":
		return hookStop(m.stopped)
	case m.said || m.tools > 0:
		return nil
	case e.Stats != nil && len(e.Stats.Models) == 0:
		return providers.Errorf(providers.Context, "", "gemini did not ask the model: the prompt does not fit the model's context by the CLI's own estimate").
			WithHint("shorten the prompt, or begin a new session")
	case m.wants.resume:
		return providers.Errorf(providers.Session, providers.ReasonNoWork, "gemini resumed the session and did nothing")
	}
	return providers.Errorf(providers.Agent, providers.ReasonEmpty, "gemini gave an empty answer")
}

// broken is a promise that was not kept, though the agent did its work.
func (m *mapper) broken(exit providers.Exit) *providers.Error {
	switch {
	case m.wants.last && strings.Contains(exit.Stderr, "No previous sessions found"):
		return providers.Errorf(providers.Session, providers.ReasonNotFound, "gemini found no session to continue and began a new one").
			WithHint("sessions belong to the exact directory they began in")
	case m.wants.policy && strings.Contains(exit.Stderr, "Ignoring --admin-policy"):
		return providers.Errorf(providers.Permission, "policy", "gemini ignored our tool rules: this machine has system policies").
			WithHint("have the rules put into the system policies, or run without --deny-tool and --access read-only")
	case m.wants.settings && strings.Contains(exit.Stderr, "Skipping system settings file"):
		return providers.Errorf(providers.Unsupported, "settings", "gemini ignored our settings file: a folder above it does not belong to root alone").
			WithHint("add --ephemeral, or put agentrun's state under a folder of root")
	}
	return nil
}

func hookStop(message string) *providers.Error {
	err := providers.Errorf(providers.Permission, "hook", "%s", message)
	err.Origin = providers.OriginProvider
	return err.WithHint("a hook of the user's or the project's settings stopped the agent")
}

package claude

import "agentrun/providers"

// Control lines go both ways; each side chooses the ids of its own requests.

// controlRequest is a request of ours.
type controlRequest struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
	Request   any    `json:"request"`
}

// The bodies of our requests.
type (
	subtypeOnly struct {
		Subtype string `json:"subtype"`
	}
	interruptBody struct {
		Subtype      string `json:"subtype"`
		CancelQueued bool   `json:"cancel_queued"`
	}
	modelBody struct {
		Subtype string `json:"subtype"`
		Model   string `json:"model"`
	}
	modeBody struct {
		Subtype string `json:"subtype"`
		Mode    string `json:"mode"`
	}
	settingsBody struct {
		Subtype  string `json:"subtype"`
		Settings struct {
			EffortLevel string `json:"effortLevel"`
		} `json:"settings"`
	}
)

// controlResponse answers a request of the CLI.
type controlResponse struct {
	Type     string       `json:"type"`
	Response responseBody `json:"response"`
}

type responseBody struct {
	Subtype   string `json:"subtype"` // success or error
	RequestID string `json:"request_id"`
	Response  any    `json:"response,omitempty"`
	Error     string `json:"error,omitempty"`
}

// cliRequest is a request of the CLI: can_use_tool, or one that nobody asked for.
type cliRequest struct {
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype string `json:"subtype"`
		toolAsk
	} `json:"request"`
}

// answerLine is the CLI's answer to a request of ours.
type answerLine struct {
	Response answer `json:"response"`
}

type answer struct {
	RequestID string `json:"request_id"`
	Subtype   string `json:"subtype"`
	Error     string `json:"error"`
	ErrorCode string `json:"error_code"`
}

// refusal is the error of an answer that is one.
func (a answer) refusal() *providers.Error {
	if a.Subtype != "error" {
		return nil
	}
	err := providers.Errorf(providers.Usage, a.ErrorCode, "%s", a.Error)
	err.Origin = providers.OriginProvider
	if a.ErrorCode == "bypass_not_launched" {
		err = err.WithHint("begin the session with full access, or with --vendor-arg --allow-dangerously-skip-permissions")
	}
	return err
}

// parentLine tells whose line it is: "" is the main conversation's.
type parentLine struct {
	Parent string `json:"parent_tool_use_id"`
}

// cancelLine (control_cancel_request) takes a request of the CLI back.
type cancelLine struct {
	RequestID string `json:"request_id"`
}

// lifecycleLine (command_lifecycle) tells what became of a message that we sent.
type lifecycleLine struct {
	UUID  string `json:"command_uuid"`
	State string `json:"state"`
}

// stateLine is session_state_changed.
type stateLine struct {
	State string `json:"state"` // idle, running or requires_action
}

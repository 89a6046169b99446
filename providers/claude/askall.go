package claude

import (
	"slices"

	"agentrun/providers"
)

// The CLI asks about what its own rules leave open: not about reading in the
// working directory, nor about what the user's settings allow. A hook before each
// tool call that says "ask" makes it ask about all of them, by can_use_tool (2.1.332).

// initializeBody is the request that begins a session.
type initializeBody struct {
	Subtype string                   `json:"subtype"`
	Hooks   map[string][]hookMatcher `json:"hooks,omitempty"`
}

type hookMatcher struct {
	Callbacks []string `json:"hookCallbackIds"` // of every tool, without a matcher
}

const beforeTool = "PreToolUse"

// initialize begins a session; with all, the CLI is to ask about every tool call.
func initialize(all bool) initializeBody {
	b := initializeBody{Subtype: "initialize"}
	if all {
		b.Hooks = map[string][]hookMatcher{beforeTool: {{[]string{"ask"}}}}
	}
	return b
}

// hookAnswer answers a hook_callback.
type hookAnswer struct {
	Output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
	} `json:"hookSpecificOutput"`
}

func askAbout() hookAnswer {
	var a hookAnswer
	a.Output.Event, a.Output.Decision = beforeTool, "ask"
	return a
}

// checkAsks refuses what would let tools run without a policy being asked.
func checkAsks(r providers.Request, f *request) error {
	what := ""
	switch {
	case !r.Asks:
	case f.Bare || slices.Contains(r.VendorArgs, "--bare"):
		what = "bare"
	case f.PermissionTool != "" && f.PermissionTool != stdio:
		what = "permission_prompt_tool"
	case f.PermissionPrompts == "none":
		what = "permission_prompts none"
	case env(r, "CLAUDE_CODE_SIMPLE") != "":
		what = "the variable CLAUDE_CODE_SIMPLE"
	}
	if what == "" {
		return nil
	}
	return providers.Errorf(providers.Unsupported, "policy", "%s keeps claude from asking, and no policy and no hook can decide", what)
}

//go:build real

package conformance

import (
	"fmt"
	"strings"
	"testing"

	"agentrun/providers"
)

// scenarios is the table: what the model does, and what a user must be told.
// Where vendors differ, the line says why.
func scenarios(t *testing.T) []scenario {
	t.Helper()
	return append(append(answers(), tools(hugeText(t))...), failures()...)
}

func answers() []scenario {
	ok := truth{text: helloAnswer}
	const unicode = "Grüße, 世界! \u0645\u0631\u062d\u0628\u0627 e\u0301 👩\u200d👩\u200d👧 \u2028\u2029 \x00\x1b[31m \\n \"quoted\" </script> \uFEFF🦊"
	empty := truth{class: providers.Agent, reason: providers.ReasonEmpty}
	cut := truth{class: providers.Limit, reason: providers.ReasonTruncated, text: "This answer is cut off in the"}
	var slow strings.Builder
	for n := range 20 {
		fmt.Fprintf(&slow, "piece %d, ", n+1)
	}
	return []scenario{
		{name: "say", truth: ok},
		{name: "think", truth: truth{text: "I thought about it: hello mock", thought: "The user wants an answer. A short one will do."}},
		{name: "unicode", truth: truth{text: unicode}},
		{name: "slow", truth: truth{text: slow.String()}},
		{name: "empty", truth: empty},
		{name: "max-tokens", truth: cut, but: map[string]truth{
			// claude asks three times for the rest, and the model gives as many more pieces.
			"claude": {class: cut.class, reason: cut.reason, text: strings.Repeat(cut.text, 4)},
			// gemini 0.61 reports plain success for a truncated answer that has some text (contract 0.8).
			"gemini": {text: cut.text},
		}},
		{
			name: "schema", args: []string{"--schema", magicSchema},
			refuse: map[string]bool{"gemini": true, "pi": true},
			truth:  truth{text: `{"name":"ok"}`},
			but: map[string]truth{
				// claude answers by a tool of its own.
				"claude": {uses: 1},
			},
		},
	}
}

func tools(huge string) []scenario {
	const failure = "cat: no-such-file-of-the-mock: No such file or directory"
	asked := "I ask a subagent.The main agent is done."
	return []scenario{
		{name: "tool", shell: true, truth: truth{has: "I run a command.The command said: mock tool output", uses: 1}},
		{name: "failing-tool", shell: true, truth: truth{has: failure, uses: 1, failed: 1}, but: map[string]truth{
			// gemini reports a command's failure as success, with no exit code (contract 3).
			"gemini": {has: failure, uses: 1},
		}},
		{name: "parallel-tools", shell: true, truth: truth{text: "I run three commands.All three are done.", uses: 3}},
		{name: "huge", shell: true, truth: truth{text: huge, uses: 1}},
		{name: "subagent", shell: true, truth: truth{text: asked, uses: 1}, but: map[string]truth{
			// The subagent of claude runs in the background: its text, its tool, and a turn on its report.
			"claude": {text: asked + "The magic word is xyzzyThe subagent has reported.", uses: 2},
		}},
		{
			name: "loop", shell: true, args: []string{"--max-turns", "2"},
			refuse: map[string]bool{"codex": true, "pi": true},
			more:   map[string][]string{"gemini": {"--ephemeral"}}, // its settings need a private home
			truth:  truth{class: providers.Limit, reason: providers.ReasonMaxTurns, uses: 2},
		},
		{name: "denied-tool", truth: truth{has: "I tried to write a file: ", uses: 1, failed: 1, denied: 1}, but: map[string]truth{
			// codex streams nothing of a patch that its sandbox rejects (contract 3, silent tool calls); stderr tells.
			"codex": {has: "writing is blocked by read-only sandbox", denied: 1},
			// pi has no permissions: the tool runs (contract 0.5).
			"pi":     {has: "I tried to write a file: Successfully wrote", uses: 1},
			"pi-old": {has: "I tried to write a file: Successfully wrote", uses: 1},
		}},
		{
			name: "denied-tool under strict", args: []string{"--strict"},
			truth: truth{class: providers.Permission, reason: providers.ReasonDenied, has: "I tried to write a file: ", uses: 1, failed: 1, denied: 1},
			but: map[string]truth{
				"codex":  {class: providers.Permission, reason: providers.ReasonDenied, has: "writing is blocked by read-only sandbox", denied: 1},
				"pi":     {has: "I tried to write a file: Successfully wrote", uses: 1},
				"pi-old": {has: "I tried to write a file: Successfully wrote", uses: 1},
			},
		},
	}
}

func failures() []scenario {
	retried := truth{text: helloAnswer, retry: true}
	silent := truth{text: helloAnswer} // the vendor tries again and tells nobody
	network := func(text string) truth {
		return truth{class: providers.Unavailable, reason: providers.ReasonNetwork, text: text}
	}
	const cut = "This answer never comes to its"
	const broken = "Before the broken event."
	again := truth{text: "You said: " + helloAnswer, retry: true} // and a notice that the first words are void
	return []scenario{
		{name: "401", truth: truth{class: providers.Auth, reason: providers.ReasonBadKey}, but: map[string]truth{
			// This API answers a bad key with 400; with 401, a login that does not hold.
			"gemini": {class: providers.Auth, reason: providers.ReasonNotLoggedIn},
		}},
		{name: "403", truth: truth{class: providers.Auth, reason: providers.ReasonForbidden}},
		{name: "429", truth: truth{class: providers.Quota, reason: providers.ReasonRateLimit}},
		{name: "429-once", truth: retried, but: map[string]truth{"gemini": silent, "pi-old": silent}},
		{name: "500", truth: truth{class: providers.Unavailable, reason: providers.ReasonServer}},
		// codex repeats a request that failed with 500 before it tells of retries; pi 0.73.1 leaves both to its SDK.
		{name: "500-once", truth: retried, but: map[string]truth{"gemini": silent, "codex": silent, "pi-old": silent}},
		{name: "overloaded", truth: truth{class: providers.Unavailable, reason: providers.ReasonOverloaded}},
		{name: "quota", truth: truth{class: providers.Quota, reason: providers.ReasonPlanLimit}, but: map[string]truth{
			// These have the credit of an API key used up, not a plan.
			"claude": {class: providers.Quota, reason: providers.ReasonCredit},
			"pi":     {class: providers.Quota, reason: providers.ReasonCredit},
			"pi-old": {class: providers.Quota, reason: providers.ReasonCredit},
		}},
		{name: "context", truth: truth{class: providers.Context}, but: map[string]truth{
			// claude tells a long prompt from a window that filled up while it wrote.
			"claude": {class: providers.Context, reason: "prompt_too_long"},
		}},
		{name: "refusal", truth: truth{class: providers.Refusal}, but: map[string]truth{
			// pi 0.73.1 has no word for a refusal: "An unknown error occurred".
			"pi-old": {class: providers.Agent},
		}},
		{name: "stream-cut", truth: network(""), but: map[string]truth{
			"gemini": network(cut), // gives up at once, the text is out
			"pi":     network(cut + cut),
			"pi-old": network(cut + cut), // each attempt streams its text again; notices take it back
		}},
		{name: "stream-cut-once", truth: retried, but: map[string]truth{
			"gemini": network("You said: "), // no retry once the answer began
			"pi":     again,
			"pi-old": again,
		}},
		{name: "bad-json", truth: truth{class: providers.Protocol, reason: "model_api"}, but: map[string]truth{
			// codex skips the broken event.
			"codex":  {text: broken + " After the broken event."},
			"gemini": {class: providers.Protocol, reason: "model_stream", text: broken},
			// pi tries again, like after any other failure of the model's server.
			"pi":     {class: providers.Protocol, reason: "model_stream", text: broken + broken},
			"pi-old": {class: providers.Protocol, reason: "model_stream", text: broken + broken},
		}},
	}
}

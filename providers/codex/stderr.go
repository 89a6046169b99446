package codex

import (
	"slices"
	"strings"

	"agentrun/providers"
	"agentrun/stream"
)

// routerError begins what codex logs of a tool call that it refused or could
// not understand. No event tells of such a call (0.171.0).
const routerError = "codex_core::tools::router: error="

// readLog takes from stderr what the events leave out.
func (m *mapper) readLog(stderr string) {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "warning: "); ok {
			m.warn(rest)
			continue
		}
		_, why, ok := strings.Cut(line, routerError)
		if !ok || strings.Contains(why, "Rejected(") { // a declined item told of it
			continue
		}
		if tool := refused(why); tool != "" {
			m.deny(stream.Denial{ToolName: tool, Message: why})
			continue
		}
		m.warn("a tool call failed without an event: " + why)
	}
}

// refused returns the kind of the item that the refused call would have been, or "".
func refused(why string) string {
	switch {
	case strings.Contains(why, "patch rejected") && strings.Contains(why, "rejected by user approval settings"):
		return itemChange
	case strings.Contains(why, "approval policy is Never"):
		return itemCommand
	}
	return ""
}

// startup classifies what codex said on stderr when no turn had begun, or
// returns nil when it said nothing.
func startup(e providers.Exit) *providers.Error {
	said := complaint(e.Stderr)
	if said == "" {
		return nil
	}
	if err := providers.Classify(startupRules(), said); err != nil {
		return err
	}
	err := &providers.Error{Class: providers.Agent, Message: said, Origin: providers.OriginProvider}
	if e.Code == statusUsage {
		err.Class, err.Reason = providers.Unsupported, providers.ReasonVendorArgs
	}
	return err
}

// statusUsage is the exit status of an argv that codex does not understand.
const statusUsage = 2

// complaint is the part of stderr that says why codex did not start: from the
// last line that begins like an error to the next empty line, else the last
// line that is neither a banner nor the log.
func complaint(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for i, line := range slices.Backward(lines) {
		if strings.HasPrefix(line, "Error") || strings.HasPrefix(line, "error:") {
			return paragraph(lines[i:])
		}
	}
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimSpace(line); line != "" && !banner(line) {
			return line
		}
	}
	return ""
}

func paragraph(lines []string) string {
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			lines = lines[:i]
			break
		}
	}
	text := strings.Join(lines, "\n")
	return strings.TrimPrefix(strings.TrimPrefix(text, "error: "), "Error: ")
}

func banner(line string) bool {
	return strings.HasPrefix(line, "Reading additional input from stdin") ||
		strings.HasPrefix(line, "Reading prompt from stdin") ||
		strings.HasPrefix(strings.ToLower(line), "warning: ") ||
		strings.Contains(line, "Z ERROR codex_") || strings.Contains(line, "Z  WARN codex_")
}

// died is a death by signal, told without codex's banners.
func died(e providers.Exit) *providers.Error {
	var said []string
	for line := range strings.Lines(e.Stderr) {
		if !banner(strings.TrimSpace(line)) {
			said = append(said, line)
		}
	}
	e.Stderr = strings.Join(said, "")
	return providers.SignalError(e)
}

// panicked is what a Rust panic says of itself, to go behind a message.
func panicked(stderr string) string {
	_, rest, ok := strings.Cut(stderr, "panicked at ")
	if !ok {
		return ""
	}
	place, words, _ := strings.Cut(rest, "\n")
	words, _, _ = strings.Cut(words, "\n")
	if words = strings.TrimSpace(words); words == "" {
		words = strings.TrimSpace(place)
	}
	return ": " + words
}

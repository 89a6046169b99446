package mockmodel

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"agentrun/ndjson"
)

// ask is a model request, understood: all that a script can depend on.
type ask struct {
	model  string
	stream bool
	prompt string            // the last user prompt
	turn   int               // the model's turns since then
	output string            // of the newest tool call
	tools  []string          // names of the tools on offer
	native dialect           // tools that the CLI is known for, on offer or not
	schema ndjson.RawMessage // that the answer has to fit
	// answerTool is the tool that takes the answer in that schema, if there is one.
	answerTool string
	// doneTool is the tool that takes the last words of a subagent, where there is one.
	doneTool string
	// side holds the harmless reply to a request that is no turn of the
	// conversation: a title, a probe, a summary.
	side string
}

// answer is one turn of the model, ready for any protocol.
type answer struct {
	id     string
	model  string
	blocks []block
	stop   string // one of the Stop words, or stopTools
	usage  Usage
}

const stopTools = "tools"

// What a block is.
const (
	thinkBlock = "think"
	textBlock  = "text"
	toolBlock  = "tool"
	delayBlock = "delay"
	cutBlock   = "cut"
	badBlock   = "bad_json" // an event that is not JSON
)

// block is one piece of an answer.
type block struct {
	kind  string
	text  string // think, text; the JSON input of a tool
	id    string // of a tool call
	name  string // of the tool
	chunk int
	every time.Duration // delay: how long; negative is without end
}

// pieces cuts the block's text for streaming, never inside a character.
func (b block) pieces() []string {
	size := b.chunk
	if size <= 0 {
		size = max(12, utf8.RuneCountInString(b.text)/32)
	}
	var list []string
	rest := b.text
	for rest != "" {
		end := len(rest)
		n := 0
		for i := range rest {
			if n == size {
				end = i
				break
			}
			n++
		}
		list = append(list, rest[:end])
		rest = rest[end:]
	}
	return list
}

// said returns the blocks of the answer without its faults. Words that follow
// each other are one block.
func (a answer) said() []block {
	var list []block
	for _, b := range a.blocks {
		switch last := len(list) - 1; {
		case b.kind == delayBlock || b.kind == cutBlock || b.kind == badBlock:
		case last >= 0 && list[last].kind == b.kind && b.kind != toolBlock:
			list[last].text += b.text
		default:
			list = append(list, b)
		}
	}
	return list
}

// expand puts the request's own words into the script's, and says it so many times.
func (q ask) expand(s string, repeat int) string {
	var all strings.Builder
	for n := range max(1, repeat) {
		words := strings.NewReplacer("{{prompt}}", q.prompt, "{{tool_output}}", q.output,
			"{{turn}}", strconv.Itoa(q.turn), "{{n}}", strconv.Itoa(n+1))
		_, _ = words.WriteString(&all, s) // a Builder takes everything
	}
	return all.String()
}

// wantsSummary reports whether the CLI asks for a summary of the history, to make it shorter.
func (q ask) wantsSummary() bool {
	for _, words := range []string{
		"Your task is to create a detailed summary of", // claude 2.1.332
		"CONTEXT CHECKPOINT COMPACTION",                // codex 0.171.0
	} {
		if strings.Contains(q.prompt, words) {
			return true
		}
	}
	return false
}

// summary is the harmless reply to that.
const summary = "<summary>The conversation so far.</summary>"

// offers reports whether the request offers the tool.
func (q ask) offers(name string) bool {
	return slices.Contains(q.tools, name)
}

package mockmodel

import (
	"slices"
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
	schema ndjson.RawMessage // that the answer has to fit
	// answerTool is the tool that takes the answer in that schema, if there is one.
	answerTool string
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

// kind says what a block is.
type kind int

const (
	think kind = iota
	text
	tool
	delay
	cut
	badJSON
)

// block is one piece of an answer.
type block struct {
	kind  kind
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

// said returns the blocks of the answer that are no faults.
func (a answer) said() []block {
	var list []block
	for _, b := range a.blocks {
		if b.kind == think || b.kind == text || b.kind == tool {
			list = append(list, b)
		}
	}
	return list
}

// expand puts the request's own words into the script's.
func (q ask) expand(s string, repeat int) string {
	s = strings.NewReplacer("{{prompt}}", q.prompt, "{{tool_output}}", q.output).Replace(s)
	return strings.Repeat(s, max(1, repeat))
}

// offers reports whether the request offers the tool.
func (q ask) offers(name string) bool {
	return slices.Contains(q.tools, name)
}

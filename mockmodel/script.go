package mockmodel

import (
	"errors"
	"fmt"

	"agentrun/ndjson"
)

// Script is what the model does. A request is answered by the turn whose number
// is the count of the model's turns since the last user prompt; beyond the last
// turn, the last one is given again.
type Script struct {
	Help  string `json:"help,omitempty"` // what the script is for, one sentence
	Turns []Turn `json:"turns,omitempty"`
	// When holds other turns for the prompts that contain Match; the first that
	// fits is taken. A subagent's prompt is a prompt like any other.
	When []Case `json:"when,omitempty"`
}

// Case is a list of turns for some prompts.
type Case struct {
	Match string `json:"match"`
	Turns []Turn `json:"turns"`
}

// Turn is one answer of the model, or a failure of its API.
type Turn struct {
	Parts []Part `json:"parts,omitempty"`
	// Stop is StopEnd, StopMaxTokens, StopRefusal or StopContext; the default is
	// StopEnd, or a call of tools where there is one.
	Stop  string `json:"stop,omitempty"`
	Usage *Usage `json:"usage,omitempty"`
	// Error comes instead of the answer, for as many requests as it says.
	Error *Error `json:"error,omitempty"`
}

// Why a turn of the model stops.
const (
	StopEnd       = "end"
	StopMaxTokens = "max_tokens" // the limit of the output is reached
	StopRefusal   = "refusal"    // the model declines
	StopContext   = "context"    // the context window is full
)

// Part is one piece of an answer, in order. It has exactly one of the first
// group of fields.
type Part struct {
	Think string `json:"think,omitempty"` // reasoning; {{prompt}} and {{tool_output}} as in Text
	// Text is what the model says. {{prompt}} stands for the last user prompt
	// and {{tool_output}} for the newest tool output, both verbatim, and {{turn}}
	// for the number of the turn.
	Text  string     `json:"text,omitempty"`
	Shell string     `json:"shell,omitempty"` // a call of the CLI's shell tool; {{turn}} as in Text
	Read  string     `json:"read,omitempty"`  // a call of the tool that reads a file
	Write *WriteCall `json:"write,omitempty"` // a call of the tool that writes a file
	Agent string     `json:"agent,omitempty"` // a call of the tool that starts a subagent, with its prompt
	Name  string     `json:"name,omitempty"`  // a call of the tool of this name, with Input
	// Answer is an answer that fits the schema that the request asks for, by the
	// CLI's tool for it where there is one; AnswerJSON is one in the script's own words.
	Answer     bool              `json:"answer,omitempty"`
	AnswerJSON ndjson.RawMessage `json:"answer_json,omitempty"`
	DelayMS    int               `json:"delay_ms,omitempty"` // nothing comes for so long
	Stall      bool              `json:"stall,omitempty"`    // nothing comes any more, the connection stays
	Cut        bool              `json:"cut,omitempty"`      // the connection is closed
	BadJSON    bool              `json:"bad_json,omitempty"` // a line that is not JSON where an event should be

	Input ndjson.RawMessage `json:"input,omitempty"` // with Name
	// Repeat says the Text or Think so many times over; {{n}} is the number of
	// the time, from 1. (Some CLIs end a run that repeats itself word by word.)
	Repeat int `json:"repeat,omitempty"`
	// Chunk is the size of the streamed pieces in characters; the default makes
	// a few dozen pieces at most.
	Chunk int `json:"chunk,omitempty"`
	// EveryMS is the pause before each streamed piece.
	EveryMS int `json:"every_ms,omitempty"`
	// Times limits Stall, Cut and BadJSON to so many requests; 0 is always.
	Times int `json:"times,omitempty"`
}

// WriteCall is the input of a tool that writes a file.
type WriteCall struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

// Usage is what a turn reports; the names and meanings are those of stream.Usage.
type Usage struct {
	InputTokens       int `json:"input_tokens"`
	CachedInputTokens int `json:"cached_input_tokens,omitempty"`
	CacheWriteTokens  int `json:"cache_write_tokens,omitempty"`
	OutputTokens      int `json:"output_tokens"`
	ReasoningTokens   int `json:"reasoning_tokens,omitempty"`
}

// Parse decodes a script. An unknown key is an error that names it and its place.
func Parse(data []byte) (Script, error) {
	var s Script
	if !ndjson.Valid(data) {
		return s, errors.New("mock script: not valid JSON; `jq .` says where")
	}
	if err := checkKeys(data, s); err != nil {
		return s, fmt.Errorf("mock script: %w", err)
	}
	if err := ndjson.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("mock script: %w", err)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("mock script: %w", err)
	}
	return s, nil
}

func (s Script) check() error {
	if len(s.Turns) == 0 {
		return errors.New("turns: at least one is needed")
	}
	if err := checkTurns("turns", s.Turns); err != nil {
		return err
	}
	for i, c := range s.When {
		at := fmt.Sprintf("when[%d]", i)
		if c.Match == "" || len(c.Turns) == 0 {
			return fmt.Errorf("%s: match and turns are needed", at)
		}
		if err := checkTurns(at+".turns", c.Turns); err != nil {
			return err
		}
	}
	return nil
}

func checkTurns(at string, turns []Turn) error {
	for i, t := range turns {
		switch t.Stop {
		case "", StopEnd, StopMaxTokens, StopRefusal, StopContext:
		default:
			return fmt.Errorf("%s[%d].stop: %q is not one of end, max_tokens, refusal, context", at, i, t.Stop)
		}
		if e := t.Error; e != nil && (e.Status != 0 && (e.Status < 400 || e.Status > 599) || e.Times < 0 || e.RetryAfter < 0) {
			return fmt.Errorf("%s[%d].error: status is 400 to 599, and no number is below 0", at, i)
		}
		for j, p := range t.Parts {
			if err := p.check(); err != nil {
				return fmt.Errorf("%s[%d].parts[%d]: %w", at, i, j, err)
			}
		}
	}
	return nil
}

func (p Part) check() error {
	if n := p.kinds(); n != 1 {
		return fmt.Errorf("%d of think, text, shell, read, write, agent, name, answer, answer_json, delay_ms, stall, "+
			"cut, bad_json are given, not one", n)
	}
	if min(p.DelayMS, p.Repeat, p.Chunk, p.EveryMS, p.Times) < 0 {
		return errors.New("a number is below 0")
	}
	return nil
}

// kinds counts what the part is; a good one is one thing.
func (p Part) kinds() int {
	n := 0
	for _, is := range []bool{
		p.Think != "", p.Text != "", p.Shell != "", p.Read != "", p.Write != nil, p.Agent != "", p.Name != "",
		p.Answer, p.AnswerJSON != nil, p.DelayMS != 0, p.Stall, p.Cut, p.BadJSON,
	} {
		if is {
			n++
		}
	}
	return n
}

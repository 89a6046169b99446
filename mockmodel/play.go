package mockmodel

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"agentrun/ndjson"
)

// player chooses the turn that answers a request. Its only memory is how often
// a fault that is limited to some requests came.
type player struct {
	script Script
	newID  func() string

	mu   sync.Mutex
	seen map[fault]int
}

// fault names a place of the script, for one prompt: runs with other prompts
// meet the fault anew.
type fault struct {
	prompt     string
	turn, part int
}

// turn returns the turn for the request.
func (p *player) turn(q ask) Turn {
	turns := p.script.Turns
	for _, c := range p.script.When {
		if strings.Contains(q.prompt, c.Match) {
			turns = c.Turns
			break
		}
	}
	return turns[min(q.turn, len(turns)-1)]
}

// due reports whether a fault that comes so many times (0: always) comes now.
func (p *player) due(f fault, times int) bool {
	if times == 0 {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen[f]++
	return p.seen[f] <= times
}

// answer returns the model's answer, or the error that comes instead of it.
func (p *player) answer(q ask) (answer, *Error) {
	if q.side != "" {
		t := Turn{Parts: []Part{{Text: q.side}}}
		return p.build(ask{model: q.model}, t), nil
	}
	t := p.turn(q)
	if e := t.Error; e != nil && p.due(fault{q.prompt, q.turn, -1}, e.Times) {
		return answer{}, e
	}
	return p.build(q, t), nil
}

func (p *player) build(q ask, t Turn) answer {
	a := answer{id: p.newID(), model: q.model, stop: t.Stop, usage: defaultUsage()}
	if t.Usage != nil {
		a.usage = *t.Usage
	}
	calls := false
	for i, part := range t.Parts {
		b, ok := p.block(q, i, part)
		if !ok {
			continue
		}
		if b.kind == toolBlock {
			b.id = callID(a.id, i)
			calls = true
		}
		a.blocks = append(a.blocks, b)
	}
	if q.doneTool != "" && !calls {
		a.blocks, calls = []block{done(q.doneTool, a)}, true
	}
	if a.stop == "" {
		a.stop = StopEnd
		if calls {
			a.stop = stopTools
		}
	}
	return a
}

// defaultUsage has a different number in every place, so that a client that mixes them up shows it.
func defaultUsage() Usage {
	return Usage{InputTokens: 120, CachedInputTokens: 64, CacheWriteTokens: 16, OutputTokens: 40, ReasoningTokens: 8}
}

// block makes a part of the script concrete; ok is false when it does not come.
func (p *player) block(q ask, i int, part Part) (b block, ok bool) {
	b = block{chunk: part.Chunk, every: time.Duration(part.EveryMS) * time.Millisecond}
	switch {
	case part.Think != "":
		b.kind, b.text = thinkBlock, q.expand(part.Think, part.Repeat)
	case part.Text != "":
		b.kind, b.text = textBlock, q.expand(part.Text, part.Repeat)
	case part.DelayMS != 0:
		b.kind, b.every = delayBlock, time.Duration(part.DelayMS)*time.Millisecond
	case part.Stall:
		b.kind, b.every = delayBlock, -1
		return b, p.due(fault{q.prompt, q.turn, i}, part.Times)
	case part.Cut:
		b.kind = cutBlock
		return b, p.due(fault{q.prompt, q.turn, i}, part.Times)
	case part.BadJSON:
		b.kind = badBlock
		return b, p.due(fault{q.prompt, q.turn, i}, part.Times)
	case part.Answer:
		return structured(q, sample(q.schema)), true
	case part.AnswerJSON != nil:
		return structured(q, part.AnswerJSON), true
	default:
		part.Shell = strings.ReplaceAll(part.Shell, "{{turn}}", strconv.Itoa(q.turn))
		name, input := q.call(part)
		b.kind, b.name, b.text = toolBlock, name, compact(input)
	}
	return b, true
}

// structured gives the answer by the CLI's tool for it, or as the text.
func structured(q ask, value ndjson.RawMessage) block {
	if q.answerTool == "" {
		return block{kind: textBlock, text: string(value)}
	}
	return block{kind: toolBlock, name: q.answerTool, text: string(value)}
}

// done ends a subagent's work by its tool for that, with the answer's text as the result.
func done(name string, a answer) block {
	var words strings.Builder
	for _, b := range a.said() {
		if b.kind == textBlock {
			words.WriteString(b.text)
		}
	}
	return block{kind: toolBlock, id: callID(a.id, len(a.blocks)), name: name, text: compact(object{"result": object{"response": words.String()}})}
}

// callID names the tool call of a part. All calls of one answer begin alike, so
// that a history tells them apart from the next answer's.
func callID(answer string, part int) string { return fmt.Sprintf("%s%02x", answer, part) }

// answerOf is the id of the answer that a call belongs to.
func answerOf(callID string) string { return callID[:max(0, len(callID)-2)] }
